#include "server/api/http_session.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/access/cidr.h"
#include "server/access/series_allowance.h"
#include "server/api/http_context.h"
#include "server/api/http_dispatch.h"
#include "server/api/http_job.h"
#include "server/api/http_login.h"
#include "server/http/body/send_window.h"
#include "server/http/http_response.h"
#include "server/http/request_reader.h"
#include "server/net/asio.h"
#include "server/net/transport.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using AsioError = boost::system::error_code;

// Interval of the checks of an incoming body that holds a share of the memory.
constexpr std::chrono::seconds kMemoryLook{1};

class HttpSession : public Session {
 public:
  HttpSession(Transport* transport, const HttpContext* context, const ConnectionRights& rights)
      : transport_(transport),
        context_(context),
        rights_(rights),
        intake_({.body_bytes_max = context->body_bytes_max,
                 .timeout_ms = context->request_timeout_ms,
                 .memory = context->body_budget}),
        request_timer_(transport->strand().executor),
        client_timer_(transport->strand().executor) {}

  void Take(std::string_view bytes) override;
  void EndInput() override;
  void Stop() override;
  void OnSent(size_t bytes) override;
  void OnAllSent() override;
  void OnClosed() override;

  bool wants_input() const override { return state_ == State::kReading && !gives_way_; }
  bool is_working() const override { return state_ == State::kAnswering; }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  enum class State : uint8_t { kReading, kAnswering, kSending };

  std::shared_ptr<HttpSession> Self() { return {transport_->KeepAlive(), this}; }

  void Pump();
  void GiveWay();
  void JudgeLargeBody();
  void JudgeBodyOfKnown();
  void Refuse();

  std::optional<TimePoint> due() const;
  void WatchRequest();
  void OnRequestDue();

  AccessRights RightsOf(HttpRequest* request) const;
  void LimitNewSeries(std::string_view remote, HttpRequest* request) const;
  // A task that needs a pool is moved to it.
  void Answer(HttpJob* task);
  void CheckLogin(Login login, const HttpRequest& request, std::function<void(LoginAnswer)> then);
  void AnswerKnown(HttpJob* task);
  void AnswerIn(WorkerPool* pool, HttpJob task);
  void SendResponse(HttpWire wire);

  void WatchClient();
  void LookAtClient();

  Transport* const transport_;
  const HttpContext* const context_;
  const ConnectionRights rights_;
  RequestReader intake_;
  State state_ = State::kReading;
  bool is_pumping_ = false;             // requests that are here are being served
  bool gives_way_ = false;              // yield to other connections before the next request
  std::shared_ptr<SendWindow> window_;  // of the answer that the pool makes

  asio::steady_timer request_timer_;
  bool request_is_watched_ = false;  // its timer runs
  asio::steady_timer client_timer_;
  bool client_is_watched_ = false;  // its timer runs
  int hung_up_looks_ = 0;           // in a row
};

void HttpSession::Take(std::string_view bytes) {
  intake_.Feed(bytes);
  Pump();
}

void HttpSession::EndInput() {
  if (intake_.Finish() == RequestReader::Event::kError) {
    Refuse();
  } else {
    transport_->CloseAfterFlush();
  }
}

// A response in progress closes the connection once it is sent.
void HttpSession::Stop() {
  if (state_ == State::kReading) transport_->CloseAfterFlush();
}

// Serves the requests that have arrived, until one is incomplete or needs a pool.
void HttpSession::Pump() {
  if (is_pumping_) return;  // a response was sent at once: the loop continues
  is_pumping_ = true;
  while (state_ == State::kReading && !gives_way_ && !transport_->is_closing()) {
    const TimePoint now = std::chrono::steady_clock::now();
    const RequestReader::Event event = intake_.Next(now);
    if (event == RequestReader::Event::kNeedMore) break;
    if (event == RequestReader::Event::kLargeBody) JudgeLargeBody();
    if (event == RequestReader::Event::kContinue) transport_->Send("HTTP/1.1 100 Continue\r\n\r\n");
    if (event == RequestReader::Event::kRequest) {
      HttpJob task(context_, intake_.TakeRequest(), intake_.TakeHold(), &transport_->stopping());
      task.request().received_at = now;
      task.request().received_in = intake_.received_in();
      if (context_->one_answer) task.request().keep_alive = false;
      Answer(&task);
    }
    if (event == RequestReader::Event::kError) Refuse();
  }
  is_pumping_ = false;
  WatchRequest();
}

// A query tried on this thread may have taken a millisecond, and a pipelining client may have sent
// thousands: connections that are ready are served before its next request.
void HttpSession::GiveWay() {
  gives_way_ = true;
  asio::post(transport_->strand().executor, [self = Self()] {
    self->gives_way_ = false;
    if (self->state_ != State::kReading || self->transport_->is_closing()) return;
    self->Pump();
    self->transport_->ReadOn();
  });
}

