// Settings of the store that a tool works on, and opening it.

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

// Options of every command that opens a store.
struct StoreOptions {
  std::string data = {};                   // --data; empty = tsd.storage.directory
  std::string config_file = {};            // --config; empty = none
  std::vector<std::string> settings = {};  // "tsd.x.y=value", in order; they override the file
};

// Reads the file, then applies `settings`, then `data`. kNotFound: the file does not exist;
// kInvalidArgument: unknown keys, bad values, a setting without a '='.
absl::StatusOr<Config> LoadConfig(const StoreOptions& options);

// Warns of each given OpenTSDB setting that Hourcell ignores.
void WarnOfIgnoredSettings(const Config& config, std::string_view command, Terminal& terminal);

// Whether a tool creates a missing store.
enum class StoreUse : uint8_t {
  kExisting,  // the store must exist
  kCreate,    // creates the store if it is missing
};

// Opens the store of the settings with its stored layout. Errors as Tsdb::Open.
absl::StatusOr<std::unique_ptr<Tsdb>> OpenStore(const Config& config, StoreUse use);

// LoadConfig and OpenStore, for tools that do not need the settings.
absl::StatusOr<std::unique_ptr<Tsdb>> OpenStore(const StoreOptions& options, StoreUse use);

// Whether the directory of the settings contains a store.
bool HasStore(const Config& config);

// Whether an open failed only because another process has the store open.
bool IsInUse(const absl::Status& status);

// Prints an error of LoadConfig or OpenStore, and a hint if a server has the store open. Returns
// kExitUsage for invalid settings, else kExitFailure.
int FailStore(Terminal& terminal, std::string_view command, const absl::Status& status);

}  // namespace hourcell
