// Credentials: the users of a server, their roles and the hashes of their secrets, as the file of
// tsd.auth.file has them; and what a client sends to say who it is.
//
//   # comment
//   <user> <role> <hash>        e.g. grafana read scrypt:15:8:1:...
//
// A user is 1 to 64 of A-Z a-z 0-9 _ -, named once; the role is one of access_rights.h. A client
// names itself by user and secret (HTTP basic authentication), or by a token, which is both with
// a dot between: grafana.5f3c...
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

// What a client says of itself.
struct Login {
  std::string user;
  std::string secret;
};

class Credentials {
 public:
  // kInvalidArgument "SOURCE:LINE: what is wrong", without the line itself. One bad line spoils
  // all: a file that is half written must not lock half the users out.
  static absl::StatusOr<Credentials> Parse(std::string_view text, std::string_view source);

  // Null if there is none of that name.
  const User* Find(std::string_view user) const;
  size_t size() const { return users_.size(); }
  // One of them, the same for the same digest; null if there is none.
  const User* Like(std::string_view digest) const;

 private:
  StringMap<User> users_;
};

bool IsUserName(std::string_view text);

// A line of the file, with its end.
std::string CredentialsLine(std::string_view user, AccessRights rights, const SecretHash& hash);

// Nothing: no user's name, an empty secret, or one over kSecretBytesMax.
std::optional<Login> MakeLogin(std::string_view user, std::string_view secret);

// Of "user.secret". Nothing: no dot, or no user's name before it, or nothing after it.
std::optional<Login> ParseToken(std::string_view token);

// Of an Authorization header: "Basic <base64 of user:secret>", "Bearer <token>", or, as clients of
// InfluxDB 2 send it, "Token <token>"; the scheme in any case. Nothing for all else.
std::optional<Login> ParseAuthorization(std::string_view header);

}  // namespace hourcell