// A client without the rights for a request need not send its body.
void HttpSession::JudgeLargeBody() {
  const AccessRights rights = RightsOf(intake_.head());
  const std::optional<Login> login =
      BeginLogin(context_->logins.authenticator, rights, intake_.head());
  if (!login.has_value()) {
    JudgeBodyOfKnown();
    return;
  }
  state_ = State::kAnswering;  // stops reading meanwhile
  CheckLogin(*login, *intake_.head(), [this, rights](LoginAnswer answer) {
    if (answer.kind == LoginAnswer::Kind::kUnknown) {
      HttpResponse refusal = TooManyLogins();
      refusal.close = true;
      window_ = nullptr;
      SendResponse(FormatResponse(*intake_.head(), std::move(refusal)));
      return;
    }
    EndLogin(answer, rights, intake_.head());
    state_ = State::kReading;
    JudgeBodyOfKnown();
    Pump();
    transport_->ReadOn();
  });
}

void HttpSession::JudgeBodyOfKnown() {
  if (context_->api == nullptr) return;
  std::optional<HttpResponse> refusal = ReadTarget(intake_.head());
  if (!refusal.has_value()) refusal = context_->api->RefuseUnread(*intake_.head());
  if (!refusal.has_value()) return;
  context_->counters->bodies_refused->Add(1);
  refusal->close = true;
  SendResponse(FormatResponse(*intake_.head(), *std::move(refusal)));
}

void HttpSession::Refuse() {
  context_->counters->OfHttpError(intake_.error_status())->Add(1);
  SendResponse(FormatResponse({}, intake_.ErrorResponse()));
}

// The deadline of the request in progress.
std::optional<HttpSession::TimePoint> HttpSession::due() const {
  return state_ == State::kReading ? intake_.due(std::chrono::steady_clock::now()) : std::nullopt;
}

void HttpSession::WatchRequest() {
  if (request_is_watched_ || transport_->is_closing()) return;
  const std::optional<TimePoint> when = due();
  if (!when.has_value()) return;
  request_is_watched_ = true;
  TimePoint look_at = *when;
  // The deadline becomes earlier if another body finds no room meanwhile.
  if (intake_.has_memory())
    look_at = std::min(look_at, std::chrono::steady_clock::now() + kMemoryLook);
  request_timer_.expires_at(look_at);
  request_timer_.async_wait([self = Self()](const AsioError& error) {
    self->request_is_watched_ = false;
    if (!error) self->OnRequestDue();
  });
}

void HttpSession::OnRequestDue() {
  if (transport_->is_closing()) return;
  const std::optional<TimePoint> when = due();
  if (!when.has_value() || *when > std::chrono::steady_clock::now()) {
    WatchRequest();  // it is complete, or more of its body has arrived
  } else {
    intake_.Expire();
    Refuse();
  }
}

// The rights and the limit before any login. Notes in the request the client that a proxy names.
// Programs of this machine could fill the store anyway; a proxy on it speaks for others.
AccessRights HttpSession::RightsOf(HttpRequest* request) const {
  if (!IsForwarded(*request)) {
    if (!rights_.is_local) LimitNewSeries(transport_->remote(), request);
    return rights_.all();
  }
  const std::string remote = transport_->remote();
  RequestSource source =
      SourceOfForwarded(*request, rights_, AddressWithoutPort(remote), context_->access);
  request->remote = std::move(source.client);
  LimitNewSeries(request->remote.empty() ? remote : request->remote, request);
  return source.rights;
}

void HttpSession::LimitNewSeries(std::string_view remote, HttpRequest* request) const {
  if (context_->new_series == nullptr) return;
  request->new_series = context_->new_series->QuotaOf(AddressWithoutPort(remote));
}

void HttpSession::Answer(HttpJob* task) {
  context_->counters->http_requests->Add(1);
  state_ = State::kAnswering;
  const AccessRights rights = RightsOf(&task->request());
  const std::optional<Login> login =
      BeginLogin(context_->logins.authenticator, rights, &task->request());
  if (!login.has_value()) {
    AnswerKnown(task);
    return;
  }
  const auto asked = std::make_shared<HttpJob>(std::move(*task));
  CheckLogin(*login, asked->request(), [this, rights, asked](LoginAnswer answer) {
    if (answer.kind == LoginAnswer::Kind::kUnknown) {
      window_ = nullptr;
      SendResponse(FormatResponse(asked->request(), TooManyLogins()));
      return;
    }
    EndLogin(answer, rights, &asked->request());
    AnswerKnown(asked.get());
  });
}

