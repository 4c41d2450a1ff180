// Requests that come through a proxy: the connection's address is the proxy's, so its rights are
// not the client's.
//
// A header that proxies add (X-Forwarded-For, Forwarded, X-Real-IP, X-Forwarded-Host, Via) reveals
// a proxy. If tsd.http.trusted_proxies lists the proxy, X-Forwarded-For names the client. A proxy
// that adds no header looks like any client.
//
// No I/O; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "server/access/access_policy.h"
#include "server/access/access_rights.h"
#include "server/http/http_message.h"

namespace hourcell {

// The rights of a connection before any login.
struct ConnectionRights {
  AccessRights listener;  // of the address that the client connected to
  AccessRights address;   // of the client's address
  bool is_local = false;  // the client is on this machine

  AccessRights all() const { return listener | address; }
};

struct RequestSource {
  AccessRights rights;  // before any login
  std::string client;   // its address; empty = the connection's
};

bool IsForwarded(const HttpRequest& request);

// The source of a forwarded request over a connection from `peer` (no port). The connection alone
// never gives admin rights, because any client may reach the proxy. From a listed proxy, the
// request has the rights of the listener and those of the client's own address, including admin;
// from any other proxy, the rights of the proxy. `policy` may be null: no proxy is listed.
RequestSource SourceOfForwarded(const HttpRequest& request,
                                const ConnectionRights& connection,
                                std::string_view peer,
                                const AccessPolicy* policy);

}  // namespace hourcell
