#include "server/access/authenticator.h"

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
#include "codec/base/strings.h"
#include "server/log/log.h"

namespace hourcell {
namespace {

constexpr size_t kSecretKeyBytes = 32;

bool IsSameDigest(const std::string& a, const std::string& b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

absl::StatusOr<Credentials> LoadCredentials(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::InvalidArgumentError(fmt::format("tsd.auth.file: {}: cannot be read: {}", path,
                                                  std::generic_category().message(errno)));
  }
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0) {
    return absl::InvalidArgumentError(
        fmt::format("tsd.auth.file: {}: anybody may write it (mode {:o}); run chmod o-w", path,
                    status.st_mode & 07777U));
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return Credentials::Parse(text, path);
}

void WarnOfReaders(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || (status.st_mode & S_IROTH) == 0) return;
  LogWarning(
      "tsd.auth.file: {}: anybody may read it (mode {:o}), and guess secrets by it; run chmod o-r",
      path, status.st_mode & 07777U);
}

}  // namespace

bool Authenticator::FileStamp::IsSame(const FileStamp& other) const {
  return modified.tv_sec == other.modified.tv_sec && modified.tv_nsec == other.modified.tv_nsec &&
         size == other.size && inode == other.inode;
}

absl::Status Authenticator::CheckFile(const std::string& path) {
  return LoadCredentials(path).status();
}

absl::StatusOr<std::unique_ptr<Authenticator>> Authenticator::Open(const std::string& path,
                                                                   Stats* stats) {
  std::unique_ptr<Authenticator> authenticator(new Authenticator(path, stats));
  HOURCELL_RETURN_IF_ERROR(authenticator->Reload());
  return authenticator;
}

Authenticator::Authenticator(std::string path, Stats* stats)
    : path_(std::move(path)),
      key_(RandomSecret(kSecretKeyBytes)),
      nobody_(SecretHash::Make(RandomSecret(kSecretKeyBytes))),
      granted_(stats->counter("auth.logins", {{"type", "granted"}})),
      refused_(stats->counter("auth.logins", {{"type", "refused"}})),
      reloads_done_(stats->counter("auth.reloads", {{"type", "done"}})),
      reloads_failed_(stats->counter("auth.reloads", {{"type", "failed"}})) {}

Authenticator::FileStamp Authenticator::StampOf() const {
  struct stat status = {};
  if (stat(path_.c_str(), &status) != 0) return {};
  return {.modified = status.st_mtim, .size = status.st_size, .inode = status.st_ino};
}

// The name of a user cannot contain NUL.
std::string Authenticator::DigestOf(const Login& login) const {
  return Digest(login.user + '\0' + login.secret);
}

std::string Authenticator::Digest(std::string_view text) const {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  const unsigned char* const done =
      HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(),
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
  const std::string digest = DigestOf(login);
  MutexLock lock(&mutex_);
  const auto it = granted_digests_.find(std::string_view(login.user));
  if (it != granted_digests_.end() && IsSameDigest(it->second, digest)) {
    const User* const user = users_->Find(login.user);
    HOURCELL_CHECK(user != nullptr);  // both change together
    return LoginAnswer::Granted(user->rights);
  }
  return refused_digests_.contains(digest) ? LoginAnswer::Refused() : LoginAnswer::Unknown();
}

void Authenticator::Remember(std::string digest, bool is_right, const Login& login) {
  if (is_right) {
    granted_digests_[login.user] = std::move(digest);
    return;
  }
  if (!refused_digests_.insert(digest).second) return;
  refused_order_.push_back(std::move(digest));
  if (refused_order_.size() <= kRefusedKept) return;
  refused_digests_.erase(refused_order_.front());
  refused_order_.pop_front();
}

LoginAnswer Authenticator::Check(const Login& login, std::string_view remote) {
  // Another thread may have checked the same login meanwhile.
  if (const LoginAnswer known = Recall(login); known.kind != LoginAnswer::Kind::kUnknown) {
    return known;
  }
  const Users users = this->users();
  const User* const user = users->Find(login.user);
  // Hashes of one file may differ in cost. The check of an unknown user costs as much as that of
  // another user, always the same one.
  const User* const like = user != nullptr ? user : users->Like(Digest(login.user));
  const bool is_right =
      (like != nullptr ? like->hash : nobody_).Matches(login.secret) && user != nullptr;
  (is_right ? granted_ : refused_)->Add(1);
  if (!is_right) LogWarning("login of {} from {}: refused", login.user, remote);
  std::string digest = DigestOf(login);
  {
    MutexLock lock(&mutex_);
    // If the file changed meanwhile, the result is right for this answer, but must not be kept.
    if (users_ == users) Remember(std::move(digest), is_right, login);
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
  WarnOfReaders(path_);
  users_ = std::make_shared<const Credentials>(*std::move(loaded));
  granted_digests_.clear();
  refused_digests_.clear();
  refused_order_.clear();
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
    LogError("{}; the users read before stay in effect", MessageOf(status));
  } else {
    LogInfo("{}: {} users", path_, users()->size());
  }
}

}  // namespace hourcell
