#include "server/connection.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "server/asio.h"
#include "server/body_stream.h"
#include "server/body_writer.h"
#include "server/http_answer.h"
#include "server/http_error.h"
#include "server/http_login.h"
#include "server/http_parser.h"
#include "server/http_response.h"
#include "server/send_window.h"
#include "server/socket_peer.h"
#include "server/tls_session.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;

constexpr std::string_view kTlsRequired =
    "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 16\r\n\r\nTLS is required\n";

// Full buffers read from one connection before the others get a turn.
constexpr int kReadsInARowMax = 4;

std::span<char> ThreadReadBuffer() {
  thread_local const auto buffer = std::make_unique_for_overwrite<char[]>(kReadBytesMax);
  return {buffer.get(), kReadBytesMax};
}

class SocketConnection : public Connection, public std::enable_shared_from_this<SocketConnection> {
 public:
  SocketConnection(Socket socket,
                   const ConnectionContext* context,
                   AccessRights rights,
                   std::function<void()> on_closed);

  void Stop() override;
  void Abort() override;
  void Start();

 private:
  // Where an HTTP connection stands.
  enum class HttpState : uint8_t { kReading, kAnswering, kSending };

  void WaitForInput();
  void OnReadable();
  // Reads once. False if nothing more is to be read for now.
  bool ReadSome();
  bool WantsInput() const;
  void OnBytes(std::string_view bytes);
  void TakeTls(std::string_view bytes);
  void TakePlain(std::string_view bytes);
  void RefusePlain();
  void OnEndOfInput();

  void TakeTelnet(std::string_view bytes);
  void EndTelnet();
  void ServeTelnet(std::string replies);
  void WaitInPool();
  void ResumeTelnet();
  void SettleTelnetLater();
  void PumpHttp();
  void Answer(HttpRequest request);
  void CheckHttpLogin(HttpRequest request, Login login);
  void AnswerKnown(HttpRequest request);
  void AnswerInPool(HttpRequest request);
  HttpResponse ResponseTo(HttpRequest* request) const;
  void RefuseHttp();
  void SendResponse(HttpWire wire);
  void Cut();
  void WatchClient();
  void LookAtClient();

  void Send(std::string bytes);
  void Queue(std::string bytes);
  void QueueWire(std::string bytes);
  void WriteQueued();
  void WriteRest(std::vector<asio::const_buffer> buffers);
  void CountSentUpTo(size_t total);
  void CountSent(size_t bytes);
  void OnWritten();
  void OnFlushed();

  void CloseAfterFlush();
  void Linger();
  void CloseIn(int64_t ms);
  void WatchIdle();
  void Touch() { last_activity_ = std::chrono::steady_clock::now(); }
  void Close();

  tcp::socket socket_;
  const ConnectionContext* const context_;
  const AccessRights rights_;  // before any login
  std::function<void()> on_closed_;
  asio::steady_timer idle_timer_;
  asio::steady_timer close_timer_;
  asio::steady_timer telnet_timer_;
  asio::steady_timer client_timer_;
  std::chrono::steady_clock::time_point last_activity_;
  std::chrono::steady_clock::time_point last_sent_;  // or nothing was unsent until then

  bool has_begun_ = false;  // the first byte is here
  std::optional<TlsSession> tls_;
  std::optional<TelnetSession> telnet_;  // one of the two once the first byte is here
  std::optional<HttpParser> http_;
  HttpState http_state_ = HttpState::kReading;
  bool is_pumping_ = false;             // requests that are here are being served
  std::shared_ptr<SendWindow> window_;  // of the answer the pool makes
  int hung_up_looks_ = 0;               // in a row
  bool telnet_waits_ = false;           // for its need
  bool settle_is_due_ = false;          // the timer runs for that

  std::vector<std::string> queued_;   // to be written next
  std::vector<std::string> sending_;  // being written
  size_t unsent_bytes_ = 0;           // of both
  size_t counted_bytes_ = 0;          // of the write under way, as sent

  bool waiting_ = false;      // for input
  bool input_ended_ = false;  // the client sends no more
  bool closing_ = false;      // once all is sent
  bool lingering_ = false;    // all is sent; input is dropped
  bool closed_ = false;
  std::atomic<bool> stopping_ = false;
};

