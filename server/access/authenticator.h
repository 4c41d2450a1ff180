// Authenticator: says what a client that names itself may do, from the file of tsd.auth.file.
//
// A secret's hash is slow on purpose. What was checked once is known from then on, until the file
// changes: of each user the last right secret, and the last kRefusedKept logins that were wrong,
// whether there are such users or not; as keyed digests under a key of this process. So a client
// pays once, one that goes on with an old secret does not cost much, and no answer is faster or
// slower for a user that there is.
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

// Wrong logins that are remembered.
inline constexpr size_t kRefusedKept = 1024;

class Authenticator {
 public:
  // Reads the file. kInvalidArgument: what is wrong, with file and line; the file cannot be read,
  // or anybody may write it. One that anybody may read is warned of.
  // Counts into `stats`, which is borrowed: auth.logins type=granted|refused of Check, auth.reloads
  // type=done|failed.
  static absl::StatusOr<std::unique_ptr<Authenticator>> Open(const std::string& path, Stats* stats);

  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  // What is known already.
  LoginAnswer Recall(const Login& login);

  // What is known by now, or else computes the hash: tens of milliseconds. Never kUnknown. Of a
  // user that there is not it takes as long. A refusal is logged with `remote`, the client's
  // address.
  LoginAnswer Check(const Login& login, std::string_view remote);

  // Reads the file again and forgets what was checked. An error leaves all as it was; its message
  // is Open's.
  absl::Status Reload();

  // The same if the file is not the one last tried, by time, size and inode. Logs what it did.
  void ReloadIfChanged();

 private:
  // Of one state of the file; never changes.
  using Users = std::shared_ptr<const Credentials>;
  // Which file was read.
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
  const std::string key_;    // of the digests; of this process
  const SecretHash nobody_;  // what is computed if the file has no users
  Counter* const granted_;
  Counter* const refused_;
  Counter* const reloads_done_;
  Counter* const reloads_failed_;

  Mutex mutex_;
  Users users_ ABSL_GUARDED_BY(mutex_);
  StringMap<std::string> granted_digests_ ABSL_GUARDED_BY(mutex_);  // by user: the last right one
  StringSet refused_digests_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> refused_order_ ABSL_GUARDED_BY(mutex_);  // of them, oldest first
  FileStamp tried_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
