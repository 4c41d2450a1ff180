#include "server/api/http_login.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "server/http/http_error.h"

namespace hourcell {
namespace {

constexpr std::string_view kAuthorization = "authorization";

std::string NeedText(AccessRights wanted) {
  return wanted.is_none() ? "This needs a user"
                          : fmt::format("This needs the role {}", wanted.role());
}

// Clients of InfluxDB 1 may send credentials in the URL, where logs and proxies see them.
std::string_view UnreadText(const HttpRequest& request) {
  if (!request.header(kAuthorization).empty() || !request.has_param("u")) return "";
  return "; the parameters u and p are not read: send Authorization (Basic, or Token USER:SECRET)";
}

}  // namespace

std::optional<Login> BeginLogin(Authenticator* authenticator,
                                AccessRights connection,
                                HttpRequest* request) {
  const std::string_view header = request->header(kAuthorization);
  if (authenticator == nullptr || header.empty()) {
    request->rights = connection;
    return std::nullopt;
  }
  std::optional<Login> login = ParseAuthorization(header);
  if (login.has_value()) request->user = login->user;
  const LoginAnswer known =
      login.has_value() ? authenticator->Recall(*login) : LoginAnswer::Refused();
  if (known.kind == LoginAnswer::Kind::kUnknown) return login;
  EndLogin(known, connection, request);
  return std::nullopt;
}

void EndLogin(const LoginAnswer& answer, AccessRights connection, HttpRequest* request) {
  request->login_refused = answer.kind != LoginAnswer::Kind::kGranted;
  if (request->login_refused) request->user.clear();
  request->rights = request->login_refused ? AccessRights() : connection | answer.rights;
  if (!request->login_refused) request->new_series = nullptr;
}

HttpResponse AccessRefused(const HttpRequest& request, AccessRights wanted, bool authenticates) {
  const bool is_named = !request.header(kAuthorization).empty();
  if (!authenticates || (is_named && !request.login_refused)) {
    return HttpError(403, "Forbidden",
                     fmt::format("{}; this client has {}{}", NeedText(wanted),
                                 request.rights.role(), UnreadText(request)));
  }
  HttpResponse response =
      HttpError(401, "Unauthorized",
                request.login_refused ? "Wrong user or secret"
                                      : fmt::format("{}{}", NeedText(wanted), UnreadText(request)));
  response.headers.emplace_back("WWW-Authenticate", R"(Basic realm="hourcell", charset="UTF-8")");
  response.headers.emplace_back("WWW-Authenticate", R"(Bearer realm="hourcell")");
  return response;
}

}  // namespace hourcell
