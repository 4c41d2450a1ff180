#include "server/cluster/relayed_connection.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include "codec/base/check.h"
#include "server/cluster/answer_tracker.h"
#include "server/cluster/relay.h"
#include "server/cluster/relay_choice.h"
#include "server/http/http_error.h"
#include "server/http/http_response.h"
#include "server/log/log.h"
#include "server/net/asio.h"
#include "server/net/nodes/host_and_port.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;

constexpr std::chrono::milliseconds kConnectPause(50);
// Retry delay after a failed proof.
constexpr std::chrono::milliseconds kProofPause(500);
// Bytes per read. Idle connections have no buffer.
constexpr size_t kReadBytes = size_t{64} << 10;

constexpr std::string_view kNobodyWrites =
    "no process writes to the store right now; send the request again";
// Time to wait for the first byte, then the first line, before routing.
constexpr std::chrono::milliseconds kFirstBytePatience(100);
constexpr std::chrono::milliseconds kFirstLinePatience(1000);

constexpr std::string_view kFollowerEnded =
    "this process ended the connection without an answer: send the request again";
constexpr std::string_view kWriterEnded =
    "the process that writes to the store ended the connection without an answer; whether it did "
    "what was asked is not known: send the request again";

bool WouldBlock(const AsioError& error) {
  return error == asio::error::would_block || error == asio::error::try_again;
}

class SocketPair : public RelayedConnection, public std::enable_shared_from_this<SocketPair> {
 public:
  SocketPair(Socket client,
             RelayHeader header,
             RelayTarget* target,
             std::function<void()> on_closed)
      : client_(std::move(client.socket)),
        server_(client_.get_executor()),
        resolver_(client_.get_executor()),
        timer_(client_.get_executor()),
        first_line_timer_(client_.get_executor()),
        header_(std::move(header)),
        target_(*target),
        on_closed_(std::move(on_closed)),
        patient_until_(std::chrono::steady_clock::now() +
                       std::chrono::milliseconds(Relay::kPatienceMs)) {}

  void Start();
  void Retarget(const std::string& why) override;
  void End(const std::string& why) override;
  int Release() override;

 private:
  // One direction.
  struct Way {
    tcp::socket* from;
    tcp::socket* to;
    std::string unsent = {};
    size_t sent = 0;  // bytes of `unsent` already sent
    bool has_ended = false;
  };

  // Wraps a handler: keeps this alive, and does nothing once the connection ends or is retargeted.
  template <typename Handler>
  auto Guarded(Handler handler) {
    return [self = shared_from_this(), attempt = attempt_,
            handler = std::move(handler)]<typename... Results>(const Results&... results)
      requires std::invocable<const Handler&, const Results&...>
    {
      if (!self->is_ending_ && self->attempt_ == attempt) handler(results...);
    };
  }

  // As Guarded, but also runs after a retarget.
  template <typename Handler>
  auto Lasting(Handler handler) {
    return [self = shared_from_this(), handler = std::move(handler)](const AsioError& error) {
      if (!self->is_ending_) handler(error);
    };
  }

  void LookAtClient();
  void OnClientSpeaks();
  void OnLooked(std::string_view bytes);
  bool IsOfRelay(std::string_view bytes);
  void ChooseWriter();
  void ChooseFollower();
  void WakeAbove(size_t bytes);
  void Abandon();
  void Connect();
  void ConnectLater(std::chrono::milliseconds pause = kConnectPause);
  void OnConnected();
  void AwaitChallenge();
  void OnChallenge();
  void OnProved();
  void Pump(Way* way);
  void OnReadable(Way* way);
  void NoteBytes(const Way* way, std::string_view bytes);
  void EndNow(const std::string& why);
  void Send(Way* way);
  void OnRefused(const Way* way);
  void OnEnd(Way* way);
  void Linger();
  void Close();

  tcp::socket client_;
  tcp::socket server_;
  tcp::resolver resolver_;
  asio::steady_timer timer_;
  asio::steady_timer first_line_timer_;
  RelayHeader header_;
  RelayTarget& target_;
  std::function<void()> on_closed_;
  const std::chrono::steady_clock::time_point patient_until_;

  Way up_{.from = &client_, .to = &server_};
  Way down_{.from = &server_, .to = &client_};
  uint64_t attempt_ = 0;     // number of the attempt to reach a server
  std::string sent_header_;  // header of this attempt
  std::string challenge_;    // received part
  RelayChoice choice_ = RelayChoice::kNeedsMore;
  size_t looked_at_ = 0;   // bytes peeked at but not read yet
  bool is_watch_ = false;  // opened by another process to watch this one; never forwarded
  bool is_connecting_ = false;
  bool is_connected_ = false;  // and both sides have proved the secret
  bool is_first_read_ = true;
  bool is_http_ = false;
  bool awaits_answer_ = false;  // bytes were sent up after the last byte came down
  AnswerTracker answers_;       // HTTP only
  bool is_ending_ = false;
  bool is_closed_ = false;
};

