#include "server/authenticator.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "server/log.h"

namespace hourcell {
namespace {

constexpr size_t kKeyBytes = 32;

bool IsSameDigest(const std::string& a, const std::string& b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

absl::StatusOr<Credentials> LoadCredentials(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::InvalidArgumentError(fmt::format("tsd.auth.file: {}: cannot be read: {}", path,
                                                  std::generic_category().message(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return Credentials::Parse(text, path);
}

std::string_view MessageOf(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

}  // namespace

bool Authenticator::FileStamp::IsSame(const FileStamp& other) const {
  return modified.tv_sec == other.modified.tv_sec && modified.tv_nsec == other.modified.tv_nsec &&
         size == other.size && inode == other.inode;
}

absl::StatusOr<std::unique_ptr<Authenticator>> Authenticator::Open(const std::string& path,
                                                                   Stats* stats) {
  std::unique_ptr<Authenticator> authenticator(new Authenticator(path, stats));
  HOURCELL_RETURN_IF_ERROR(authenticator->Reload());
  return authenticator;
}

Authenticator::Authenticator(std::string path, Stats* stats)
    : path_(std::move(path)),
      key_(RandomSecret(kKeyBytes)),
      nobody_(SecretHash::Make(RandomSecret(kKeyBytes))),
      granted_(stats->counter("auth.logins", {{"type", "granted"}})),
      refused_(stats->counter("auth.logins", {{"type", "refused"}})),
      reloads_done_(stats->counter("auth.reloads", {{"type", "done"}})),
      reloads_failed_(stats->counter("auth.reloads", {{"type", "failed"}})) {}

Authenticator::FileStamp Authenticator::StampOf() const {
  struct stat status = {};
  if (stat(path_.c_str(), &status) != 0) return {};
  return {.modified = status.st_mtim, .size = status.st_size, .inode = status.st_ino};
}

std::string Authenticator::Digest(std::string_view secret) const {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  const unsigned char* const done =
      HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
           reinterpret_cast<const unsigned char*>(secret.data()), secret.size(),
           reinterpret_cast<unsigned char*>(digest.data()), &size);
  HOURCELL_CHECK(done != nullptr);
  digest.resize(size);
  return digest;
}

Authenticator::Users Authenticator::users() {
  MutexLock lock(&mutex_);
  return users_;
}

LoginAnswer Authenticator::Recall(const Login& login) {
  const std::string digest = Digest(login.secret);
  MutexLock lock(&mutex_);
  const auto it = checked_.find(std::string_view(login.user));
  if (it == checked_.end()) return LoginAnswer::Unknown();
  if (IsSameDigest(it->second.granted, digest)) {
    const User* const user = users_->Find(login.user);
    HOURCELL_CHECK(user != nullptr);  // both change together
    return LoginAnswer::Granted(user->rights);
  }
  return IsSameDigest(it->second.refused, digest) ? LoginAnswer::Refused() : LoginAnswer::Unknown();
}

LoginAnswer Authenticator::Check(const Login& login, std::string_view remote) {
  const Users users = this->users();
  const User* const user = users->Find(login.user);
  const bool is_right =
      (user != nullptr ? user->hash : nobody_).Matches(login.secret) && user != nullptr;
  (is_right ? granted_ : refused_)->Add(1);
  if (!is_right) LogWarning("login of {} from {}: refused", login.user, remote);
  if (user != nullptr) {
    std::string digest = Digest(login.secret);
    MutexLock lock(&mutex_);
    // If the file changed meanwhile this is of the past: right for this answer, not to be kept.
    if (users_ == users) {
      Checked& checked = checked_[login.user];
      (is_right ? checked.granted : checked.refused) = std::move(digest);
    }
  }
  return is_right ? LoginAnswer::Granted(user->rights) : LoginAnswer::Refused();
}

absl::Status Authenticator::Reload() {
  const FileStamp stamp = StampOf();
  absl::StatusOr<Credentials> loaded = LoadCredentials(path_);
  MutexLock lock(&mutex_);
  tried_ = stamp;
  if (!loaded.ok()) {
    reloads_failed_->Add(1);
    return loaded.status();
  }
  users_ = std::make_shared<const Credentials>(*std::move(loaded));
  checked_.clear();
  reloads_done_->Add(1);
  return absl::OkStatus();
}

void Authenticator::ReloadIfChanged() {
  const FileStamp stamp = StampOf();
  {
    MutexLock lock(&mutex_);
    if (stamp.IsSame(tried_)) return;
  }
  if (const absl::Status status = Reload(); !status.ok()) {
    LogError("{}; the users of before stay", MessageOf(status));
  } else {
    LogInfo("{}: {} users", path_, users()->size());
  }
}

}  // namespace hourcell
