#include "server/http/guard/forwarding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>
#include <vector>

#include "server/access/cidr.h"
#include "server/config/setting_list.h"

namespace hourcell {
namespace {

constexpr std::string_view kForwardedFor = "x-forwarded-for";
constexpr std::array<std::string_view, 5> kProxyHeaders = {kForwardedFor, "forwarded", "x-real-ip",
                                                           "x-forwarded-host", "via"};

AccessRights WithoutAdmin(AccessRights rights) {
  if (!rights.Covers(AccessRights::Admin())) return rights;
  return AccessRights::Read() | AccessRights::Write();
}

// Each proxy appends the address of its client, so clients may forge all entries before the last
// listed proxy's. Empty: that entry is not an address.
std::string ClientOf(const HttpRequest& request, const AccessPolicy& policy) {
  std::string_view client;
  for (const auto& [name, value] : std::views::reverse(request.headers)) {
    if (name != kForwardedFor) continue;
    const std::vector<std::string_view> items = ListItems(value);
    for (const std::string_view item : std::views::reverse(items)) {
      client = AddressWithoutPort(item);
      if (!IpAddress::Parse(client).has_value()) return {};
      if (!policy.IsTrustedProxy(client)) return std::string(client);
    }
  }
  return std::string(client);
}

}  // namespace

bool IsForwarded(const HttpRequest& request) {
  return std::ranges::any_of(request.headers, [](const auto& header) {
    return std::ranges::find(kProxyHeaders, header.first) != kProxyHeaders.end();
  });
}

RequestSource SourceOfForwarded(const HttpRequest& request,
                                const ConnectionRights& connection,
                                std::string_view peer,
                                const AccessPolicy* policy) {
  if (policy == nullptr || !policy->IsTrustedProxy(peer)) {
    return {.rights = WithoutAdmin(connection.all()), .client = {}};
  }
  RequestSource source{.rights = WithoutAdmin(connection.listener),
                       .client = ClientOf(request, *policy)};
  source.rights = source.rights | policy->RightsAt(source.client);
  return source;
}

}  // namespace hourcell
