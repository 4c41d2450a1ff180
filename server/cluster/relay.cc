#include "server/cluster/relay.h"

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include "codec/base/check.h"
#include "codec/base/named_thread.h"
#include "server/cluster/relayed_connection.h"
#include "server/log/log.h"
#include "server/net/asio.h"
#include "server/net/nodes/host_and_port.h"
#include "server/net/socket_peer.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;

constexpr std::chrono::milliseconds kAcceptRetry(100);
constexpr std::chrono::milliseconds kGonePatience(200);

constexpr std::string_view kAnotherWrites =
    "another process writes to the store now; whether the one before did what was asked is not "
    "known: send the request again";
constexpr std::string_view kStops =
    "this process does not pass requests on any more; whether the one that it was passed on to did "
    "what was asked is not known: send the request again";

// Converts mapped addresses: "127.0.0.1:50000" is a client that came by IPv4.
RelayHeader HeaderOf(const tcp::endpoint& client, size_t listener) {
  asio::ip::address address = client.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return {.address = address.to_string(),
          .port = client.port(),
          .listener = static_cast<uint8_t>(listener),
          .nonce = {}};
}

}  // namespace

// Only start and end run on other threads; all else runs on this thread.
class Relay::Impl : public RelayTarget {
 public:
  explicit Impl(RelayOptions options)
      : options_(std::move(options)),
        quota_(options_.quota),
        keep_running_(context_.get_executor()) {}

  void Start(std::vector<ListenSocket> sockets) {
    for (ListenSocket& socket : sockets) {
      const tcp protocol = socket.is_ipv6() ? tcp::v6() : tcp::v4();
      acceptors_.emplace_back(context_, protocol, socket.Release());
    }
    for (size_t i = 0; i < acceptors_.size(); ++i)
      asio::post(context_, [this, i] { Accept(i); });
    thread_.emplace("hc-relay", [this] { context_.run(); });
  }

  const std::string& writer() const override { return writer_; }

  void SetWriter(const std::string& address) {
    asio::post(context_, [this, address] {
      if (address == writer_) return;
      // Forwarding to itself would loop.
      writer_ = address == options_.own_address ? "" : address;
      if (writer_.empty()) {
        LogInfo("connections wait: it is not known which process writes to the store");
      } else {
        LogInfo("connections are passed on to {}, which writes to the store", writer_);
      }
      const auto open = connections_;  // a copy: calls may close connections
      for (const auto& [id, one] : open)
        one.connection->Retarget(std::string(kAnotherWrites));
    });
  }

  const std::string& follower() const override { return follower_; }
  bool may_delete() const override { return options_.may_delete; }
  const RelayKeys& keys() const override { return *options_.keys; }
  void OnQuery() override { ++queries_; }

  void SetFollower(const std::string& address) {
    asio::post(context_, [this, address] {
      follower_ = address;
      if (!address.empty()) LogInfo("queries are answered by this process, beside the writer");
    });
  }
  uint64_t queries() const { return queries_; }

  void Probe(std::function<void()> works) { asio::post(context_, std::move(works)); }

  size_t connections() const { return quota_.total(); }

  RelayRest Stop();
  void Finish();

 private:
  void Accept(size_t listener);
  void OnAccepted(tcp::socket socket, size_t listener);
  void EndAll(std::string_view why);

  const RelayOptions options_;
  ConnectionQuota quota_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> keep_running_;
  std::vector<tcp::acceptor> acceptors_;
  std::string writer_;
  std::string follower_;
  std::atomic<uint64_t> queries_ = 0;
  uint64_t next_id_ = 0;
  std::atomic<bool> is_stopped_ = false;  // set by Stop
  bool is_stopping_ = false;
  struct Open {
    std::shared_ptr<RelayedConnection> connection;
    size_t listener = 0;
  };
  std::map<uint64_t, Open> connections_;
  std::promise<void> is_empty_;  // set when all connections have closed after Stop
  std::optional<NamedThread> thread_;
};