SocketConnection::SocketConnection(Socket socket,
                                   const ConnectionContext* context,
                                   AccessRights rights,
                                   std::function<void()> on_closed)
    : socket_(std::move(socket.socket)),
      context_(context),
      rights_(rights | (context->access == nullptr
                            ? AccessRights()
                            : context->access->RightsAt(PeerAddress(socket_.native_handle())))),
      on_closed_(std::move(on_closed)),
      idle_timer_(socket_.get_executor()),
      close_timer_(socket_.get_executor()),
      telnet_timer_(socket_.get_executor()),
      client_timer_(socket_.get_executor()) {
  Touch();
}

void SocketConnection::Start() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    AsioError error;
    self->socket_.non_blocking(true, error);
    if (error) {
      self->Close();
      return;
    }
    self->WatchIdle();
    self->WaitForInput();
  });
}

void SocketConnection::Stop() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->stopping_ = true;
    if (self->telnet_.has_value()) {
      self->EndTelnet();
    } else if (self->http_state_ == HttpState::kReading) {
      self->CloseAfterFlush();
    }  // else a response on its way closes the connection when it is sent
  });
}

void SocketConnection::Abort() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->Close(); });
}

// Waiting without a buffer keeps idle connections small.
void SocketConnection::WaitForInput() {
  if (waiting_ || closed_ || input_ended_) return;
  if (tls_.has_value() && tls_->client_finished()) {
    input_ended_ = true;
    OnEndOfInput();
    return;
  }
  waiting_ = true;
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](const AsioError& error) {
    self->waiting_ = false;
    if (error) {
      self->Close();
    } else {
      self->OnReadable();
    }
  });
}

bool SocketConnection::WantsInput() const {
  if (closed_ || input_ended_) return false;
  return lingering_ || (!closing_ && !telnet_waits_ && http_state_ == HttpState::kReading);
}

void SocketConnection::OnReadable() {
  for (int i = 0; i < kReadsInARowMax && WantsInput(); ++i) {
    if (!ReadSome()) break;
  }
  if (WantsInput()) WaitForInput();
}

bool SocketConnection::ReadSome() {
  const std::span<char> buffer = ThreadReadBuffer();
  AsioError error;
  const size_t size = socket_.read_some(asio::buffer(buffer.data(), buffer.size()), error);
  if (error == asio::error::would_block || error == asio::error::try_again) return false;
  if (error == asio::error::eof) {
    input_ended_ = true;
    OnEndOfInput();
    return false;
  }
  if (error) {
    Close();
    return false;
  }
  Touch();
  context_->counters->bytes_in->Add(size);
  if (!lingering_) OnBytes({buffer.data(), size});
  return size == buffer.size();
}

void SocketConnection::OnBytes(std::string_view bytes) {
  if (!std::exchange(has_begun_, true)) {
    if (context_->tls != nullptr && bytes.front() == kTlsFirstByte) {
      tls_.emplace(*context_->tls);
    } else if (context_->tls_required) {
      RefusePlain();
      return;
    }
  }
  if (tls_.has_value()) {
    TakeTls(bytes);
  } else {
    TakePlain(bytes);
  }
}

void SocketConnection::TakeTls(std::string_view bytes) {
  std::string plain;
  std::string wire;
  const absl::Status status = tls_->Take(bytes, &plain, &wire);
  QueueWire(std::move(wire));
  if (sending_.empty()) WriteQueued();
  if (!status.ok()) {
    context_->counters->tls_failed->Add(1);
    CloseAfterFlush();
  } else if (!plain.empty() && !closed_) {
    TakePlain(plain);
  }
}

void SocketConnection::RefusePlain() {
  context_->counters->tls_required->Add(1);
  Send(std::string(kTlsRequired));
  CloseAfterFlush();
}

void SocketConnection::TakePlain(std::string_view bytes) {
  if (!telnet_.has_value() && !http_.has_value()) {
    if (bytes.front() >= 'A' && bytes.front() <= 'Z') {
      http_.emplace(context_->body_bytes_max);
    } else {
      telnet_.emplace(context_->tsdb, context_->telnet, context_->telnet_counters, rights_);
    }
  }
  if (telnet_.has_value()) {
    TakeTelnet(bytes);
  } else {
    http_->Feed(bytes);
    PumpHttp();
  }
}

void SocketConnection::OnEndOfInput() {
  if (lingering_) {
    Close();
  } else if (telnet_.has_value()) {
    EndTelnet();
  } else if (http_.has_value() && http_->Finish() == HttpParser::Event::kError) {
    RefuseHttp();
  } else {
    CloseAfterFlush();
  }
}

void SocketConnection::TakeTelnet(std::string_view bytes) {
  std::string replies;
  telnet_->Take(bytes, unsent_bytes_, &replies);
  ServeTelnet(std::move(replies));
}

