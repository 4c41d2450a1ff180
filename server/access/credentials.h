// Credentials: the users of a server, their roles and the hashes of their secrets, from the file of
// tsd.auth.file; and the logins that clients send.
//
//   # comment
//   <user> <role> <hash>        e.g. grafana read scrypt:15:8:1:...
//
// A user name has 1 to 64 characters of A-Z a-z 0-9 _ -, and is unique; roles are those of
// access_rights.h. A client logs in by user and secret (HTTP basic authentication), or by a token,
// which joins both with a dot: grafana.5f3c...
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/base/strings.h"
#include "server/access/access_rights.h"
#include "server/access/secret_hash.h"

namespace hourcell {

inline constexpr size_t kUserBytesMax = 64;
inline constexpr size_t kUsersMax = 10'000;

struct User {
  AccessRights rights;
  SecretHash hash;
};

// The user name and secret that a client sends.
struct Login {
  std::string user;
  std::string secret;
};

class Credentials {
 public:
  // kInvalidArgument "SOURCE:LINE: fault", without the text of the line. One bad line refuses the
  // whole file: a half-written file must not lock out half of the users.
  static absl::StatusOr<Credentials> Parse(std::string_view text, std::string_view source);

  // Null: the name is unknown.
  const User* Find(std::string_view user) const;
  size_t size() const { return users_.size(); }
  // A user chosen by the digest, always the same for one digest; null if the file lists
  // no users.
  const User* Like(std::string_view digest) const;

 private:
  StringMap<User> users_;
};

bool IsUserName(std::string_view text);

// A line of the file, with its newline.
std::string CredentialsLine(std::string_view user, AccessRights rights, const SecretHash& hash);

// Nothing: an invalid user name, an empty secret, or one over kSecretBytesMax.
std::optional<Login> MakeLogin(std::string_view user, std::string_view secret);

// Parses "user.secret". Nothing: no dot, an invalid user name, or an empty secret.
std::optional<Login> ParseToken(std::string_view token);

// Parses an Authorization header: "Basic <base64 of user:secret>", "Bearer <token>", or, from
// clients of InfluxDB 2, "Token <token>"; the scheme in any case. Nothing for any other header.
std::optional<Login> ParseAuthorization(std::string_view header);

}  // namespace hourcell