// Calls `then` on the strand, unless the connection is closed by then; at once, with kUnknown, if
// too many logins wait.
void HttpSession::CheckLogin(Login login,
                             const HttpRequest& request,
                             std::function<void(LoginAnswer)> then) {
  std::string remote = request.remote.empty() ? transport_->remote() : request.remote;
  if (!EnterLogins(context_->logins, remote)) {
    then(LoginAnswer::Unknown());
    return;
  }
  asio::post(
      context_->logins.pool->pool, [self = Self(), remote = std::move(remote),
                                    login = std::move(login), then = std::move(then)]() mutable {
        const LoginAnswer answer = self->context_->logins.authenticator->Check(login, remote);
        LeaveLogins(self->context_->logins, remote);
        asio::post(self->transport_->strand().executor, [self, answer, then = std::move(then)] {
          if (!self->transport_->is_closed()) then(answer);
        });
      });
}

// Answers a client whose rights are known.
void HttpSession::AnswerKnown(HttpJob* task) {
  WorkerPool* const pool = task->Enter();
  if (pool != nullptr && !task->may_be_quick()) {
    AnswerIn(pool, std::move(*task));
    return;
  }
  window_ = nullptr;
  if (task->may_be_quick()) {
    if (task->request().remote.empty()) task->request().remote = transport_->remote();
    if (intake_.has_more()) GiveWay();
  }
  if (std::optional<HttpWire> wire = task->Answer(); wire.has_value()) {
    SendResponse(*std::move(wire));
  } else {
    AnswerIn(pool != nullptr ? pool : context_->pools.workers, std::move(*task));
  }
}

void HttpSession::AnswerIn(WorkerPool* pool, HttpJob task) {
  if (task.request().remote.empty()) task.request().remote = transport_->remote();
  window_ = std::make_shared<SendWindow>();
  hung_up_looks_ = 0;
  WatchClient();
  asio::post(pool->pool, [self = Self(), window = window_, asked = std::move(task)]() mutable {
    const auto post_send = [&self](std::string bytes) {
      asio::post(self->transport_->strand().executor, [self, bytes = std::move(bytes)]() mutable {
        self->transport_->Send(std::move(bytes));
      });
    };
    HttpWire rest = asked.AnswerTo({.window = window, .send = post_send});
    asio::post(self->transport_->strand().executor, [self, rest = std::move(rest)]() mutable {
      if (rest.cut) {
        self->transport_->Cut();
      } else {
        self->SendResponse(std::move(rest));
      }
    });
  });
}

void HttpSession::SendResponse(HttpWire wire) {
  state_ = State::kSending;
  intake_.Release();
  transport_->SendEnd(std::move(wire.head), std::move(wire.body), wire.close);
  if (state_ == State::kSending) WatchClient();
}

void HttpSession::OnSent(size_t bytes) {
  if (window_ != nullptr) window_->Sent(bytes);
}

void HttpSession::OnAllSent() {
  if (state_ != State::kSending) return;
  state_ = State::kReading;
  if (transport_->stopping()) transport_->CloseAfterFlush();
  if (transport_->is_closing() || is_pumping_) return;
  Pump();  // requests that a pipelining client sent meanwhile
  transport_->ReadOn();
}

// Checks the client every kLookMs until it has its response.
void HttpSession::WatchClient() {
  if (transport_->is_closed() || std::exchange(client_is_watched_, true)) return;
  client_timer_.expires_after(std::chrono::milliseconds(kLookMs));
  client_timer_.async_wait([self = Self()](const AsioError& error) {
    self->client_is_watched_ = false;
    if (error || self->transport_->is_closed() || self->state_ == State::kReading) return;
    self->LookAtClient();
    self->WatchClient();
  });
}

void HttpSession::LookAtClient() {
  hung_up_looks_ = transport_->PeerHasHungUp() ? hung_up_looks_ + 1 : 0;
  // Requests other than queries are answered all the same: the client may have ended its input
  // only.
  if (hung_up_looks_ == kLooksToBelieve && window_ != nullptr) window_->Close();

  if (context_->send_timeout_ms > 0 &&
      transport_->stalled_for() >= std::chrono::milliseconds(context_->send_timeout_ms)) {
    context_->counters->timed_out->Add(1);
    transport_->Cut();
  }
}

void HttpSession::OnClosed() {
  request_timer_.cancel();
  client_timer_.cancel();
  if (window_ != nullptr) window_->Close();
}

}  // namespace

std::unique_ptr<Session> StartHttpSession(Transport* transport,
                                          const HttpContext* context,
                                          const ConnectionRights& rights) {
  return std::make_unique<HttpSession>(transport, context, rights);
}

}  // namespace hourcell