// The client ends, or the server stops. Where the session waits, what it waits for comes first.
void SocketConnection::EndTelnet() {
  if (closed_ || closing_ || telnet_waits_) return;
  telnet_->Finish();
  ServeTelnet({});
}

// Sends what the session answered and does what it needs.
void SocketConnection::ServeTelnet(std::string replies) {
  Send(std::move(replies));
  if (telnet_->closed()) {
    telnet_timer_.cancel();
    CloseAfterFlush();
    return;
  }
  if (telnet_->need() == TelnetSession::Need::kCommit ||
      telnet_->need() == TelnetSession::Need::kLogin) {
    WaitInPool();
  } else if (telnet_->need() == TelnetSession::Need::kPause) {
    telnet_waits_ = true;
    settle_is_due_ = false;
    telnet_timer_.expires_after(std::chrono::milliseconds(kThrottlePauseMs));
    telnet_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
      if (!error) self->ResumeTelnet();
    });
  } else {
    SettleTelnetLater();
  }
}

// Meets the session's need where it may take long.
void SocketConnection::WaitInPool() {
  telnet_waits_ = true;
  const bool is_login = telnet_->need() == TelnetSession::Need::kLogin;
  WorkerPool* const pool = is_login ? context_->login_pool : context_->commit_pool;
  asio::post((pool != nullptr ? pool : context_->pool)->pool,
             [self = shared_from_this(), is_login,
              remote = is_login ? PeerText(socket_.native_handle()) : std::string()] {
               is_login ? self->telnet_->CheckLogin(remote) : self->telnet_->WaitForCommits();
               asio::post(self->socket_.get_executor(), [self] { self->ResumeTelnet(); });
             });
}

void SocketConnection::ResumeTelnet() {
  telnet_waits_ = false;
  Touch();  // it is we who took our time
  std::string replies;
  telnet_->Resume(unsent_bytes_, &replies);
  if (closed_) return;  // what was committed is counted all the same
  ServeTelnet(std::move(replies));
  if (stopping_) EndTelnet();
  if (WantsInput()) WaitForInput();
}

void SocketConnection::SettleTelnetLater() {
  if (settle_is_due_ || !telnet_->has_commits_under_way()) return;
  settle_is_due_ = true;
  telnet_timer_.expires_after(std::chrono::milliseconds(kSettleMs));
  telnet_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    if (error) return;
    self->settle_is_due_ = false;
    if (self->closed_ || self->telnet_waits_ || self->telnet_->closed()) return;
    self->telnet_->Settle();
    self->ServeTelnet({});
  });
}

// Serves the requests that are here, until one has to be waited for.
void SocketConnection::PumpHttp() {
  if (is_pumping_) return;  // a response was sent at once: the loop goes on
  is_pumping_ = true;
  while (http_state_ == HttpState::kReading && !closing_ && !closed_) {
    const HttpParser::Event event = http_->Next();
    if (event == HttpParser::Event::kNeedMore) break;
    if (event == HttpParser::Event::kContinue) Send("HTTP/1.1 100 Continue\r\n\r\n");
    if (event == HttpParser::Event::kRequest) Answer(http_->TakeRequest());
    if (event == HttpParser::Event::kError) RefuseHttp();
  }
  is_pumping_ = false;
}

void SocketConnection::Answer(HttpRequest request) {
  context_->counters->http_requests->Add(1);
  http_state_ = HttpState::kAnswering;
  std::optional<Login> login = BeginLogin(context_->authenticator, rights_, &request);
  if (login.has_value()) {
    CheckHttpLogin(std::move(request), *std::move(login));
  } else {
    AnswerKnown(std::move(request));
  }
}

void SocketConnection::CheckHttpLogin(HttpRequest request, Login login) {
  asio::post(context_->login_pool->pool,
             [self = shared_from_this(), remote = PeerText(socket_.native_handle()),
              asked = std::move(request), login = std::move(login)]() mutable {
               EndLogin(self->context_->authenticator->Check(login, remote), self->rights_, &asked);
               asio::post(self->socket_.get_executor(), [self, asked = std::move(asked)]() mutable {
                 if (!self->closed_) self->AnswerKnown(std::move(asked));
               });
             });
}

// Of a client whose rights are known.
void SocketConnection::AnswerKnown(HttpRequest request) {
  if (MayTakeLong(request)) {
    AnswerInPool(std::move(request));
    return;
  }
  SendResponse(FormatResponse(request, CompleteBody(ResponseTo(&request))));
}

