// What a request may do: by the credentials it carries and the connection it came by; and the
// answers to one that may not.
//
//   if (auto login = BeginLogin(authenticator, rights, &request)) {
//     EndLogin(authenticator->Check(*login, remote), rights, &request);   // slow
//   }
//
// Pure but for what the Authenticator knows; thread-safe.

#pragma once

#include <optional>

#include "server/access/access_rights.h"
#include "server/access/authenticator.h"
#include "server/access/credentials.h"
#include "server/http/http_message.h"

namespace hourcell {

// Sets rights and login_refused of `*request`, as far as they are known at once, and returns the
// login that is left to check. A request without credentials has the rights of its connection, one
// with right ones its user's as well; wrong ones are refused, whatever the connection may do.
// Without an authenticator (null) credentials are not looked at.
std::optional<Login> BeginLogin(Authenticator* authenticator,
                                AccessRights connection,
                                HttpRequest* request);

// The same, of what the authenticator answered.
void EndLogin(const LoginAnswer& answer, AccessRights connection, HttpRequest* request);

// The answer to a request that may not do what takes `wanted` (none: any right at all): 401 with
// WWW-Authenticate where credentials would help, else 403. `authenticates`: the server has users.
HttpResponse AccessRefused(const HttpRequest& request, AccessRights wanted, bool authenticates);

}  // namespace hourcell
