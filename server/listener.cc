#include "server/listener.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <fmt/format.h>

#include "codec/base/mutex.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/asio.h"
#include "server/log.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;

// How long to wait after a failed accept: mostly there are no file descriptors left.
constexpr std::chrono::milliseconds kAcceptRetry(100);

absl::StatusOr<tcp::endpoint> ResolveEndpoint(const ListenerOptions& options,
                                              asio::io_context* context) {
  AsioError error;
  tcp::resolver resolver(*context);
  const auto results =
      resolver.resolve(options.bind, std::to_string(options.port),
                       tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || results.empty()) {
    return absl::InvalidArgumentError(fmt::format("tsd.network.bind: got {}; want an address: {}",
                                                  QuoteForMessage(options.bind), error.message()));
  }
  return results.begin()->endpoint();
}

}  // namespace

class Listener::Impl : public std::enable_shared_from_this<Listener::Impl> {
 public:
  Impl(ListenerOptions options, IoContext* io, const ConnectionContext* context)
      : options_(std::move(options)),
        io_(io),
        context_(context),
        strand_(asio::make_strand(io->context)),
        acceptor_(strand_),
        retry_timer_(strand_) {}

  absl::Status Open(Stats* stats);
  uint16_t port() const { return port_; }
  void Stop(int64_t grace_ms);

 private:
  absl::Status Bind(const tcp::endpoint& endpoint);
  void Accept();
  void OnAccepted(tcp::socket socket);
  void OnClosed(uint64_t id);
  std::vector<std::shared_ptr<Connection>> Open();

  const ListenerOptions options_;
  IoContext* const io_;
  const ConnectionContext* const context_;
  asio::any_io_executor strand_;  // of the acceptor
  tcp::acceptor acceptor_;
  asio::steady_timer retry_timer_;
  uint16_t port_ = 0;
  // Shared with the gauge, which lives as long as the registry.
  const std::shared_ptr<std::atomic<int64_t>> open_count_ =
      std::make_shared<std::atomic<int64_t>>(0);

  Mutex mutex_;
  CondVar changed_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::weak_ptr<Connection>> connections_ ABSL_GUARDED_BY(mutex_);
};

absl::Status Listener::Impl::Bind(const tcp::endpoint& endpoint) {
  AsioError error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(options_.reuse_address), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(options_.backlog, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("listen on {} port {}: {}", options_.bind, options_.port, error.message()));
}

absl::Status Listener::Impl::Open(Stats* stats) {
  HOURCELL_ASSIGN_OR_RETURN(const tcp::endpoint endpoint, ResolveEndpoint(options_, &io_->context));
  HOURCELL_RETURN_IF_ERROR(Bind(endpoint));
  StatTags tags = {{"type", "open"}};
  if (!options_.is_first) tags.emplace_back("listener", std::to_string(port_));
  stats->AddGauge("connectionmgr.connections", tags,
                  [count = open_count_] { return count->load(); });
  asio::post(strand_, [self = shared_from_this()] { self->Accept(); });
  return absl::OkStatus();
}

void Listener::Impl::Accept() {
  if (!acceptor_.is_open()) return;
  // Each connection gets a strand of its own: its handlers never run at the same time.
  const asio::any_io_executor strand = asio::make_strand(io_->context);
  acceptor_.async_accept(strand,
                         [self = shared_from_this()](const AsioError& error, tcp::socket socket) {
                           if (error == asio::error::operation_aborted) return;
                           if (!error) {
                             self->OnAccepted(std::move(socket));
                             self->Accept();
                             return;
                           }
                           self->context_->counters->accept_errors->Add(1);
                           LogWarning("accept: {}", error.message());
                           self->retry_timer_.expires_after(kAcceptRetry);
                           self->retry_timer_.async_wait([self](const AsioError& cancelled) {
                             if (!cancelled) self->Accept();
                           });
                         });
}

void Listener::Impl::OnAccepted(tcp::socket socket) {
  AsioError ignored;  // an option that cannot be set is no reason to refuse the client
  socket.set_option(tcp::no_delay(options_.tcp_no_delay), ignored);
  socket.set_option(asio::socket_base::keep_alive(options_.keep_alive), ignored);
  context_->counters->total->Add(1);

  MutexLock lock(&mutex_);
  if (stopped_) return;
  if (options_.connections_max > 0 && connections_.size() >= options_.connections_max) {
    context_->counters->rejected->Add(1);
    return;
  }
  const uint64_t id = next_id_++;
  open_count_->fetch_add(1);
  // The connection's first step is posted, so it cannot call back while the lock is held.
  connections_[id] = StartConnection({std::move(socket)}, context_, options_.rights,
                                     [self = shared_from_this(), id] { self->OnClosed(id); });
}

void Listener::Impl::OnClosed(uint64_t id) {
  MutexLock lock(&mutex_);
  connections_.erase(id);
  open_count_->fetch_sub(1);
  changed_.NotifyAll();
}

std::vector<std::shared_ptr<Connection>> Listener::Impl::Open() {
  MutexLock lock(&mutex_);
  std::vector<std::shared_ptr<Connection>> open;
  for (const auto& [id, weak] : connections_) {
    if (auto connection = weak.lock()) open.push_back(std::move(connection));
  }
  return open;
}

void Listener::Impl::Stop(int64_t grace_ms) {
  {
    MutexLock lock(&mutex_);
    stopped_ = true;
  }
  asio::post(strand_, [self = shared_from_this()] {
    AsioError ignored;
    self->acceptor_.close(ignored);
    self->retry_timer_.cancel();
  });
  for (const auto& connection : Open())
    connection->Stop();

  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(grace_ms);
  const auto wait_until_none = [this](std::chrono::steady_clock::time_point until) {
    MutexLock lock(&mutex_);
    while (!connections_.empty()) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          until - std::chrono::steady_clock::now());
      if (left.count() <= 0) return;
      changed_.WaitFor(&mutex_, left.count());
    }
  };
  wait_until_none(deadline);
  const auto still_open = Open();
  for (const auto& connection : still_open)
    connection->Abort();
  if (!still_open.empty()) wait_until_none(std::chrono::steady_clock::now() + kAcceptRetry);
}

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(const ListenerOptions& options,
                                                         IoContext* io,
                                                         const ConnectionContext* context,
                                                         Stats* stats) {
  auto impl = std::make_shared<Impl>(options, io, context);
  HOURCELL_RETURN_IF_ERROR(impl->Open(stats));
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

Listener::Listener(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Listener::~Listener() = default;

uint16_t Listener::port() const {
  return impl_->port();
}
void Listener::Stop(int64_t grace_ms) {
  impl_->Stop(grace_ms);
}

}  // namespace hourcell