void SocketConnection::AnswerInPool(HttpRequest request) {
  request.remote = PeerText(socket_.native_handle());
  window_ = std::make_shared<SendWindow>();
  hung_up_looks_ = 0;
  WatchClient();
  asio::post(context_->pool->pool, [self = shared_from_this(), window = window_,
                                    asked = std::move(request)]() mutable {
    const auto post_send = [&self](std::string bytes) {
      asio::post(self->socket_.get_executor(),
                 [self, bytes = std::move(bytes)]() mutable { self->Send(std::move(bytes)); });
    };
    HttpResponse response = self->ResponseTo(&asked);
    HttpWire rest = SendBody(asked, std::move(response), {.window = window, .send = post_send});
    asio::post(self->socket_.get_executor(), [self, rest = std::move(rest)]() mutable {
      if (rest.cut) {
        self->Cut();
      } else {
        self->SendResponse(std::move(rest));
      }
    });
  });
}

HttpResponse SocketConnection::ResponseTo(HttpRequest* request) const {
  HttpResponse response = context_->answer != nullptr ? context_->answer(request)
                                                      : AnswerRequest(context_->body_bytes_max,
                                                                      context_->http_api, request);
  if (stopping_) response.close = true;
  return response;
}

// A response that was begun cannot be finished. In chunks, or compressed, it shows that its end is
// missing; for clients that read until the connection ends, it ends with a reset.
void SocketConnection::Cut() {
  AsioError ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  Close();
}

// Looks at the client now and then, until it has its response.
void SocketConnection::WatchClient() {
  client_timer_.expires_after(std::chrono::milliseconds(kLookMs));
  client_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    if (error || self->closed_ || self->http_state_ == HttpState::kReading) return;
    self->LookAtClient();
    if (!self->closed_) self->WatchClient();
  });
}

void SocketConnection::LookAtClient() {
  const bool hung_up = PeerHungUp(socket_.native_handle());
  hung_up_looks_ = hung_up ? hung_up_looks_ + 1 : 0;
  // What no query prints is answered all the same: the client may have ended its input only.
  if (hung_up_looks_ == kLooksToBelieve) window_->Close();

  const auto stalled = std::chrono::steady_clock::now() - last_sent_;
  if (context_->send_timeout_ms > 0 && unsent_bytes_ > 0 &&
      stalled >= std::chrono::milliseconds(context_->send_timeout_ms)) {
    context_->counters->timed_out->Add(1);
    Cut();
  }
}

void SocketConnection::RefuseHttp() {
  context_->counters->http_malformed->Add(1);
  HttpResponse response = HttpError(http_->error_status(), http_->error_text());
  response.close = true;
  SendResponse(FormatResponse({}, std::move(response)));
}

void SocketConnection::SendResponse(HttpWire wire) {
  http_state_ = HttpState::kSending;
  if (wire.close) closing_ = true;
  // Both go out in one write.
  Queue(std::move(wire.head));
  Queue(std::move(wire.body));
  if (!sending_.empty()) return;
  if (queued_.empty()) {
    OnFlushed();  // the end of a stream need not have a byte
  } else {
    WriteQueued();
  }
}

void SocketConnection::Send(std::string bytes) {
  if (closed_) return;
  Queue(std::move(bytes));
  if (sending_.empty()) WriteQueued();
}

void SocketConnection::Queue(std::string bytes) {
  if (!tls_.has_value() || bytes.empty()) {
    QueueWire(std::move(bytes));
    return;
  }
  std::string wire;
  if (tls_->Send(bytes, &wire)) QueueWire(std::move(wire));
}

// Bytes as the network has them.
void SocketConnection::QueueWire(std::string bytes) {
  if (bytes.empty() || closed_) return;
  if (unsent_bytes_ == 0) last_sent_ = std::chrono::steady_clock::now();
  unsent_bytes_ += bytes.size();
  queued_.push_back(std::move(bytes));
}

void SocketConnection::WriteQueued() {
  if (closed_ || queued_.empty()) return;
  sending_ = std::exchange(queued_, {});
  std::vector<asio::const_buffer> buffers;
  for (const std::string& bytes : sending_)
    buffers.push_back(asio::buffer(bytes));
  // What the socket takes at once needs no other thread to be woken for its end.
  AsioError error;
  size_t sent = socket_.write_some(buffers, error);
  if (error && error != asio::error::would_block && error != asio::error::try_again) {
    Close();
    return;
  }
  Touch();
  for (asio::const_buffer& buffer : buffers) {
    const size_t taken = std::min(sent, buffer.size());
    CountSent(taken);
    sent -= taken;
    buffer += taken;
  }
  if (asio::buffer_size(buffers) == 0) {
    OnWritten();
  } else {
    WriteRest(std::move(buffers));
  }
}

