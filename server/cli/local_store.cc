#include "server/cli/local_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/options.h"
#include "engine/tsdb.h"
#include "server/cluster/storage_choice.h"
#include "server/config/config.h"

namespace hourcell {

absl::StatusOr<Config> LoadConfig(const StoreOptions& options) {
  Config config;
  if (!options.config_file.empty()) {
    HOURCELL_RETURN_IF_ERROR(config.LoadFile(options.config_file));
  }
  for (const std::string_view setting : options.settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string_view::npos) {
      return absl::InvalidArgumentError(
          fmt::format("setting: expected key=value, got {}", QuoteForMessage(setting)));
    }
    HOURCELL_RETURN_IF_ERROR(config.Set(setting.substr(0, equals), setting.substr(equals + 1)));
  }
  if (!options.data.empty()) {
    HOURCELL_RETURN_IF_ERROR(config.Set("tsd.storage.directory", options.data));
  }
  return config;
}

void WarnOfIgnoredSettings(const Config& config, std::string_view command, Terminal& terminal) {
  for (const std::string& key : config.ignored()) {
    PrintTo(terminal.err, "hourcell {}: warning: {} has no effect\n", command, key);
  }
}

void FollowIfReadOnly(Options* options) {
  if (options->storage != nullptr) return;
  for (const std::string& directory :
       {options->path, options->path + "/db", options->path + "/journal"}) {
    const bool may_write = ::faccessat(AT_FDCWD, directory.c_str(), W_OK, AT_EACCESS) == 0;
    options->follow = options->follow || (!may_write && errno != ENOENT);
  }
}

absl::StatusOr<std::unique_ptr<Tsdb>> OpenStore(const Config& config, StoreUse use) {
  HOURCELL_ASSIGN_OR_RETURN(Options options, OptionsOfStore(config));
  options.check_layout = false;
  options.put_any_names = true;  // the rule of clients' names does not apply to files
  options.create_if_missing = use == StoreUse::kCreate;
  if (use == StoreUse::kRead) FollowIfReadOnly(&options);
  return Tsdb::Open(options);
}

absl::StatusOr<std::unique_ptr<Tsdb>> OpenStore(const StoreOptions& options, StoreUse use) {
  HOURCELL_ASSIGN_OR_RETURN(const Config config, LoadConfig(options));
  return OpenStore(config, use);
}

absl::StatusOr<NameEncoding> LateStore::OpenIfItExists() {
  if (HasStore(config_) || config_.text("tsd.storage.engine") != "rocksdb") {
    HOURCELL_ASSIGN_OR_RETURN(Tsdb* const tsdb, Open());
    return tsdb->layout().names;
  }
  HOURCELL_ASSIGN_OR_RETURN(const Options options, OptionsOfStore(config_));
  HOURCELL_RETURN_IF_ERROR(options.Validate());
  return options.layout.names;
}

absl::StatusOr<Tsdb*> LateStore::Open() {
  const MutexLock lock(&mutex_);
  if (store_.ok() && *store_ == nullptr) store_ = OpenStore(config_, StoreUse::kCreate);
  if (!store_.ok()) return store_.status();
  return store_->get();
}

Tsdb* LateStore::opened() {
  const MutexLock lock(&mutex_);
  return store_.ok() ? store_->get() : nullptr;
}

absl::Status LateStore::Close() {
  Tsdb* const store = opened();
  return store == nullptr ? absl::OkStatus() : store->Close();
}

bool HasStore(const Config& config) {
  std::error_code error;
  return std::filesystem::exists(config.text("tsd.storage.directory") + "/db", error);
}

bool IsInUse(const absl::Status& status) {
  return absl::IsUnavailable(status) &&
         StatusText(status).find("the store is in use by") != std::string_view::npos;
}

int FailStore(Terminal& terminal, std::string_view command, const absl::Status& status) {
  if (IsInUse(status)) {
    std::string text(StatusText(status));
    while (text.ends_with('\n'))
      text.pop_back();
    return Fail(terminal, command,
                absl::UnavailableError(fmt::format(
                    "{}; ask that server with --url, such as --url http://localhost:4242, or stop "
                    "it",
                    text)));
  }
  return absl::IsInvalidArgument(status) ? FailUsage(terminal, command, StatusText(status))
                                         : Fail(terminal, command, status);
}

}  // namespace hourcell
