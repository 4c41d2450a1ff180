// HostAndPort: the two parts of "host:port". No I/O; thread-safe.

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

// Parses "db1:4242", "10.0.0.1:4242" or "[::1]:4242". kInvalidArgument: any other form.
absl::StatusOr<HostAndPort> ParseHostAndPort(std::string_view text);

// The inverse; adds brackets to IPv6 addresses.
std::string JoinHostAndPort(std::string_view host, int port);

}  // namespace hourcell
