// WebGuard: keeps web pages that are not ours from the server. A browser lets any page send
// requests to any address that its user reaches, and attaches what it knows of the user.
//
//   Refuse            what shows that a foreign page sent it: an Origin, or Sec-Fetch-Site, of
//                     another site; or a Host that is no name of this server. A page whose own
//                     name was made to point here (DNS rebinding) has such a Host, and a browser
//                     takes it for ours: it sends no Origin with its GETs
//   CanBeForged       what a page can send to another site without asking it first: the browser
//                     asks (a preflight) before it sends what is refused here. So that nothing
//                     hangs on the headers above, which not every browser sends to every address
//
// Clients that are no browsers send neither Origin nor Sec-Fetch-Site.
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
  // `cors` is borrowed. Of `config`: tsd.http.hosts, tsd.http.jsonp, tsd.auth.file, and the
  // names that are listened on. `machine`: the machine's own name.
  WebGuard(const Config& config, std::string_view machine, const CorsPolicy* cors);

  // 403 for a request that a foreign page sent, or may have sent; nothing for others. An Origin
  // that `cors` allows is not foreign. A user's credentials make up for an unknown Host: a browser
  // has none to attach for a page of such a name. They were checked before.
  std::optional<HttpResponse> Refuse(const HttpRequest& request) const;

  // Whether a page of this server sent it: its Origin is the Host, and that is ours.
  bool IsOwnPage(const HttpRequest& request) const;

 private:
  bool IsUser(const HttpRequest& request) const;
  bool KnowsHost(std::string_view host) const;
  bool MayReadFromAfar(const HttpRequest& request) const;

  const CorsPolicy* const cors_;
  const bool authenticates_;  // there are users
  const bool jsonp_;
  bool any_host_ = false;
  StringSet hosts_;  // in lower case, without ports
};

// Whether a page of another site could have sent it as it is, without a preflight: by a link, a
// picture, a form, or fetch in mode no-cors. Not what is sent by PUT or DELETE, as JSON
// (Content-Type: application/json), with X-Requested-With, or with a token (Authorization: Bearer).
bool CanBeForged(const HttpRequest& request);

// 403, for a request that changes something and can be forged.
HttpResponse ForgeableRefused();

}  // namespace hourcell
