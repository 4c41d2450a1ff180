#include "server/ports/listener.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "codec/base/mutex.h"
#include "codec/base/status_macros.h"
#include "server/log/log.h"
#include "server/net/asio.h"
#include "server/net/connection_quota.h"
#include "server/net/socket_peer.h"
#include "server/net/spare_descriptor.h"
#include "server/ports/reactors.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;

// Pause after a failed accept: usually all file descriptors are in use.
constexpr std::chrono::milliseconds kAcceptRetry(100);
// The most connections accepted in one step.
constexpr int kAcceptedAtOnceMax = 64;
// The most waiting connections refused after one failed accept.
constexpr int kRefusedAtOnceMax = 256;
// Pause between log lines about failed accepts.
constexpr std::chrono::seconds kAcceptLogPause(10);

}  // namespace

ListenOptions ListenOptionsOf(const Config& config, const ListenAddress& address) {
  return {.bind = address.bind,
          .port = address.port,
          .backlog = static_cast<int>(config.integer("tsd.network.backlog")),
          .reuse_address = config.boolean("tsd.network.reuse_address")};
}

ListenerOptions ListenerOptionsOf(const Config& config, AccessRights rights, bool is_first) {
  return {.tcp_no_delay = config.boolean("tsd.network.tcp_no_delay"),
          .keep_alive = config.boolean("tsd.network.keep_alive"),
          .connections_max =
              static_cast<size_t>(config.integer("tsd.network.connections.per_listener")),
          .rights = rights,
          .is_first = is_first};
}

absl::StatusOr<std::vector<ListenSocket>> OpenListenSockets(const Config& config,
                                                            const AccessPolicy& access) {
  std::vector<ListenSocket> sockets;
  for (const ListenAddress& address : access.listeners()) {
    HOURCELL_ASSIGN_OR_RETURN(ListenSocket socket,
                              ListenSocket::Open(ListenOptionsOf(config, address)));
    sockets.push_back(std::move(socket));
  }
  return sockets;
}

class Listener::Impl : public std::enable_shared_from_this<Listener::Impl> {
 public:
  Impl(ListenSocket socket,
       ListenerOptions options,
       Reactors* reactors,
       const ConnectionContext* context)
      : options_(std::move(options)),
        reactors_(reactors),
        context_(context),
        port_(socket.port()),
        protocol_(socket.is_ipv6() ? tcp::v6() : tcp::v4()),
        acceptor_(reactors->acceptor().context, protocol_, socket.Release()),
        retry_timer_(reactors->acceptor().context) {}

  void Open(Stats* stats);
  uint16_t port() const { return port_; }
  void Take(OwnedDescriptor connection);
  size_t Stop(int64_t grace_ms);
  void SkipDrain();

 private:
  // A connection, and the reactor that it entered.
  struct Client {
    size_t reactor = 0;
    std::weak_ptr<Connection> connection;
  };

  void Accept();
  void AcceptWaiting();
  void OnAcceptFailed(const AsioError& error);
  void OnAccepted(tcp::socket socket, size_t reactor);
  bool IsWelcome(const std::string& address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnClosed(uint64_t id, const std::string& address);
  std::vector<std::shared_ptr<Connection>> Open();

  const ListenerOptions options_;
  Reactors* const reactors_;
  const ConnectionContext* const context_;
  const uint16_t port_;
  const tcp protocol_;
  tcp::acceptor acceptor_;
  asio::steady_timer retry_timer_;
  SpareDescriptor spare_;  // used by the thread that accepts
  std::chrono::steady_clock::time_point log_after_;
  // Shared with the gauge, which lives as long as the registry.
  const std::shared_ptr<std::atomic<int64_t>> open_count_ =
      std::make_shared<std::atomic<int64_t>>(0);

  Mutex mutex_;
  CondVar changed_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool skips_drain_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Client> connections_ ABSL_GUARDED_BY(mutex_);
};

void Listener::Impl::Open(Stats* stats) {
  StatTags tags = {{"type", "open"}};
  if (!options_.is_first) tags.emplace_back("listener", std::to_string(port_));
  stats->AddGauge("connectionmgr.connections", tags,
                  [count = open_count_] { return count->load(); });
  asio::post(acceptor_.get_executor(), [self = shared_from_this()] {
    AsioError error;
    self->acceptor_.non_blocking(true, error);
    self->Accept();
  });
}

// Waits without a socket for the client: a pending step then holds none of a reactor.
void Listener::Impl::Accept() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_wait(tcp::acceptor::wait_read,
                       [self = shared_from_this()](const AsioError& error) {
                         if (!error) self->AcceptWaiting();
                       });
}

void Listener::Impl::AcceptWaiting() {
  for (int i = 0; i < kAcceptedAtOnceMax && acceptor_.is_open(); ++i) {
    const size_t reactor = reactors_->Enter();
    tcp::socket socket(reactors_->at(reactor).context);
    AsioError error;
    acceptor_.accept(socket, error);
    if (!error) {
      OnAccepted(std::move(socket), reactor);
      continue;
    }
    reactors_->Leave(reactor);
    if (error == asio::error::connection_aborted) continue;  // the client has gone meanwhile
    if (error == asio::error::would_block || error == asio::error::try_again) break;
    OnAcceptFailed(error);
    return;
  }
  Accept();
}

void Listener::Impl::Take(OwnedDescriptor connection) {
  const size_t reactor = reactors_->Enter();
  tcp::socket socket(reactors_->at(reactor).context);
  AsioError error;
  socket.assign(protocol_, connection.get(), error);
  if (error) {
    reactors_->Leave(reactor);
    return;
  }
  connection.Release();
  OnAccepted(std::move(socket), reactor);
}

