// StoreLock: only one process has a store open at a time. It is an flock on the file LOCK in the
// store's directory; the file also names the holder. The operating system releases the lock when
// the process ends, in whatever way.

#pragma once

#include <memory>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

// Makes the directory of a store if it is missing. kNotFound: it is missing and `create_if_missing`
// is false; kFailedPrecondition: it cannot be made, or is within another store; kDataLoss: it has a
// journal but no tables.
absl::Status MakeStoreDirectory(const std::string& path, bool create_if_missing);

class StoreLock {
 public:
  // kUnavailable: another process holds it (named by command and pid); kFailedPrecondition: the
  // directory cannot be written.
  static absl::StatusOr<std::unique_ptr<StoreLock>> Acquire(const std::string& directory);
  // Shares the lock with other readers, and changes no file. A store without the file, such as a
  // copy, is not locked. Errors as Acquire.
  static absl::StatusOr<std::unique_ptr<StoreLock>> AcquireToRead(const std::string& directory);
  // Takes over `fd`, which holds the lock; -1: none. Use Acquire.
  explicit StoreLock(int fd) : fd_(fd) {}
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  const int fd_;
};

}  // namespace hourcell
