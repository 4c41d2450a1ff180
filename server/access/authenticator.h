// Authenticator: checks the logins of clients against the file of tsd.auth.file.
//
// A secret's hash is slow on purpose, so results are kept until the file changes: the last right
// secret of each user, and the last kRefusedKept wrong logins, of existing users or not; as digests
// under a key of this process. So a client pays once, repeated logins with an old secret cost
// little, and the time of an answer does not show whether a user exists.
//
//   LoginAnswer answer = authenticator->Recall(login);        // microseconds
//   if (answer == LoginAnswer::Unknown()) answer = authenticator->Check(login, remote);  // slow
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/base/strings.h"
#include "engine/stats.h"
#include "server/access/access_rights.h"
#include "server/access/credentials.h"

namespace hourcell {

struct LoginAnswer {
  enum class Kind : uint8_t { kUnknown, kRefused, kGranted } kind = Kind::kUnknown;
  AccessRights rights = {};  // if granted

  static constexpr LoginAnswer Unknown() { return {}; }
  static constexpr LoginAnswer Refused() { return {.kind = Kind::kRefused}; }
  static constexpr LoginAnswer Granted(AccessRights rights) {
    return {.kind = Kind::kGranted, .rights = rights};
  }
  friend constexpr bool operator==(const LoginAnswer&, const LoginAnswer&) = default;
};

// Wrong logins that are kept.
inline constexpr size_t kRefusedKept = 1024;

class Authenticator {
 public:
  // Whether Open would take the file.
  static absl::Status CheckFile(const std::string& path);

  // Reads the file. kInvalidArgument: the fault, with file and line; the file cannot be read, or
  // every local user may write it. Logs a warning if every local user may read it.
  // Counts into `stats`, which is borrowed: auth.logins type=granted|refused of Check, auth.reloads
  // type=done|failed.
  static absl::StatusOr<std::unique_ptr<Authenticator>> Open(const std::string& path, Stats* stats);

  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  // The kept result; kUnknown without one.
  LoginAnswer Recall(const Login& login);

  // The kept result, or else computes the hash: tens of milliseconds, also for an unknown user.
  // Never kUnknown. Logs a refusal with `remote`, the client's address.
  LoginAnswer Check(const Login& login, std::string_view remote);

  // Reads the file again and drops the kept results. An error leaves everything unchanged; its
  // message is Open's.
  absl::Status Reload();

  // Reloads if time, size or inode of the file changed since the last attempt. Logs the result.
  void ReloadIfChanged();

 private:
  // One state of the file; immutable.
  using Users = std::shared_ptr<const Credentials>;
  // Identifies the file that was read.
  struct FileStamp {
    timespec modified = {};
    int64_t size = -1;
    uint64_t inode = 0;
    bool IsSame(const FileStamp& other) const;
  };
  Authenticator(std::string path, Stats* stats);
  FileStamp StampOf() const;
  std::string Digest(std::string_view text) const;
  std::string DigestOf(const Login& login) const;
  void Remember(std::string digest, bool is_right, const Login& login)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Users users();

  const std::string path_;
  const std::string key_;    // of the digests; new in each process
  const SecretHash nobody_;  // checked if the file lists no users
  Counter* const granted_;
  Counter* const refused_;
  Counter* const reloads_done_;
  Counter* const reloads_failed_;

  Mutex mutex_;
  Users users_ ABSL_GUARDED_BY(mutex_);
  StringMap<std::string> granted_digests_ ABSL_GUARDED_BY(mutex_);  // by user: the last right one
  StringSet refused_digests_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> refused_order_ ABSL_GUARDED_BY(mutex_);  // oldest first
  FileStamp tried_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
