// StoreLock: one process has a store open at a time. An flock on the file LOCK in the store's
// directory, which also names the holder. The operating system drops the lock when the process
// ends, however it ends.

#pragma once

#include <memory>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

// Makes the directory a store is in, if it is not there. kNotFound: it may not be made;
// kFailedPrecondition: it cannot be; kDataLoss: there is a journal in it, and no tables.
absl::Status MakeStoreDirectory(const std::string& path, bool create_if_missing);

class StoreLock {
 public:
  // kUnavailable: another process holds it (named by command and pid); kFailedPrecondition: the
  // directory cannot be written.
  static absl::StatusOr<std::unique_ptr<StoreLock>> Acquire(const std::string& directory);
  // Takes over `fd`, which holds the lock. Acquire is the way to get one.
  explicit StoreLock(int fd) : fd_(fd) {}
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  const int fd_;
};

}  // namespace hourcell