void SocketPair::Start() {
  AsioError ignored;
  client_.non_blocking(true, ignored);
  LookAtClient();
  if (target_.follower().empty()) return Connect();
  // Most clients send at once; waiting spares the writer a connection that is only for a query.
  timer_.expires_after(kFirstBytePatience);
  timer_.async_wait(Guarded([this](const AsioError& cancelled) {
    if (!cancelled) Connect();
  }));
}

void SocketPair::LookAtClient() {
  WakeAbove(looked_at_);
  client_.async_wait(tcp::socket::wait_read, Lasting([this](const AsioError& error) {
                       if (error) return Close();
                       if (choice_ == RelayChoice::kNeedsMore) OnClientSpeaks();
                     }));
}

void SocketPair::OnClientSpeaks() {
  std::array<char, kFirstLineBytesMax> buffer;
  AsioError error;
  const size_t size = client_.receive(asio::buffer(buffer), tcp::socket::message_peek, error);
  if (WouldBlock(error)) return LookAtClient();
  if (error && error != asio::error::eof) return Close();
  // EOF: the client has sent everything.
  if (error || size == looked_at_) return is_watch_ ? Close() : ChooseWriter();
  if (looked_at_ == 0) {
    first_line_timer_.expires_after(kFirstLinePatience);
    first_line_timer_.async_wait(Lasting([this](const AsioError& cancelled) {
      if (!cancelled && choice_ == RelayChoice::kNeedsMore && !is_watch_) ChooseWriter();
    }));
  }
  looked_at_ = size;
  OnLooked(std::string_view(buffer.data(), size));
}

void SocketPair::OnLooked(std::string_view bytes) {
  if (MayBeRelayHeader(bytes)) {
    if (IsOfRelay(bytes)) LookAtClient();
    return;
  }
  const RelayChoice choice = target_.follower().empty()
                                 ? RelayChoice::kWriter
                                 : ChooseByFirstBytes(bytes, target_.may_delete());
  if (choice == RelayChoice::kNeedsMore) return LookAtClient();
  choice == RelayChoice::kWriter ? ChooseWriter() : ChooseFollower();
}

// True if more bytes are awaited. Another process may watch this one, which may be about to become
// the writer and then proves the secret on the watch. A relay that wrongly takes this process for
// the writer is cut off: forwarded bytes would come back.
bool SocketPair::IsOfRelay(std::string_view bytes) {
  const auto parsed = ParseRelayHeader(bytes);
  if (parsed.ok() && !parsed->has_value()) return true;
  is_watch_ = parsed.ok() && (*parsed)->header.is_watch;
  if (is_watch_) {
    Abandon();
  } else {
    Close();
  }
  return is_watch_;
}

void SocketPair::ChooseWriter() {
  choice_ = RelayChoice::kWriter;
  first_line_timer_.cancel();
  WakeAbove(0);
  if (is_connected_ && up_.unsent.empty()) return Pump(&up_);
  if (is_connecting_ || is_connected_) return;
  timer_.cancel();
  Connect();
}

void SocketPair::ChooseFollower() {
  choice_ = RelayChoice::kFollower;
  first_line_timer_.cancel();
  WakeAbove(0);
  Abandon();
  Connect();
}

// Raises the low watermark, so that the socket becomes readable only when more bytes arrive or at
// EOF: bytes that are only peeked at would wake this again and again.
void SocketPair::WakeAbove(size_t bytes) {
  AsioError ignored;
  client_.set_option(asio::socket_base::receive_low_watermark(static_cast<int>(bytes + 1)),
                     ignored);
}

// Cancels handlers of this attempt by its number, so that a new one may begin.
void SocketPair::Abandon() {
  ++attempt_;
  is_connecting_ = false;
  is_connected_ = false;
  timer_.cancel();
  resolver_.cancel();
  AsioError ignored;
  server_.close(ignored);
  up_.unsent.clear();
  up_.sent = 0;
}

void SocketPair::Connect() {
  is_connecting_ = true;
  const absl::StatusOr<HostAndPort> address =
      ParseHostAndPort(choice_ == RelayChoice::kFollower ? target_.follower() : target_.writer());
  if (!address.ok()) return ConnectLater();
  timer_.expires_after(std::chrono::milliseconds(Relay::kConnectMs));
  timer_.async_wait(Guarded([this](const AsioError& cancelled) {
    if (cancelled) return;
    resolver_.cancel();
    AsioError ignored;
    server_.close(ignored);  // ends the attempt
  }));
  resolver_.async_resolve(
      address->host, address->port, tcp::resolver::numeric_service,
      Guarded([this](const AsioError& error, const tcp::resolver::results_type& found) {
        if (error) return ConnectLater();
        asio::async_connect(server_, found,
                            Guarded([this](const AsioError& failed, const tcp::endpoint&) {
                              if (failed) return ConnectLater();
                              OnConnected();
                            }));
      }));
}