void Listener::Impl::OnAcceptFailed(const AsioError& error) {
  if (!acceptor_.is_open()) return;
  const ConnectionCounters& counters = *context_->counters;
  counters.accept_errors->Add(1);
  const auto now = std::chrono::steady_clock::now();
  if (now >= log_after_) LogWarning("accept: {}", error.message());
  if (now >= log_after_) log_after_ = now + kAcceptLogPause;
  if (error == asio::error::no_descriptors || error.value() == ENFILE) {
    const int refused = spare_.RefuseWaiting(acceptor_.native_handle(), kRefusedAtOnceMax);
    counters.total->Add(static_cast<uint64_t>(refused));
    counters.rejected->Add(static_cast<uint64_t>(refused));
    counters.rejected_descriptors->Add(static_cast<uint64_t>(refused));
  }
  retry_timer_.expires_after(kAcceptRetry);
  retry_timer_.async_wait([self = shared_from_this()](const AsioError& cancelled) {
    if (!cancelled) self->Accept();
  });
}

void Listener::Impl::OnAccepted(tcp::socket socket, size_t reactor) {
  AsioError ignored;  // a client is served even if an option fails
  socket.set_option(tcp::no_delay(options_.tcp_no_delay), ignored);
  if (options_.keep_alive) ProbePeer(socket.native_handle());
  context_->counters->total->Add(1);
  const std::string address = PeerAddress(socket.native_handle());

  MutexLock lock(&mutex_);
  if (stopped_ || !IsWelcome(address)) {
    reactors_->Leave(reactor);
    return;
  }
  const uint64_t id = next_id_++;
  open_count_->fetch_add(1);
  // The connection's first step is posted, and waits for the lock if it calls back.
  Client& client = connections_[id];
  client.reactor = reactor;
  client.connection =
      StartConnection({std::move(socket)}, context_, options_.rights,
                      [self = shared_from_this(), id, address] { self->OnClosed(id, address); });
}

// Counts a refused client. An accepted one must leave the quota later.
bool Listener::Impl::IsWelcome(const std::string& address) {
  const ConnectionCounters& counters = *context_->counters;
  Counter* reason = nullptr;
  if (options_.connections_max > 0 && connections_.size() >= options_.connections_max) {
    reason = counters.rejected_listener;
  } else if (context_->quota != nullptr) {
    const ConnectionQuota::Verdict verdict = context_->quota->Enter(address);
    if (verdict == ConnectionQuota::Verdict::kTooMany) reason = counters.rejected_total;
    if (verdict == ConnectionQuota::Verdict::kTooManyOfAddress) reason = counters.rejected_address;
  }
  if (reason == nullptr) return true;
  counters.rejected->Add(1);
  reason->Add(1);
  return false;
}

void Listener::Impl::OnClosed(uint64_t id, const std::string& address) {
  if (context_->quota != nullptr) context_->quota->Leave(address);
  MutexLock lock(&mutex_);
  const auto client = connections_.find(id);
  reactors_->Leave(client->second.reactor);
  connections_.erase(client);
  open_count_->fetch_sub(1);
  changed_.NotifyAll();
}

std::vector<std::shared_ptr<Connection>> Listener::Impl::Open() {
  MutexLock lock(&mutex_);
  std::vector<std::shared_ptr<Connection>> open;
  for (const auto& [id, client] : connections_) {
    if (auto connection = client.connection.lock()) open.push_back(std::move(connection));
  }
  return open;
}

size_t Listener::Impl::Stop(int64_t grace_ms) {
  {
    MutexLock lock(&mutex_);
    stopped_ = true;
  }
  asio::post(acceptor_.get_executor(), [self = shared_from_this()] {
    AsioError ignored;
    self->acceptor_.close(ignored);
    self->retry_timer_.cancel();
  });
  for (const auto& connection : Open())
    connection->Stop();

  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(grace_ms);
  const auto wait_until_none = [this](std::chrono::steady_clock::time_point until, bool patiently) {
    MutexLock lock(&mutex_);
    while (!connections_.empty() && !(patiently && skips_drain_)) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          until - std::chrono::steady_clock::now());
      if (left.count() <= 0) return;
      changed_.WaitFor(&mutex_, left.count());
    }
  };
  wait_until_none(deadline, /*patiently=*/true);
  const auto still_open = Open();
  for (const auto& connection : still_open)
    connection->Abort();
  if (!still_open.empty()) {
    wait_until_none(std::chrono::steady_clock::now() + kAcceptRetry, /*patiently=*/false);
  }
  return still_open.size();
}

void Listener::Impl::SkipDrain() {
  MutexLock lock(&mutex_);
  skips_drain_ = true;
  changed_.NotifyAll();
}

std::unique_ptr<Listener> Listener::Open(ListenSocket socket,
                                         const ListenerOptions& options,
                                         Reactors* reactors,
                                         const ConnectionContext* context,
                                         Stats* stats) {
  auto impl = std::make_shared<Impl>(std::move(socket), options, reactors, context);
  impl->Open(stats);
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

Listener::Listener(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Listener::~Listener() = default;

uint16_t Listener::port() const {
  return impl_->port();
}
void Listener::Take(OwnedDescriptor connection) {
  impl_->Take(std::move(connection));
}
size_t Listener::Stop(int64_t grace_ms) {
  return impl_->Stop(grace_ms);
}
void Listener::SkipDrain() {
  impl_->SkipDrain();
}

}  // namespace hourcell
