// Settings of the store that a tool works on, and opening it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
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

// How a tool uses a store.
enum class StoreUse : uint8_t {
  kExisting,  // the store must exist
  kRead,      // the same, and the tool only reads: the files may be read-only
  kCreate,    // creates the store if it is missing
};

// For a tool that only reads: opens a directory that cannot be written without changing it.
void FollowIfReadOnly(Options* options);

// Opens the store of the settings with its stored layout. Errors as Tsdb::Open.
absl::StatusOr<std::unique_ptr<Tsdb>> OpenStore(const Config& config, StoreUse use);

// LoadConfig and OpenStore, for tools that do not need the settings.
absl::StatusOr<std::unique_ptr<Tsdb>> OpenStore(const StoreOptions& options, StoreUse use);

// A store that is opened, or created, at its first use. For commands that read other data first:
// input that cannot be read must not leave an empty store. Thread-safe.
class LateStore {
 public:
  explicit LateStore(Config config) : config_(std::move(config)) {}

  // Opens the store if it exists; checks the settings of a new one. Returns the encoding of its
  // names. Tables of Bigtable are opened in any case: only then is it known whether they exist.
  absl::StatusOr<NameEncoding> OpenIfItExists();
  // Opens the store; later calls return the same result. Errors as OpenStore.
  absl::StatusOr<Tsdb*> Open();
  // Null: not opened.
  Tsdb* opened();
  // After the last use of the store; OK if it is not open.
  absl::Status Close();

 private:
  const Config config_;
  Mutex mutex_;
  absl::StatusOr<std::unique_ptr<Tsdb>> store_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

// Whether the directory of the settings contains a store.
bool HasStore(const Config& config);

// Whether an open failed only because another process has the store open.
bool IsInUse(const absl::Status& status);

// Prints an error of LoadConfig or OpenStore, and a hint if a server has the store open. Returns
// kExitUsage for invalid settings, else kExitFailure.
int FailStore(Terminal& terminal, std::string_view command, const absl::Status& status);

}  // namespace hourcell
