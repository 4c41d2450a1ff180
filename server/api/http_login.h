// The rights of a request, from its credentials and its connection; and the responses to requests
// without sufficient rights.
//
//   if (auto login = BeginLogin(authenticator, rights, &request)) {
//     EndLogin(authenticator->Check(*login, remote), rights, &request);   // slow
//   }
//
// Pure except for the Authenticator's state; thread-safe.

#pragma once

#include <optional>

#include "server/access/access_rights.h"
#include "server/access/authenticator.h"
#include "server/access/credentials.h"
#include "server/http/http_message.h"

namespace hourcell {

// Sets rights and login_refused of `*request` as far as they are known at once, and returns a login
// that still needs a check. A request without credentials has the rights of its connection; right
// credentials add those of the user; wrong ones are refused, whatever the rights of the connection.
// Without an authenticator (null) credentials are ignored.
std::optional<Login> BeginLogin(Authenticator* authenticator,
                                AccessRights connection,
                                HttpRequest* request);

// Sets both from the result of the check. A login lifts the limit of new series.
void EndLogin(const LoginAnswer& answer, AccessRights connection, HttpRequest* request);

// The response to a request without the rights `wanted` (none: any right at all): 401 with
// WWW-Authenticate if credentials could help, else 403. `authenticates`: the server has users.
HttpResponse AccessRefused(const HttpRequest& request, AccessRights wanted, bool authenticates);

}  // namespace hourcell
