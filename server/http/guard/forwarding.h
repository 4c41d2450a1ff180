// Requests that come through a proxy: the address of the connection is the proxy's, and what that
// gives is not the client's.
//
// A header that proxies add (X-Forwarded-For, Forwarded, X-Real-IP, X-Forwarded-Host, Via) shows
// that there is one; whose request it is, X-Forwarded-For says where tsd.http.trusted_proxies lists
// the proxy. A proxy that adds no header looks like any client.
//
// Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "server/access/access_policy.h"
#include "server/access/access_rights.h"
#include "server/http/http_message.h"

namespace hourcell {

// What a connection gives, before any login.
struct ConnectionRights {
  AccessRights listener;  // by the address it came to
  AccessRights address;   // by the address it came from

  AccessRights all() const { return listener | address; }
};

struct RequestSource {
  AccessRights rights;  // before any login
  std::string client;   // its address; empty = that of the connection
};

// The address in "10.0.0.1", "10.0.0.1:5000", "::1" and "[::1]:5000".
std::string_view AddressWithoutPort(std::string_view text);

bool IsForwarded(const HttpRequest& request);

// Of a request that is forwarded, over a connection from `peer` (no port). None is admin by the
// connection, because anybody may reach the proxy. From a proxy that is listed it
// has what the client's own address gives, admin too, besides what the listener gives; from any
// other, what the proxy has. `policy` may be null: no proxy is listed.
RequestSource SourceOfForwarded(const HttpRequest& request,
                                const ConnectionRights& connection,
                                std::string_view peer,
                                const AccessPolicy* policy);

}  // namespace hourcell
