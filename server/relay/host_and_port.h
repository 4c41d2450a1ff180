// HostAndPort: the two parts of "host:port". Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

struct HostAndPort {
  std::string host;  // a name or an address, without brackets
  std::string port;  // digits
  friend bool operator==(const HostAndPort&, const HostAndPort&) = default;
};

// "db1:4242", "10.0.0.1:4242" or "[::1]:4242". kInvalidArgument: got, want.
absl::StatusOr<HostAndPort> ParseHostAndPort(std::string_view text);

// The other way.
std::string JoinHostAndPort(std::string_view host, int port);

}  // namespace hourcell
