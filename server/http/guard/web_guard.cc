#include "server/http/guard/web_guard.h"

#include <cstddef>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "server/access/cidr.h"
#include "server/config/setting_list.h"
#include "server/http/http_error.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

// The name or address in a Host header, without port, brackets and trailing dot, in lower case.
std::string HostWithoutPort(std::string_view host) {
  std::string_view name = host;
  if (name.starts_with('[')) {
    name = name.substr(1, name.find(']') - 1);
  } else {
    name = name.substr(0, name.find(':'));
  }
  if (name.ends_with('.')) name.remove_suffix(1);
  return LowerCase(name);
}

// The rest after "http://" or "https://"; empty for other text, such as "null".
std::string_view AuthorityOf(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  }
  return {};
}

bool IsGet(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

// True if the Origin matches the Host header.
bool IsSameOrigin(const HttpRequest& request) {
  const std::string_view host = request.header("host");
  return !host.empty() &&
         EqualsIgnoringCase(AuthorityOf(request.header("origin")), LowerCase(host));
}

HttpResponse ForeignPage(std::string_view header, std::string_view value) {
  return HttpError(403, "Forbidden",
                   fmt::format("{}: expected a page of this server, or one that "
                               "tsd.http.request.cors_domains lists, got {}, another site's page",
                               header, QuoteForMessage(value)));
}

}  // namespace

WebGuard::WebGuard(const Config& config, std::string_view machine, const CorsPolicy* cors)
    : cors_(cors),
      authenticates_(!config.text("tsd.auth.file").empty()),
      jsonp_(config.boolean("tsd.http.jsonp")) {
  hosts_.insert("localhost");
  hosts_.insert(HostWithoutPort(machine));
  hosts_.insert(HostWithoutPort(machine.substr(0, machine.find('.'))));
  hosts_.insert(LowerCase(config.text("tsd.network.bind")));
  const std::string listeners = config.text("tsd.network.listeners");
  for (const std::string_view item : ListItems(listeners))
    hosts_.insert(HostWithoutPort(item));
  const std::string names = config.text("tsd.http.hosts");
  for (const std::string_view item : ListItems(names)) {
    if (item == "*") any_host_ = true;
    hosts_.insert(HostWithoutPort(item));
  }
}

std::optional<HttpResponse> WebGuard::Refuse(const HttpRequest& request) const {
  const std::string_view origin = request.header("origin");
  if (!origin.empty() && cors_->Allows(origin)) return std::nullopt;
  const std::string_view host = request.header("host");
  if (!IsUser(request) && !KnowsHost(host)) {
    return HttpError(403, "Forbidden",
                     fmt::format("Host: expected an IP address, localhost, this machine's name, or "
                                 "a name that tsd.http.hosts lists, got {}",
                                 QuoteForMessage(host)));
  }
  if (!origin.empty()) {
    return IsSameOrigin(request) ? std::nullopt : std::optional(ForeignPage("Origin", origin));
  }
  const std::string_view site = request.header("sec-fetch-site");
  const bool is_ours =
      site.empty() || EqualsIgnoringCase(site, "same-origin") || EqualsIgnoringCase(site, "none");
  if (is_ours || MayReadFromAfar(request)) return std::nullopt;
  return ForeignPage("Sec-Fetch-Site", site);
}

bool WebGuard::IsOwnPage(const HttpRequest& request) const {
  return KnowsHost(request.header("host")) && IsSameOrigin(request);
}

bool WebGuard::IsUser(const HttpRequest& request) const {
  return authenticates_ && !request.login_refused && !request.header("authorization").empty();
}

// DNS rebinding cannot redirect an address, and clients other than browsers may omit Host.
bool WebGuard::KnowsHost(std::string_view host) const {
  if (host.empty() || any_host_) return true;
  const std::string name = HostWithoutPort(host);
  return hosts_.contains(name) || name.ends_with(".localhost") ||
         IpAddress::Parse(name).has_value();
}

// True for a link that a user follows from another site, because its page does not see the
// response, and, where a setting allows it, for a script by JSONP.
bool WebGuard::MayReadFromAfar(const HttpRequest& request) const {
  if (!IsGet(request)) return false;
  if (jsonp_ && request.has_param("jsonp")) return true;
  return EqualsIgnoringCase(request.header("sec-fetch-mode"), "navigate") &&
         EqualsIgnoringCase(request.header("sec-fetch-dest"), "document");
}

bool CanBeForged(const HttpRequest& request) {
  if (request.method == "PUT" || request.method == "DELETE") return false;
  const std::string_view type = request.header("content-type");
  const std::string_view media = StripBlanks(type.substr(0, type.find(';')));
  if (EqualsIgnoringCase(media, "application/json")) return false;
  if (!request.header("x-requested-with").empty()) return false;
  const std::string_view authorization = request.header("authorization");
  return !EqualsIgnoringCase(authorization.substr(0, authorization.find(' ')), "bearer");
}

HttpResponse ForgeableRefused() {
  return HttpError(403, "Forbidden",
                   "This changes something, and any web page could have sent it; expected "
                   "Content-Type: application/json, or the header X-Requested-With");
}

}  // namespace hourcell
