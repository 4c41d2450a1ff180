// WebGuard: refuses requests from web pages of other sites. A browser lets any page send requests
// to every address that its user can reach, and attaches the user's credentials.
//
//   Refuse            refuses requests that show a foreign page: an Origin or Sec-Fetch-Site of
//                     another site, or a Host that does not name this server. After DNS rebinding,
//                     a page has such a Host, and the browser treats it as this server's: it sends
//                     GETs without an Origin
//   CanBeForged       finds requests that a page can send to another site without a preflight. So
//                     protection does not depend on the headers above, which some browsers omit
//                     for some addresses
//
// Clients other than browsers send neither Origin nor Sec-Fetch-Site.
//
// Immutable; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codec/base/strings.h"
#include "server/config/config.h"
#include "server/http/guard/cors.h"
#include "server/http/http_message.h"

namespace hourcell {

class WebGuard {
 public:
  // `cors` is borrowed. Reads from `config`: tsd.http.hosts, tsd.http.jsonp, tsd.auth.file, and the
  // names in the listen settings. `machine`: the host name.
  WebGuard(const Config& config, std::string_view machine, const CorsPolicy* cors);

  // 403 for a request that a foreign page sent or may have sent; otherwise nullopt. An Origin that
  // `cors` allows is not foreign. User credentials, which were checked before, make an unknown Host
  // acceptable: browsers store none for a page under that name.
  std::optional<HttpResponse> Refuse(const HttpRequest& request) const;

  // True if a page of this server sent the request: Origin and Host match, and the Host is known.
  bool IsOwnPage(const HttpRequest& request) const;

 private:
  bool IsUser(const HttpRequest& request) const;
  bool KnowsHost(std::string_view host) const;
  bool MayReadFromAfar(const HttpRequest& request) const;

  const CorsPolicy* const cors_;
  const bool authenticates_;  // users are configured
  const bool jsonp_;
  bool any_host_ = false;
  StringSet hosts_;  // in lower case, without ports
};

// True if a page of another site could have sent the request without a preflight: by a link, an
// image, a form, or fetch in mode no-cors. False for PUT and DELETE, JSON (Content-Type:
// application/json), X-Requested-With, and tokens (Authorization: Bearer).
bool CanBeForged(const HttpRequest& request);

// 403 for a request that changes something and can be forged.
HttpResponse ForgeableRefused();

}  // namespace hourcell