void SocketPair::ConnectLater(std::chrono::milliseconds pause) {
  if (choice_ == RelayChoice::kFollower) choice_ = RelayChoice::kWriter;  // it has just ended
  AsioError ignored;
  server_.close(ignored);
  if (std::chrono::steady_clock::now() >= patient_until_) return EndNow(std::string(kNobodyWrites));
  timer_.expires_after(pause);
  timer_.async_wait(Guarded([this](const AsioError& cancelled) {
    if (!cancelled) Connect();
  }));
}

void SocketPair::OnConnected() {
  // A busy process may be as slow with its challenge as with answers.
  const auto least =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(Relay::kConnectMs);
  timer_.expires_at(std::max(patient_until_, least));
  timer_.async_wait(Guarded([this](const AsioError& cancelled) {
    AsioError ignored;
    if (!cancelled) server_.close(ignored);  // ends the attempt
  }));
  AsioError error;
  server_.non_blocking(true, error);
  server_.set_option(tcp::no_delay(true), error);
  header_.nonce = NewRelayNonce();
  sent_header_ = EncodeRelayHeader(header_);
  challenge_.clear();
  server_.write_some(asio::buffer(sent_header_), error);  // always fits the socket buffer
  if (error) return ConnectLater();
  AwaitChallenge();
}

void SocketPair::AwaitChallenge() {
  server_.async_wait(tcp::socket::wait_read, Guarded([this](const AsioError& error) {
                       if (error) return ConnectLater(kProofPause);
                       OnChallenge();
                     }));
}

void SocketPair::OnChallenge() {
  HOURCELL_DCHECK(challenge_.size() < kRelayChallengeBytes);
  std::array<char, kRelayChallengeBytes> buffer;
  AsioError error;
  const size_t size = server_.read_some(
      asio::buffer(buffer.data(), kRelayChallengeBytes - challenge_.size()), error);
  if (WouldBlock(error)) return AwaitChallenge();
  if (error) return ConnectLater(kProofPause);
  challenge_.append(buffer.data(), size);
  if (challenge_.size() < kRelayChallengeBytes) return AwaitChallenge();
  const std::string_view nonce = std::string_view(challenge_).substr(0, kRelayNonceBytes);
  const std::string_view proof = std::string_view(challenge_).substr(kRelayNonceBytes);
  if (!target_.keys().Proves(RelaySide::kAcceptor, sent_header_, nonce, proof)) {
    LogWarning("a connection is not passed on: the process at {} does not know the store's secret",
               choice_ == RelayChoice::kFollower ? target_.follower() : target_.writer());
    return ConnectLater(kProofPause);
  }
  up_.unsent = target_.keys().Prove(RelaySide::kSender, sent_header_, nonce);
  OnProved();
}

void SocketPair::OnProved() {
  HOURCELL_DCHECK(is_connecting_ && !is_connected_);
  timer_.cancel();
  is_connecting_ = false;
  is_connected_ = true;
  if (choice_ == RelayChoice::kFollower) target_.OnQuery();
  Send(&up_);
  Pump(&down_);
}

void SocketPair::Pump(Way* way) {
  if (is_ending_ || way->has_ended) return;
  if (way == &up_ && choice_ == RelayChoice::kNeedsMore) return;
  way->from->async_wait(tcp::socket::wait_read, Guarded([this, way](const AsioError& error) {
                          if (error) return OnEnd(way);
                          OnReadable(way);
                        }));
}

void SocketPair::OnReadable(Way* way) {
  std::array<char, kReadBytes> buffer;
  AsioError error;
  const size_t size = way->from->read_some(asio::buffer(buffer), error);
  if (WouldBlock(error)) return Pump(way);
  if (error) return OnEnd(way);
  const std::string_view bytes(buffer.data(), size);
  NoteBytes(way, bytes);
  if (is_ending_) return;
  way->unsent = bytes;
  way->sent = 0;
  Send(way);
}

void SocketPair::NoteBytes(const Way* way, std::string_view bytes) {
  if (way == &down_) {
    awaits_answer_ = false;
    if (is_http_) answers_.OnAnswerBytes(bytes);
    return;
  }
  awaits_answer_ = true;
  if (std::exchange(is_first_read_, false)) is_http_ = bytes.front() >= 'A' && bytes.front() <= 'Z';
  if (is_http_) answers_.OnRequestBytes(bytes);
}