void Relay::Impl::Accept(size_t listener) {
  if (is_stopping_) return;
  acceptors_[listener].async_accept([this, listener](const AsioError& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) OnAccepted(std::move(socket), listener);
    if (!error) return Accept(listener);
    auto timer = std::make_shared<asio::steady_timer>(context_, kAcceptRetry);
    timer->async_wait([this, timer, listener](const AsioError&) { Accept(listener); });
  });
}

void Relay::Impl::OnAccepted(tcp::socket socket, size_t listener) {
  HOURCELL_DCHECK(context_.get_executor().running_in_this_thread());
  HOURCELL_DCHECK(listener < acceptors_.size());
  AsioError error;
  const tcp::endpoint client = socket.remote_endpoint(error);
  if (error) return;
  socket.set_option(tcp::no_delay(true), error);
  ProbePeer(socket.native_handle());
  const std::string address = PeerAddress(socket.native_handle());
  if (quota_.Enter(address) != ConnectionQuota::Verdict::kWelcome) return;
  const uint64_t id = next_id_++;
  const auto on_closed = [this, id, address] {
    quota_.Leave(address);
    // Posted, because the connection that calls this is still in use.
    asio::post(context_, [this, id] {
      connections_.erase(id);
      if (is_stopping_ && connections_.empty()) is_empty_.set_value();
    });
  };
  connections_[id] = {.connection = StartRelayedConnection(
                          {std::move(socket)}, HeaderOf(client, listener), this, on_closed),
                      .listener = listener};
}

void Relay::Impl::EndAll(std::string_view why) {
  HOURCELL_DCHECK(context_.get_executor().running_in_this_thread());
  const auto open = connections_;
  for (const auto& [id, one] : open)
    one.connection->End(std::string(why));
}

RelayRest Relay::Impl::Stop() {
  RelayRest rest;
  if (is_stopped_.exchange(true)) return rest;
  std::promise<void> is_released;
  asio::post(context_, [&] {
    is_stopping_ = true;
    for (tcp::acceptor& acceptor : acceptors_) {
      AsioError error;
      const int fd = acceptor.release(error);  // also cancels the pending accept
      if (!error) rest.sockets.emplace_back(fd);
    }
    for (const auto& [id, one] : connections_) {
      const int fd = one.connection->Release();
      if (fd >= 0) rest.clients.push_back({OwnedDescriptor(fd), one.listener});
    }
    EndAll(kStops);
    if (connections_.empty()) is_empty_.set_value();
    is_released.set_value();
  });
  is_released.get_future().wait();
  return rest;
}

void Relay::Impl::Finish() {
  // Each ends after kLingerMs, or after its answer.
  is_empty_.get_future().wait_for(std::chrono::milliseconds(kAnswersMs));
  keep_running_.reset();
  context_.stop();
  thread_.reset();
}

std::unique_ptr<Relay> Relay::Start(std::vector<ListenSocket> sockets, RelayOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  impl->Start(std::move(sockets));
  return std::unique_ptr<Relay>(new Relay(std::move(impl)));
}

Relay::Relay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Relay::~Relay() {
  impl_->Stop();
  impl_->Finish();
}

void Relay::SetWriter(const std::string& address) {
  impl_->SetWriter(address);
}
void Relay::SetFollower(const std::string& address) {
  impl_->SetFollower(address);
}
uint64_t Relay::queries() const {
  return impl_->queries();
}
void Relay::Probe(std::function<void()> works) {
  impl_->Probe(std::move(works));
}
size_t Relay::connections() const {
  return impl_->connections();
}
RelayRest Relay::Stop() {
  return impl_->Stop();
}

bool NothingListensAt(const std::string& address) {
  const absl::StatusOr<HostAndPort> parts = ParseHostAndPort(address);
  if (!parts.ok()) return false;
  asio::io_context context;
  tcp::resolver resolver(context);
  tcp::socket socket(context);
  AsioError result = asio::error::timed_out;
  resolver.async_resolve(
      parts->host, parts->port, tcp::resolver::numeric_service,
      [&](const AsioError& error, const tcp::resolver::results_type& found) {
        if (error) return;
        asio::async_connect(
            socket, found, [&](const AsioError& failed, const tcp::endpoint&) { result = failed; });
      });
  context.run_for(kGonePatience);
  return result == asio::error::connection_refused;
}

}  // namespace hourcell
