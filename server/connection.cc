#include "server/connection.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/asio.h"
#include "server/http_intake.h"
#include "server/http_login.h"
#include "server/http_response.h"
#include "server/http_task.h"
#include "server/send_window.h"
#include "server/socket_peer.h"
#include "server/socket_reader.h"
#include "server/socket_writer.h"
#include "server/tls_session.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;

constexpr std::string_view kTlsRequired =
    "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 16\r\n\r\nTLS is required\n";

class SocketConnection : public Connection,
                         public SocketWriter::Owner,
                         public std::enable_shared_from_this<SocketConnection> {
 public:
  SocketConnection(Socket socket,
                   const ConnectionContext* context,
                   AccessRights rights,
                   std::function<void()> on_closed);

  void Stop() override;
  void Abort() override;
  void Start();

  void OnSent(size_t bytes) override;
  void OnAllSent() override;
  void OnBroken() override { Close(); }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Where an HTTP connection stands.
  enum class HttpState : uint8_t { kReading, kAnswering, kSending };

  void WaitForInput();
  void OnReadable();
  void ReadSome();
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
  void AbandonTelnet();
  void PumpHttp();
  void JudgeLargeBody();
  void JudgeBodyOfKnown();
  bool is_in_handshake() const { return tls_.has_value() && !tls_->is_established(); }
  std::optional<TimePoint> due() const;
  void WatchRequest();
  void OnRequestDue();
  void Answer(HttpTask task);
  void CheckLogin(Login login, std::function<void(LoginAnswer)> then);
  void AnswerKnown(HttpTask task);
  void AnswerIn(WorkerPool* pool, HttpTask task);
  void RefuseHttp();
  void SendResponse(HttpWire wire);
  void Cut();
  void WatchClient();
  void LookAtClient();

  void Send(std::string bytes);
  void Queue(std::string bytes);
  void Write();

  void CloseAfterFlush();
  void Linger();
  void CloseIn(int64_t ms);
  void WatchIdle();
  void Touch() { last_activity_ = std::chrono::steady_clock::now(); }
  void Close();

  Socket owned_socket_;
  tcp::socket& socket_;  // in it
  SocketWriter writer_;
  const ConnectionContext* const context_;
  const AccessRights rights_;  // before any login
  std::function<void()> on_closed_;
  asio::steady_timer idle_timer_;
  asio::steady_timer close_timer_;
  asio::steady_timer telnet_timer_;
  asio::steady_timer client_timer_;
  asio::steady_timer request_timer_;
  TimePoint last_activity_;

  bool has_begun_ = false;  // the first byte is here
  std::optional<TlsSession> tls_;
  TimePoint tls_begun_at_;
  std::optional<TelnetSession> telnet_;  // one of the two once the first byte is here
  std::optional<HttpIntake> http_;
  HttpState http_state_ = HttpState::kReading;
  bool is_pumping_ = false;             // requests that are here are being served
  std::shared_ptr<SendWindow> window_;  // of the answer the pool makes
  int hung_up_looks_ = 0;               // in a row
  bool client_is_watched_ = false;      // its timer runs
  bool request_is_watched_ = false;     // its timer runs
  bool telnet_waits_ = false;           // for its need
  bool settle_is_due_ = false;          // the timer runs for that

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
    : owned_socket_(std::move(socket)),
      socket_(owned_socket_.socket),
      writer_(&owned_socket_),
      context_(context),
      rights_(rights | (context->access == nullptr
                            ? AccessRights()
                            : context->access->RightsAt(PeerAddress(socket_.native_handle())))),
      on_closed_(std::move(on_closed)),
      idle_timer_(socket_.get_executor()),
      close_timer_(socket_.get_executor()),
      telnet_timer_(socket_.get_executor()),
      client_timer_(socket_.get_executor()),
      request_timer_(socket_.get_executor()) {
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

// Once, and then the others get a turn: a full buffer of lines is milliseconds of work.
void SocketConnection::OnReadable() {
  if (WantsInput()) ReadSome();
  if (WantsInput()) WaitForInput();
}

void SocketConnection::ReadSome() {
  const SocketInput input = ReadSocket(&owned_socket_);
  if (input.kind == SocketInput::Kind::kEnd) {
    input_ended_ = true;
    OnEndOfInput();
  } else if (input.kind == SocketInput::Kind::kBroken) {
    Close();
  }
  if (input.bytes.empty()) return;
  Touch();
  context_->counters->bytes_in->Add(input.bytes.size());
  if (!lingering_) OnBytes(input.bytes);
}

void SocketConnection::OnBytes(std::string_view bytes) {
  if (!std::exchange(has_begun_, true)) {
    if (context_->tls != nullptr && bytes.front() == kTlsFirstByte) {
      tls_.emplace(*context_->tls);
      tls_begun_at_ = std::chrono::steady_clock::now();
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
  writer_.Queue(std::move(wire));
  Write();
  if (!status.ok()) {
    context_->counters->tls_failed->Add(1);
    CloseAfterFlush();
  } else if (!plain.empty() && !closed_) {
    TakePlain(plain);
  } else {
    WatchRequest();
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
      http_.emplace(HttpIntake::Limits{.body_bytes_max = context_->body_bytes_max,
                                       .timeout_ms = context_->request_timeout_ms,
                                       .memory = context_->body_memory});
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
  } else if (http_.has_value() && http_->Finish() == HttpIntake::Event::kError) {
    RefuseHttp();
  } else {
    CloseAfterFlush();
  }
}

void SocketConnection::TakeTelnet(std::string_view bytes) {
  std::string replies;
  telnet_->Take(bytes, writer_.unsent_bytes(), &replies);
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
  if (closed_) return;  // by that: Close has seen to what the session needs
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
  telnet_->Resume(writer_.unsent_bytes(), &replies);
  if (closed_) {
    AbandonTelnet();
    return;
  }
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

// Nobody is there to be answered. What is being committed is counted all the same.
void SocketConnection::AbandonTelnet() {
  telnet_->Abandon();
  if (telnet_->need() == TelnetSession::Need::kCommit) WaitInPool();
}

// Serves the requests that are here, until one has to be waited for.
void SocketConnection::PumpHttp() {
  if (is_pumping_) return;  // a response was sent at once: the loop goes on
  is_pumping_ = true;
  while (http_state_ == HttpState::kReading && !closing_ && !closed_) {
    const HttpIntake::Event event = http_->Next(std::chrono::steady_clock::now());
    if (event == HttpIntake::Event::kNeedMore) break;
    if (event == HttpIntake::Event::kLargeBody) JudgeLargeBody();
    if (event == HttpIntake::Event::kContinue) Send("HTTP/1.1 100 Continue\r\n\r\n");
    if (event == HttpIntake::Event::kRequest) {
      Answer({context_, http_->TakeRequest(), http_->TakeHold(), &stopping_});
    }
    if (event == HttpIntake::Event::kError) RefuseHttp();
  }
  is_pumping_ = false;
  WatchRequest();
}

// Who may not do what a request asks for need not send its body.
void SocketConnection::JudgeLargeBody() {
  const std::optional<Login> login = BeginLogin(context_->authenticator, rights_, http_->head());
  if (!login.has_value()) {
    JudgeBodyOfKnown();
    return;
  }
  http_state_ = HttpState::kAnswering;  // nothing is read meanwhile
  CheckLogin(*login, [this](LoginAnswer answer) {
    EndLogin(answer, rights_, http_->head());
    http_state_ = HttpState::kReading;
    JudgeBodyOfKnown();
    PumpHttp();
    if (WantsInput()) WaitForInput();
  });
}

void SocketConnection::JudgeBodyOfKnown() {
  if (context_->http_api == nullptr) return;
  std::optional<HttpResponse> refusal = context_->http_api->RefuseUnread(*http_->head());
  if (!refusal.has_value()) return;
  context_->counters->bodies_refused->Add(1);
  refusal->close = true;
  SendResponse(FormatResponse(*http_->head(), *std::move(refusal)));
}

// When the handshake, or the request that was begun, must be here.
std::optional<SocketConnection::TimePoint> SocketConnection::due() const {
  if (is_in_handshake()) {
    if (context_->request_timeout_ms == 0) return std::nullopt;
    return tls_begun_at_ + std::chrono::milliseconds(context_->request_timeout_ms);
  }
  if (!http_.has_value() || http_state_ != HttpState::kReading) return std::nullopt;
  return http_->due();
}

void SocketConnection::WatchRequest() {
  if (request_is_watched_ || closed_ || closing_) return;
  const std::optional<TimePoint> when = due();
  if (!when.has_value()) return;
  request_is_watched_ = true;
  request_timer_.expires_at(*when);
  request_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    self->request_is_watched_ = false;
    if (!error) self->OnRequestDue();
  });
}

void SocketConnection::OnRequestDue() {
  if (closed_ || closing_) return;
  const std::optional<TimePoint> when = due();
  if (!when.has_value() || *when > std::chrono::steady_clock::now()) {
    WatchRequest();  // it is here, and perhaps another was begun; or more of its body is
  } else if (is_in_handshake()) {
    context_->counters->tls_timed_out->Add(1);
    context_->counters->timed_out->Add(1);
    Close();  // it has nothing yet in which an answer could go
  } else {
    http_->Expire();
    RefuseHttp();
  }
}

void SocketConnection::Answer(HttpTask task) {
  context_->counters->http_requests->Add(1);
  http_state_ = HttpState::kAnswering;
  const std::optional<Login> login = BeginLogin(context_->authenticator, rights_, &task.request());
  if (!login.has_value()) {
    AnswerKnown(std::move(task));
    return;
  }
  const auto asked = std::make_shared<HttpTask>(std::move(task));
  CheckLogin(*login, [this, asked](LoginAnswer answer) {
    EndLogin(answer, rights_, &asked->request());
    AnswerKnown(std::move(*asked));
  });
}

// `then` is called on the strand, unless the connection is closed by then.
void SocketConnection::CheckLogin(Login login, std::function<void(LoginAnswer)> then) {
  asio::post(context_->login_pool->pool,
             [self = shared_from_this(), remote = PeerText(socket_.native_handle()),
              login = std::move(login), then = std::move(then)]() mutable {
               const LoginAnswer answer = self->context_->authenticator->Check(login, remote);
               asio::post(self->socket_.get_executor(), [self, answer, then = std::move(then)] {
                 if (!self->closed_) then(answer);
               });
             });
}

// Of a client whose rights are known.
void SocketConnection::AnswerKnown(HttpTask task) {
  WorkerPool* const pool = task.Enter();
  if (pool != nullptr) {
    AnswerIn(pool, std::move(task));
    return;
  }
  window_ = nullptr;
  SendResponse(task.Answer());
}

void SocketConnection::AnswerIn(WorkerPool* pool, HttpTask task) {
  task.request().remote = PeerText(socket_.native_handle());
  window_ = std::make_shared<SendWindow>();
  hung_up_looks_ = 0;
  WatchClient();
  asio::post(
      pool->pool, [self = shared_from_this(), window = window_, asked = std::move(task)]() mutable {
        const auto post_send = [&self](std::string bytes) {
          asio::post(self->socket_.get_executor(),
                     [self, bytes = std::move(bytes)]() mutable { self->Send(std::move(bytes)); });
        };
        HttpWire rest = asked.AnswerTo({.window = window, .send = post_send});
        asio::post(self->socket_.get_executor(), [self, rest = std::move(rest)]() mutable {
          if (rest.cut) {
            self->Cut();
          } else {
            self->SendResponse(std::move(rest));
          }
        });
      });
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
  if (std::exchange(client_is_watched_, true)) return;
  client_timer_.expires_after(std::chrono::milliseconds(kLookMs));
  client_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    self->client_is_watched_ = false;
    if (error || self->closed_ || self->http_state_ == HttpState::kReading) return;
    self->LookAtClient();
    if (!self->closed_) self->WatchClient();
  });
}

void SocketConnection::LookAtClient() {
  const bool hung_up = PeerHungUp(socket_.native_handle());
  hung_up_looks_ = hung_up ? hung_up_looks_ + 1 : 0;
  // What no query prints is answered all the same: the client may have ended its input only.
  if (hung_up_looks_ == kLooksToBelieve && window_ != nullptr) window_->Close();

  if (context_->send_timeout_ms > 0 &&
      writer_.stalled_for() >= std::chrono::milliseconds(context_->send_timeout_ms)) {
    context_->counters->timed_out->Add(1);
    Cut();
  }
}

void SocketConnection::RefuseHttp() {
  context_->counters->OfHttpError(http_->error_status())->Add(1);
  SendResponse(FormatResponse({}, http_->ErrorResponse()));
}

void SocketConnection::SendResponse(HttpWire wire) {
  http_state_ = HttpState::kSending;
  http_->Release();
  if (wire.close) closing_ = true;
  // Both go out in one write.
  Queue(std::move(wire.head));
  Queue(std::move(wire.body));
  if (writer_.is_writing()) return;
  if (!writer_.has_queued()) {
    OnAllSent();  // the end of a stream need not have a byte
    return;
  }
  Write();
  if (writer_.is_writing()) WatchClient();
}

void SocketConnection::Send(std::string bytes) {
  if (closed_) return;
  Queue(std::move(bytes));
  Write();
}

void SocketConnection::Queue(std::string bytes) {
  if (closed_) return;
  if (!tls_.has_value() || bytes.empty()) {
    writer_.Queue(std::move(bytes));
    return;
  }
  std::string wire;
  if (tls_->Send(bytes, &wire)) writer_.Queue(std::move(wire));
}

void SocketConnection::Write() {
  if (!closed_) writer_.Write(shared_from_this());
}

void SocketConnection::OnSent(size_t bytes) {
  Touch();
  context_->counters->bytes_out->Add(bytes);
  if (window_ != nullptr) window_->Sent(bytes);
}

void SocketConnection::OnAllSent() {
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
  if (!writer_.is_writing()) {
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
  request_timer_.cancel();
  if (window_ != nullptr) window_->Close();
  if (telnet_.has_value() && !telnet_waits_) AbandonTelnet();
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