void SocketPair::Send(Way* way) {
  HOURCELL_DCHECK(way->sent <= way->unsent.size());
  AsioError error;
  while (way->sent < way->unsent.size()) {
    way->sent +=
        way->to->write_some(asio::buffer(std::string_view(way->unsent).substr(way->sent)), error);
    if (error) break;
  }
  if (error && !WouldBlock(error)) return OnRefused(way);
  if (!error) {
    std::string().swap(way->unsent);
    way->sent = 0;
    return Pump(way);
  }
  way->to->async_wait(tcp::socket::wait_write, Guarded([this, way](const AsioError& failed) {
                        if (failed) return OnRefused(way);
                        Send(way);
                      }));
}

// A server that stops reading may have sent a reason: it is read before the end.
void SocketPair::OnRefused(const Way* way) {
  if (way == &down_) Close();
}

// A client at EOF may still wait for answers; a server at EOF sends nothing more.
void SocketPair::OnEnd(Way* way) {
  if (is_ending_) return;
  if (way == &down_) {
    return EndNow(std::string(choice_ == RelayChoice::kFollower ? kFollowerEnded : kWriterEnded));
  }
  way->has_ended = true;
  AsioError error;
  server_.shutdown(tcp::socket::shutdown_send, error);
  if (error) Close();
}

void SocketPair::Retarget(const std::string& why) {
  if (!is_first_read_) return End(why);
  if (is_ending_ || is_watch_ || choice_ == RelayChoice::kFollower) return;
  Abandon();
  up_.has_ended = false;  // the new server also gets the EOF
  Connect();
}

int SocketPair::Release() {
  if (is_ending_ || !is_first_read_) return -1;
  WakeAbove(0);
  AsioError error;
  const int fd = client_.release(error);
  Close();
  return error ? -1 : fd;
}

void SocketPair::End(const std::string& why) {
  if (choice_ != RelayChoice::kFollower) EndNow(why);
}

void SocketPair::EndNow(const std::string& why) {
  if (is_ending_) return;
  is_ending_ = true;
  timer_.cancel();
  first_line_timer_.cancel();
  resolver_.cancel();
  AsioError ignored;
  server_.close(ignored);
  if (is_first_read_) {
    // Nothing was forwarded yet: the first byte shows the protocol.
    char first = 0;
    AsioError error;
    const size_t size = client_.read_some(asio::buffer(&first, 1), error);
    is_http_ = size == 1 && first >= 'A' && first <= 'Z';
    awaits_answer_ = is_http_;
  }
  if (is_http_ && awaits_answer_ && answers_.is_between() && down_.unsent.empty()) {
    HttpRequest request;
    request.keep_alive = false;
    const HttpWire wire = FormatResponse(request, HttpError(503, why));
    client_.write_some(asio::buffer(wire.head + wire.body),
                       ignored);  // always fits the socket buffer
  } else if (!down_.unsent.empty()) {
    client_.write_some(asio::buffer(std::string_view(down_.unsent).substr(down_.sent)), ignored);
  }
  Linger();
}

// Closing at once with unread bytes would reset the connection and lose the answer.
void SocketPair::Linger() {
  AsioError error;
  client_.shutdown(tcp::socket::shutdown_send, error);
  if (error) return Close();
  timer_.expires_after(std::chrono::milliseconds(Relay::kLingerMs));
  timer_.async_wait([self = shared_from_this()](const AsioError& cancelled) {
    if (!cancelled) self->Close();
  });
  // Reads and discards until the client has closed.
  struct Drain {
    static void Next(const std::shared_ptr<SocketPair>& self) {
      self->client_.async_wait(tcp::socket::wait_read, [self](const AsioError& failed) {
        std::array<char, kReadBytes> dropped;
        AsioError ended = failed;
        if (!ended) self->client_.read_some(asio::buffer(dropped), ended);
        if (ended && !WouldBlock(ended)) return self->Close();
        Next(self);
      });
    }
  };
  Drain::Next(shared_from_this());
}

void SocketPair::Close() {
  is_ending_ = true;
  if (std::exchange(is_closed_, true)) return;
  timer_.cancel();
  first_line_timer_.cancel();
  resolver_.cancel();
  AsioError ignored;
  client_.close(ignored);
  server_.close(ignored);
  std::exchange(on_closed_, nullptr)();
}

}  // namespace

std::shared_ptr<RelayedConnection> StartRelayedConnection(Socket client,
                                                          RelayHeader header,
                                                          RelayTarget* target,
                                                          std::function<void()> on_closed) {
  auto pair = std::make_shared<SocketPair>(std::move(client), std::move(header), target,
                                           std::move(on_closed));
  pair->Start();
  return pair;
}

}  // namespace hourcell
