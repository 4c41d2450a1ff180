// The store a tool works on: its settings and how it is opened.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/cli/terminal.h"
#include "server/config/config.h"

namespace hourcell {

// What every command that opens a store takes.
struct StoreOptions {
  std::string data = {};                   // --data; empty = tsd.storage.directory
  std::string config_file = {};            // --config; empty = none
  std::vector<std::string> settings = {};  // "tsd.x.y=value", in order; they override the file
};

// The settings: file, then `settings`, then `data`.
// kNotFound: no such file; kInvalidArgument: unknown keys, bad values, a setting without a '='.
absl::StatusOr<Config> LoadConfig(const StoreOptions& options);

// Names settings of OpenTSDB that were given and do nothing here.
void WarnOfIgnoredSettings(const Config& config, std::string_view command, Terminal& terminal);

// What a tool wants of the store.
enum class StoreUse : uint8_t {
  kExisting,  // there must be one
  kCreate,    // made if there is none
};

// Opens the store of the settings for a tool: with the layout it has. Errors as Tsdb::Open.
absl::StatusOr<std::unique_ptr<Tsdb>> OpenStore(const Config& config, StoreUse use);

// LoadConfig and OpenStore, for tools that need nothing of the settings themselves.
absl::StatusOr<std::unique_ptr<Tsdb>> OpenStore(const StoreOptions& options, StoreUse use);

// Whether there is a store in the directory of the settings.
bool HasStore(const Config& config);

// Whether a store could not be opened only because another process has it open.
bool IsInUse(const absl::Status& status);

// Says why settings or a store could not be had, and what to do about a store that a server has
// open. Returns kExitUsage for settings that are wrong, else kExitFailure.
int FailStore(Terminal& terminal, std::string_view command, const absl::Status& status);

}  // namespace hourcell