void SocketConnection::WriteRest(std::vector<asio::const_buffer> buffers) {
  counted_bytes_ = 0;
  const auto progress = [self = shared_from_this()](const AsioError& error, size_t sent) {
    self->Touch();
    self->CountSentUpTo(sent);
    return asio::transfer_all()(error, 0);
  };
  asio::async_write(socket_, std::move(buffers), progress,
                    [self = shared_from_this()](const AsioError& error, size_t sent) {
                      self->CountSentUpTo(sent);
                      if (error) {
                        self->sending_.clear();
                        self->Close();
                      } else {
                        self->OnWritten();
                      }
                    });
}

void SocketConnection::CountSentUpTo(size_t total) {
  CountSent(total - counted_bytes_);
  counted_bytes_ = total;
}

void SocketConnection::CountSent(size_t bytes) {
  if (bytes == 0) return;
  last_sent_ = std::chrono::steady_clock::now();
  context_->counters->bytes_out->Add(bytes);
  unsent_bytes_ -= std::min(bytes, unsent_bytes_);
  if (window_ != nullptr) window_->Sent(bytes);
}

// All of sending_ is written.
void SocketConnection::OnWritten() {
  sending_.clear();
  if (queued_.empty()) {
    OnFlushed();
  } else {
    WriteQueued();
  }
}

void SocketConnection::OnFlushed() {
  if (closed_) return;
  if (http_state_ == HttpState::kSending) {
    http_state_ = HttpState::kReading;
    if (stopping_) closing_ = true;
    if (!closing_ && !is_pumping_) {
      PumpHttp();  // what a pipelining client sent behind the request
      if (WantsInput()) WaitForInput();
    }
  }
  if (closing_ && http_state_ == HttpState::kReading) Linger();
}

void SocketConnection::CloseAfterFlush() {
  if (closed_ || lingering_) return;
  closing_ = true;
  if (sending_.empty()) {
    Linger();
  } else {
    CloseIn(kFlushMs);
  }
}

void SocketConnection::Linger() {
  if (closed_ || lingering_) return;
  lingering_ = true;
  AsioError error;
  if (tls_.has_value()) {
    std::string wire;
    tls_->Finish(&wire);
    // All is sent, so there is room for a few bytes; if not the client sees a cut.
    if (!wire.empty()) socket_.write_some(asio::buffer(wire), error);
  }
  socket_.shutdown(tcp::socket::shutdown_send, error);
  if (error || input_ended_) {
    Close();
    return;
  }
  CloseIn(stopping_ ? kStopLingerMs : kLingerMs);
  WaitForInput();
}

void SocketConnection::CloseIn(int64_t ms) {
  close_timer_.expires_after(std::chrono::milliseconds(ms));
  close_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    if (!error) self->Close();
  });
}

void SocketConnection::WatchIdle() {
  if (context_->idle_timeout_s == 0 || closed_) return;
  const auto deadline = last_activity_ + std::chrono::seconds(context_->idle_timeout_s);
  idle_timer_.expires_at(deadline);
  idle_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    if (error) return;
    const auto idle = std::chrono::steady_clock::now() - self->last_activity_;
    const bool answering = self->http_state_ == HttpState::kAnswering || self->telnet_waits_;
    if (answering) self->Touch();  // it is we who take our time
    if (!answering && idle >= std::chrono::seconds(self->context_->idle_timeout_s)) {
      self->context_->counters->timed_out->Add(1);
      self->Close();
    } else {
      self->WatchIdle();
    }
  });
}

void SocketConnection::Close() {
  if (closed_) return;
  closed_ = true;
  AsioError ignored;
  socket_.close(ignored);
  idle_timer_.cancel();
  close_timer_.cancel();
  telnet_timer_.cancel();
  client_timer_.cancel();
  if (window_ != nullptr) window_->Close();
  if (telnet_.has_value() && !telnet_waits_ && telnet_->has_commits_under_way()) {
    telnet_->Settle();  // so that they are counted
    WaitInPool();
  }
  std::exchange(on_closed_, nullptr)();
}

}  // namespace

std::shared_ptr<Connection> StartConnection(Socket socket,
                                            const ConnectionContext* context,
                                            AccessRights rights,
                                            std::function<void()> on_closed) {
  auto connection =
      std::make_shared<SocketConnection>(std::move(socket), context, rights, std::move(on_closed));
  connection->Start();
  return connection;
}

}  // namespace hourcell
