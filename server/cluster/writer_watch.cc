#include "server/cluster/writer_watch.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include "codec/base/named_thread.h"
#include "server/log/log.h"
#include "server/net/asio.h"
#include "server/net/nodes/host_and_port.h"
#include "server/net/nodes/relay_header.h"
#include "server/net/socket_peer.h"

// Why a refusal counts only after the process was reached: nothing ever listens at a wrong or
// firewalled address, and its writer would be replaced again and again.

namespace hourcell {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

}  // namespace

// Only start and end run on other threads; all else runs on this thread.
class WriterWatch::Impl {
 public:
  Impl(std::shared_ptr<const RelayKeys> keys,
       std::function<void(const std::string& address)> on_gone)
      : keys_(std::move(keys)),
        on_gone_(std::move(on_gone)),
        keep_running_(context_.get_executor()),
        thread_("hc-watch", [this] { context_.run(); }) {}
  ~Impl() {
    context_.stop();
    thread_.Join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void SetWriter(const std::string& address) {
    asio::post(context_, [this, address] {
      if (address == address_) return;
      address_ = address;
      was_reached_ = false;
      refusals_ = 0;
      pause_ms_ = 0;
      Begin();
    });
  }

 private:
  // Wraps a handler: does nothing once another attempt has begun.
  template <typename Handler>
  auto Guarded(Handler handler) {
    return [this, attempt = attempt_,
            handler = std::move(handler)]<typename... Results>(const Results&... results)
      requires std::invocable<const Handler&, const Results&...>
    {
      if (attempt_ == attempt) handler(results...);
    };
  }

  void Begin();
  void BeginIn(int64_t ms);
  void OnTried(const AsioError& error);
  void Listen();
  void OnBytes(std::string_view bytes);
  void OnEnd();
  void OnRefused();

  const std::shared_ptr<const RelayKeys> keys_;
  const std::function<void(const std::string& address)> on_gone_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> keep_running_;
  tcp::resolver resolver_{context_};
  tcp::socket socket_{context_};
  asio::steady_timer timer_{context_};
  std::string address_;
  uint64_t attempt_ = 0;
  bool was_reached_ = false;  // and has not announced its stop
  int refusals_ = 0;          // consecutive
  int64_t pause_ms_ = 0;      // before the next attempt
  steady_clock::time_point reached_at_;
  std::string header_;     // of this attempt
  std::string challenge_;  // received part
  std::array<char, 64> said_ = {};
  NamedThread thread_;
};

void WriterWatch::Impl::Begin() {
  ++attempt_;
  timer_.cancel();
  resolver_.cancel();
  AsioError ignored;
  socket_.close(ignored);
  const absl::StatusOr<HostAndPort> parts = ParseHostAndPort(address_);
  if (!parts.ok()) return;
  resolver_.async_resolve(
      parts->host, parts->port, tcp::resolver::numeric_service,
      Guarded([this](const AsioError& error, const tcp::resolver::results_type& found) {
        if (error) return OnTried(error);
        asio::async_connect(
            socket_, found,
            Guarded([this](const AsioError& failed, const tcp::endpoint&) { OnTried(failed); }));
      }));
}

void WriterWatch::Impl::BeginIn(int64_t ms) {
  timer_.expires_after(milliseconds(ms));
  timer_.async_wait(Guarded([this](const AsioError& cancelled) {
    if (!cancelled) Begin();
  }));
}

void WriterWatch::Impl::OnTried(const AsioError& error) {
  if (error == asio::error::connection_refused && was_reached_) return OnRefused();
  if (error) return BeginIn(kPauseMaxMs);
  refusals_ = 0;
  was_reached_ = true;
  reached_at_ = steady_clock::now();
  ProbePeer(socket_.native_handle());
  header_ = EncodeRelayHeader({.address = "0.0.0.0", .nonce = NewRelayNonce(), .is_watch = true});
  challenge_.clear();
  AsioError failed;
  socket_.write_some(asio::buffer(header_), failed);  // always fits the socket buffer
  Listen();
}

void WriterWatch::Impl::Listen() {
  socket_.async_read_some(asio::buffer(said_), Guarded([this](const AsioError& error, size_t size) {
                            if (error) return OnEnd();
                            OnBytes(std::string_view(said_.data(), size));
                          }));
}

// Takes the challenge, which a process sends only once it is the writer, then the stop notice.
void WriterWatch::Impl::OnBytes(std::string_view bytes) {
  const bool is_proved = challenge_.size() == kRelayChallengeBytes;
  if (is_proved) was_reached_ = false;  // it stops
  if (is_proved) return Listen();
  const size_t taken = std::min(bytes.size(), kRelayChallengeBytes - challenge_.size());
  challenge_ += bytes.substr(0, taken);
  if (challenge_.size() < kRelayChallengeBytes) return Listen();
  const std::string_view nonce = std::string_view(challenge_).substr(0, kRelayNonceBytes);
  const std::string_view proof = std::string_view(challenge_).substr(kRelayNonceBytes);
  if (!keys_->Proves(RelaySide::kAcceptor, header_, nonce, proof)) {
    LogWarning("the process at {} does not know the store's secret, and is not watched", address_);
    was_reached_ = false;
    AsioError ignored;
    socket_.close(ignored);
    return BeginIn(kPauseMaxMs);
  }
  AsioError failed;
  socket_.write_some(asio::buffer(keys_->Prove(RelaySide::kSender, header_, nonce)), failed);
  if (bytes.size() > taken) return OnBytes(bytes.substr(taken));
  Listen();
}

// A live process may have closed the connection, so the pause between attempts grows.
void WriterWatch::Impl::OnEnd() {
  if (!was_reached_) return BeginIn(kPauseMaxMs);
  if (steady_clock::now() - reached_at_ >= milliseconds(kPauseMaxMs)) pause_ms_ = 0;
  const int64_t pause_ms = pause_ms_;
  pause_ms_ = std::clamp(2 * pause_ms_, kRefusedPauseMs, kPauseMaxMs);
  if (pause_ms == 0) return Begin();
  BeginIn(pause_ms);
}

void WriterWatch::Impl::OnRefused() {
  if (++refusals_ < 2) return BeginIn(kRefusedPauseMs);
  LogInfo("nobody listens at {} any more: the process that wrote to the store is gone", address_);
  was_reached_ = false;
  BeginIn(kPauseMaxMs);
  on_gone_(address_);
}

WriterWatch::WriterWatch(std::shared_ptr<const RelayKeys> keys,
                         std::function<void(const std::string& address)> on_gone)
    : impl_(std::make_unique<Impl>(std::move(keys), std::move(on_gone))) {}
WriterWatch::~WriterWatch() = default;

void WriterWatch::SetWriter(const std::string& address) {
  impl_->SetWriter(address);
}

}  // namespace hourcell
