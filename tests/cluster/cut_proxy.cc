#include "tests/cluster/cut_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr int kLookMs = 20;

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int NewSocket() {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  HOURCELL_CHECK(made >= 0);
  return made;
}

void SendAtOnce(int socket_fd) {
  const int yes = 1;
  setsockopt(socket_fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

// True if there is something to read, or an end, within a moment.
bool IsReadable(int fd) {
  pollfd poll_fd{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&poll_fd, 1, kLookMs) == 1;
}

}  // namespace

CutProxy::CutProxy(uint16_t to) : to_(to), listener_(NewSocket()) {
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  HOURCELL_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  HOURCELL_CHECK(listen(listener_, SOMAXCONN) == 0);
  HOURCELL_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

CutProxy::~CutProxy() {
  is_over_ = true;
  acceptor_.join();
  close(listener_);
  Reset();
  Collect(/*all=*/true);
}

void CutProxy::Cut(bool requests, bool answers) {
  cuts_requests_ = requests;
  cuts_answers_ = answers;
}

void CutProxy::Shutdown() {
  for (const std::unique_ptr<Connection>& each : connections_) {
    shutdown(each->client, SHUT_RDWR);
    shutdown(each->server, SHUT_RDWR);
  }
}

void CutProxy::Reset() {
  MutexLock lock(&mutex_);
  Shutdown();
}

void CutProxy::Accept() {
  while (!is_over_) {
    Collect(/*all=*/false);
    if (!IsReadable(listener_)) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const int server = NewSocket();
    const sockaddr_in address = Loopback(to_);
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      close(client);
      close(server);
      continue;
    }
    SendAtOnce(client);
    SendAtOnce(server);
    auto made = std::make_unique<Connection>();
    Connection* const it = made.get();
    it->client = client;
    it->server = server;
    it->requests = std::thread([this, it] { Pass(it, it->client, it->server, cuts_requests_); });
    it->answers = std::thread([this, it] { Pass(it, it->server, it->client, cuts_answers_); });
    MutexLock lock(&mutex_);
    connections_.push_back(std::move(made));
  }
}

void CutProxy::Pass(Connection* connection, int from, int to, const std::atomic<bool>& is_cut) {
  char buffer[1 << 16];
  bool is_open = true;
  while (is_open && !is_over_) {
    if (is_cut) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
      continue;
    }
    if (!IsReadable(from)) continue;
    const ssize_t got = recv(from, buffer, sizeof buffer, 0);
    if (const int64_t ms = delay_ms_; ms > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    }
    is_open = got > 0;
    for (ssize_t sent = 0; sent < got;) {
      const ssize_t more = send(to, buffer + sent, static_cast<size_t>(got - sent), MSG_NOSIGNAL);
      is_open = more > 0;
      if (!is_open) break;
      sent += more;
    }
  }
  // One side is gone: so is the connection.
  shutdown(from, SHUT_RDWR);
  shutdown(to, SHUT_RDWR);
  --connection->running;
}

void CutProxy::Collect(bool all) {
  std::vector<std::unique_ptr<Connection>> ended;
  {
    MutexLock lock(&mutex_);
    const auto from = std::partition(
        connections_.begin(), connections_.end(),
        [all](const std::unique_ptr<Connection>& each) { return !all && each->running > 0; });
    std::move(from, connections_.end(), std::back_inserter(ended));
    connections_.erase(from, connections_.end());
  }
  for (const std::unique_ptr<Connection>& each : ended) {
    each->requests.join();
    each->answers.join();
    close(each->client);
    close(each->server);
  }
}

}  // namespace hourcell
