#include "engine/rocks/files/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"

// Why flock and not the existence of a file: the operating system releases it whenever the process
// ends, so a killed server leaves no lock for a person to remove. The file names the holder for the
// error message.

namespace hourcell {
namespace {

constexpr size_t kCommandBytesMax = 200;

// The command line of this process: "hourcell serve --port 4242".
std::string CommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string command((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (!command.empty() && command.back() == '\0')
    command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  return command.substr(0, kCommandBytesMax);
}

std::string ReadAll(int fd) {
  char buffer[kCommandBytesMax + 64];
  const ssize_t size = pread(fd, buffer, sizeof buffer, 0);
  std::string text(buffer, size > 0 ? static_cast<size_t>(size) : 0);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

// Closes `fd`, the file of a lock that another process holds.
absl::Status InUse(const std::string& directory, int fd) {
  const std::string holder = ReadAll(fd);
  close(fd);
  return absl::UnavailableError(fmt::format("open {}: the store is in use by {}", directory,
                                            holder.empty() ? "another process" : holder));
}

// A store gets its journal after its tables: a journal without tables means that they were lost,
// not that the store is new.
absl::Status CheckTablesAreThere(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status current = std::filesystem::status(path + "/db/CURRENT", error);
  const bool is_missing = current.type() == std::filesystem::file_type::not_found;
  if (!is_missing || !std::filesystem::exists(path + "/journal", error)) return absl::OkStatus();
  return absl::DataLossError(
      fmt::format("{}/db/CURRENT is missing; there is {}/journal", path, path));
}

// A store inside another store's files would be lost with them, and is in no backup.
absl::Status CheckIsOutsideOfStores(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path + "/db/CURRENT", error))
    return absl::OkStatus();  // not made now
  std::filesystem::path folder = std::filesystem::weakly_canonical(path, error);
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    const std::string name = folder.filename().string();
    if (name != "db" && name != "journal") continue;
    const std::filesystem::path store = folder.parent_path();
    if (!std::filesystem::exists(store / "LOCK", error) ||
        !std::filesystem::exists(store / "db" / "CURRENT", error)) {
      continue;
    }
    return absl::FailedPreconditionError(
        fmt::format("create {}: it is within the store {}; expected {} or a directory of its own",
                    path, store.string(), store.string()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MakeStoreDirectory(const std::string& path, bool create_if_missing) {
  std::error_code error;
  if (create_if_missing) HOURCELL_RETURN_IF_ERROR(CheckIsOutsideOfStores(path));
  if (std::filesystem::is_directory(path, error)) return CheckTablesAreThere(path);
  if (!create_if_missing) {
    return absl::NotFoundError(fmt::format("open {}: no such directory; expected a store", path));
  }
  std::filesystem::create_directories(path, error);
  if (!error) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format("create {}: {}", path, error.message()));
}

absl::StatusOr<std::unique_ptr<StoreLock>> StoreLock::Acquire(const std::string& directory) {
  const std::string path = directory + "/LOCK";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0 && errno == EROFS) {
    return absl::FailedPreconditionError(fmt::format(
        "open {}: the file system is read-only; expected one that can be written", path));
  }
  if (fd < 0) {
    return absl::FailedPreconditionError(
        fmt::format("open {}: {}", path, std::generic_category().message(errno)));
  }
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) return InUse(directory, fd);
  const std::string holder = fmt::format("pid {}: {}\n", getpid(), CommandLine());
  if (ftruncate(fd, 0) != 0 ||
      pwrite(fd, holder.data(), holder.size(), 0) != static_cast<ssize_t>(holder.size())) {
    const int error = errno;
    close(fd);
    return absl::FailedPreconditionError(
        fmt::format("write {}: {}", path, std::generic_category().message(error)));
  }
  return std::make_unique<StoreLock>(fd);
}

absl::StatusOr<std::unique_ptr<StoreLock>> StoreLock::AcquireToRead(const std::string& directory) {
  const std::string path = directory + "/LOCK";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno != ENOENT) {
    return absl::FailedPreconditionError(
        fmt::format("open {}: {}", path, std::generic_category().message(errno)));
  }
  if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0) return InUse(directory, fd);
  return std::make_unique<StoreLock>(fd);
}

StoreLock::~StoreLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace hourcell
