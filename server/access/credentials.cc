#include "server/access/credentials.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

// Removes the next word from `*line` and returns it; empty at the end.
std::string_view TakeWord(std::string_view* line) {
  constexpr std::string_view kBlanks = " \t\r";
  line->remove_prefix(std::min(line->find_first_not_of(kBlanks), line->size()));
  const std::string_view word = line->substr(0, line->find_first_of(kBlanks));
  line->remove_prefix(word.size());
  return word;
}

absl::StatusOr<std::pair<std::string, User>> ParseUser(std::string_view line) {
  std::array<std::string_view, 3> words;
  for (std::string_view& word : words)
    word = TakeWord(&line);
  if (words.back().empty() || !TakeWord(&line).empty()) {
    return absl::InvalidArgumentError("expected three words: user, role, hash");
  }
  if (!IsUserName(words[0])) {
    return absl::InvalidArgumentError(
        fmt::format("user: expected 1 to {} of A-Z a-z 0-9 _ -, got {}", kUserBytesMax,
                    QuoteForMessage(words[0])));
  }
  HOURCELL_ASSIGN_OR_RETURN(const AccessRights rights, AccessRights::Parse(words[1]));
  HOURCELL_ASSIGN_OR_RETURN(SecretHash hash, SecretHash::Parse(words[2]));
  return std::pair(std::string(words[0]), User{.rights = rights, .hash = std::move(hash)});
}

std::optional<Login> ParseBasic(std::string_view base64) {
  std::string text;
  if (!absl::Base64Unescape({base64.data(), base64.size()}, &text)) return std::nullopt;
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  return MakeLogin(std::string_view(text).substr(0, colon),
                   std::string_view(text).substr(colon + 1));
}

}  // namespace

absl::StatusOr<Credentials> Credentials::Parse(std::string_view text, std::string_view source) {
  Credentials credentials;
  for (size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::string_view rest = line;
    if (const std::string_view first = TakeWord(&rest); first.empty() || first.starts_with('#')) {
      continue;
    }
    absl::StatusOr<std::pair<std::string, User>> user = ParseUser(line);
    absl::Status status = user.status();
    if (status.ok() && !credentials.users_.insert(*std::move(user)).second) {
      status = absl::InvalidArgumentError("the user is named twice");
    }
    if (status.ok() && credentials.users_.size() > kUsersMax) {
      status = absl::InvalidArgumentError(fmt::format("more than {} users", kUsersMax));
    }
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: {}", source, number,
                      std::string_view(status.message().data(), status.message().size())));
    }
  }
  return credentials;
}

const User* Credentials::Find(std::string_view user) const {
  const auto it = users_.find(user);
  return it == users_.end() ? nullptr : &it->second;
}

const User* Credentials::Like(std::string_view digest) const {
  if (users_.empty()) return nullptr;
  const size_t place = std::hash<std::string_view>()(digest) % users_.size();
  return &std::next(users_.begin(), static_cast<ptrdiff_t>(place))->second;
}

bool IsUserName(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !text.empty() && text.size() <= kUserBytesMax &&
         text.find_first_not_of(kAlphabet) == std::string_view::npos;
}

std::string CredentialsLine(std::string_view user, AccessRights rights, const SecretHash& hash) {
  return fmt::format("{} {} {}\n", user, rights.role(), hash.text());
}

std::optional<Login> MakeLogin(std::string_view user, std::string_view secret) {
  if (!IsUserName(user) || secret.empty() || secret.size() > kSecretBytesMax) return std::nullopt;
  return Login{.user = std::string(user), .secret = std::string(secret)};
}

std::optional<Login> ParseToken(std::string_view token) {
  const size_t dot = token.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return MakeLogin(token.substr(0, dot), token.substr(dot + 1));
}

namespace {

// InfluxDB 1.8 uses a colon instead of our dot. User names contain neither.
std::optional<Login> ParseInfluxToken(std::string_view token) {
  const size_t end = token.find_first_of(".:");
  if (end == std::string_view::npos) return std::nullopt;
  return MakeLogin(token.substr(0, end), token.substr(end + 1));
}

}  // namespace

std::optional<Login> ParseAuthorization(std::string_view header) {
  const std::string_view scheme = TakeWord(&header);
  const std::string_view value = TakeWord(&header);
  if (value.empty() || !TakeWord(&header).empty()) return std::nullopt;
  if (EqualsIgnoringCase(scheme, "basic")) return ParseBasic(value);
  if (EqualsIgnoringCase(scheme, "bearer")) return ParseToken(value);
  if (EqualsIgnoringCase(scheme, "token")) return ParseInfluxToken(value);
  return std::nullopt;
}

}  // namespace hourcell
