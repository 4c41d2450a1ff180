#include "server/net/socket_peer.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <fmt/format.h>

namespace hourcell {
namespace {

struct PeerName {
  char address[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "";
};

PeerName NameOf(int fd) {
  PeerName name;
  sockaddr_storage peer = {};
  socklen_t size = sizeof peer;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return name;
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&peer), size, name.address, sizeof name.address,
                  name.port, sizeof name.port, NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  return name;
}

}  // namespace

std::string PeerAddress(int fd) {
  const std::string address = NameOf(fd).address;
  return address.substr(0, address.find('%'));  // without an IPv6 zone
}

std::string PeerText(int fd) {
  const PeerName name = NameOf(fd);
  const std::string address = name.address;
  if (address.empty()) return {};
  return address.find(':') == std::string::npos ? fmt::format("{}:{}", address, name.port)
                                                : fmt::format("[{}]:{}", address, name.port);
}

bool PeerHungUp(int fd) {
  pollfd look{.fd = fd, .events = POLLRDHUP, .revents = 0};
  return poll(&look, 1, 0) == 1 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

// An option that cannot be set keeps the system's value; the client is served all the same.
void ProbePeer(int fd) {
  const auto set = [fd](int level, int name, int value) {
    setsockopt(fd, level, name, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kProbeAfterS);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kProbeEveryS);
  set(IPPROTO_TCP, TCP_KEEPCNT, kProbes);
}

}  // namespace hourcell
