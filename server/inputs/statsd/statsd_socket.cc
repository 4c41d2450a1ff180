#include "server/inputs/statsd/statsd_socket.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include <boost/asio/ip/udp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <fmt/format.h>

#include "codec/base/mutex.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/inputs/statsd/statsd_input.h"
#include "server/net/asio.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;
using AsioError = boost::system::error_code;

// Datagrams read before other sockets have their turn.
constexpr int kDatagramsAtOnce = 256;
// Requested kernel buffer for times when the reader is busy; the kernel may grant less.
constexpr int kReceiveBufferBytes = 8 << 20;

absl::StatusOr<udp::endpoint> ResolveUdp(const std::string& bind,
                                         uint16_t port,
                                         asio::io_context* context) {
  AsioError error;
  udp::resolver resolver(*context);
  const auto results = resolver.resolve(
      bind, std::to_string(port), udp::resolver::passive | udp::resolver::numeric_service, error);
  if (error || results.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("tsd.network.bind: expected an address, got {}: {}", QuoteForMessage(bind),
                    error.message()));
  }
  return results.begin()->endpoint();
}

}  // namespace

class StatsdSocket::Impl : public std::enable_shared_from_this<StatsdSocket::Impl> {
 public:
  explicit Impl(Parts parts)
      : parts_(std::move(parts)),
        strand_(asio::make_strand(parts_.io->context)),
        socket_(strand_),
        timer_(strand_) {}

  absl::Status Bind(const udp::endpoint& endpoint) {
    AsioError error;
    socket_.open(endpoint.protocol(), error);
    if (!error) socket_.bind(endpoint, error);
    if (!error) socket_.non_blocking(true, error);
    if (!error) port_ = socket_.local_endpoint(error).port();
    if (error) {
      return absl::UnavailableError(fmt::format("listen on {} port {} for datagrams: {}",
                                                endpoint.address().to_string(), endpoint.port(),
                                                error.message()));
    }
    AsioError ignored;
    socket_.set_option(asio::socket_base::receive_buffer_size(kReceiveBufferBytes), ignored);
    return absl::OkStatus();
  }

  void Start() {
    asio::post(strand_, [self = shared_from_this()] {
      self->Wait();
      self->ScheduleFlush();
    });
  }

  uint16_t port() const { return port_; }
  void Stop();

 private:
  void Wait();
  // Reads pending datagrams, up to a limit. False: there may be more.
  bool ReadSome();
  void ScheduleFlush();

  const Parts parts_;
  asio::any_io_executor strand_;
  udp::socket socket_;
  asio::steady_timer timer_;
  uint16_t port_ = 0;
  std::array<char, kStatsdDatagramBytesMax> buffer_{};

  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

void StatsdSocket::Impl::Wait() {
  if (!socket_.is_open()) return;
  socket_.async_wait(udp::socket::wait_read, [self = shared_from_this()](const AsioError& error) {
    if (error) return;
    self->ReadSome();
    self->Wait();
  });
}

bool StatsdSocket::Impl::ReadSome() {
  for (int i = 0; i < kDatagramsAtOnce; ++i) {
    udp::endpoint sender;
    AsioError error;
    const size_t bytes = socket_.receive_from(asio::buffer(buffer_), sender, 0, error);
    if (error == asio::error::would_block) return true;
    if (error) continue;  // an ICMP error for a sent datagram; none are sent
    const std::string text = sender.address().to_string();
    const std::string address = text.substr(0, text.find('%'));  // without an IPv6 zone
    if (parts_.may_write(address)) {
      parts_.input->Take({buffer_.data(), bytes});
    } else {
      parts_.input->Refuse(fmt::format("a datagram of {}, which may not write", address));
    }
  }
  return false;
}

// The next interval begins after the points of the last one were written or lost.
void StatsdSocket::Impl::ScheduleFlush() {
  timer_.expires_after(std::chrono::seconds(parts_.input->settings().flush_s));
  timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    if (error || !self->socket_.is_open()) return;
    asio::post(self->parts_.pool->pool, [self] {
      self->parts_.input->Flush();
      asio::post(self->strand_, [self] {
        if (self->socket_.is_open()) self->ScheduleFlush();
      });
    });
  });
}

void StatsdSocket::Impl::Stop() {
  {
    MutexLock lock(&mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  asio::post(strand_, [self = shared_from_this()] {
    self->ReadSome();
    AsioError ignored;
    self->socket_.close(ignored);
    self->timer_.cancel();
    MutexLock lock(&self->mutex_);
    self->closed_ = true;
    self->changed_.NotifyAll();
  });
  {
    MutexLock lock(&mutex_);
    while (!closed_)
      changed_.Wait(&mutex_);
  }
  // Otherwise a server that restarts at once would write the same second.
  const int64_t ahead_ms = std::min<int64_t>(parts_.input->Flush(), 1000);
  if (ahead_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(ahead_ms));
}

absl::StatusOr<std::unique_ptr<StatsdSocket>> StatsdSocket::Open(const std::string& bind,
                                                                 uint16_t port,
                                                                 Parts parts) {
  HOURCELL_ASSIGN_OR_RETURN(const udp::endpoint endpoint,
                            ResolveUdp(bind, port, &parts.io->context));
  auto impl = std::make_shared<Impl>(std::move(parts));
  HOURCELL_RETURN_IF_ERROR(impl->Bind(endpoint));
  impl->Start();
  return std::unique_ptr<StatsdSocket>(new StatsdSocket(std::move(impl)));
}

StatsdSocket::StatsdSocket(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
StatsdSocket::~StatsdSocket() = default;

uint16_t StatsdSocket::port() const {
  return impl_->port();
}
void StatsdSocket::Stop() {
  impl_->Stop();
}

}  // namespace hourcell
