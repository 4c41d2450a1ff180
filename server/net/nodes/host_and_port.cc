#include "server/net/nodes/host_and_port.h"

#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {

absl::StatusOr<HostAndPort> ParseHostAndPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  const std::string_view port =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  const bool has_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (has_brackets) host = host.substr(1, host.size() - 2);
  uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool is_port = error == std::errc() && end == port.data() + port.size() && number > 0;
  const bool is_host =
      !host.empty() && (has_brackets || host.find_first_of(":[]") == std::string_view::npos);
  if (is_port && is_host) return HostAndPort{.host = std::string(host), .port = std::string(port)};
  return absl::InvalidArgumentError(fmt::format(
      "expected host:port, an IPv6 address in brackets, got {}", QuoteForMessage(text)));
}

std::string JoinHostAndPort(std::string_view host, int port) {
  if (host.find(':') != std::string_view::npos) return fmt::format("[{}]:{}", host, port);
  return fmt::format("{}:{}", host, port);
}

}  // namespace hourcell
