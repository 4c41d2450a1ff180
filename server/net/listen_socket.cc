#include "server/net/listen_socket.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

using boost::asio::ip::tcp;
using AsioError = boost::system::error_code;

// The local address of the socket; its family is 0 if it is closed.
sockaddr_storage OwnNameOf(int fd) {
  sockaddr_storage name;
  std::memset(&name, 0, sizeof name);
  socklen_t size = sizeof name;
  getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size);
  return name;
}

}  // namespace

absl::StatusOr<ListenSocket> ListenSocket::Open(const ListenOptions& options) {
  boost::asio::io_context context;
  AsioError error;
  tcp::resolver resolver(context);
  const auto found =
      resolver.resolve(options.bind, std::to_string(options.port),
                       tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || found.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("tsd.network.bind: expected an address, got {}: {}",
                    QuoteForMessage(options.bind), error.message()));
  }
  const tcp::endpoint endpoint = found.begin()->endpoint();
  tcp::acceptor acceptor(context);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(options.reuse_address), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(options.backlog, error);
  if (!error) return ListenSocket(acceptor.release(error));
  return absl::UnavailableError(
      fmt::format("listen on {} port {}: {}", options.bind, options.port, error.message()));
}

uint16_t ListenSocket::port() const {
  const sockaddr_storage name = OwnNameOf(fd_.get());
  if (name.ss_family == AF_INET6) {
    sockaddr_in6 ipv6;
    std::memcpy(&ipv6, &name, sizeof ipv6);
    return ntohs(ipv6.sin6_port);
  }
  sockaddr_in ipv4;
  std::memcpy(&ipv4, &name, sizeof ipv4);
  return ntohs(ipv4.sin_port);
}

bool ListenSocket::is_ipv6() const {
  return OwnNameOf(fd_.get()).ss_family == AF_INET6;
}

}  // namespace hourcell
