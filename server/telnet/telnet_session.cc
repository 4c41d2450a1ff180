#include "server/telnet/telnet_session.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/access/cidr.h"
#include "server/access/series_allowance.h"
#include "server/net/asio.h"
#include "server/net/transport.h"
#include "server/telnet/line_protocol.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using AsioError = boost::system::error_code;

class TelnetSession : public Session {
 public:
  TelnetSession(Transport* transport,
                const TelnetContext* context,
                AccessRights rights,
                bool is_local)
      : transport_(transport),
        context_(context),
        session_(context->tsdb,
                 context->settings,
                 context->counters,
                 rights,
                 is_local || context->new_series == nullptr
                     ? nullptr
                     : context->new_series->QuotaOf(AddressWithoutPort(transport->remote()))),
        timer_(transport->strand().executor) {}

  void Take(std::string_view bytes) override;
  void EndInput() override { End(); }
  void Stop() override { End(); }
  void OnSent(size_t /*bytes*/) override {}
  void OnAllSent() override {}
  void OnClosed() override;

  bool wants_input() const override { return !waits_; }
  bool is_working() const override { return waits_; }

 private:
  std::shared_ptr<TelnetSession> Self() { return {transport_->KeepAlive(), this}; }

  void End();
  void Serve(std::string replies);
  void Pause();
  void WaitInPool();
  void WaitForTurn();
  void Resume();
  void SettleLater();
  void Abandon();

  Transport* const transport_;
  const TelnetContext* const context_;
  LineProtocol session_;
  asio::steady_timer timer_;
  bool waits_ = false;          // for its need to be met
  bool settle_is_due_ = false;  // the timer runs for Settle
};

void TelnetSession::Take(std::string_view bytes) {
  std::string replies;
  session_.Take(bytes, transport_->unsent_bytes(), &replies);
  Serve(std::move(replies));
}

// The client ends, or the server stops. A session that waits ends after its need is met.
void TelnetSession::End() {
  if (transport_->is_closing() || waits_) return;
  session_.Finish();
  Serve({});
}

// Sends the session's replies and starts to meet its need.
void TelnetSession::Serve(std::string replies) {
  transport_->Send(std::move(replies));
  if (transport_->is_closed()) return;  // by Send: OnClosed has handled the session's need
  if (session_.closed()) {
    timer_.cancel();
    transport_->CloseAfterFlush();
    return;
  }
  switch (session_.need()) {
    case LineProtocol::Need::kCommit:
    case LineProtocol::Need::kLogin:
      WaitInPool();
      break;
    case LineProtocol::Need::kPause:
      Pause();
      break;
    case LineProtocol::Need::kInput:
      SettleLater();
      break;
  }
}

void TelnetSession::Pause() {
  waits_ = true;
  settle_is_due_ = false;
  timer_.expires_after(std::chrono::milliseconds(kThrottlePauseMs));
  timer_.async_wait([self = Self()](const AsioError& error) {
    if (!error) self->Resume();
  });
}

// Meets the session's need in a pool, because that may take long.
void TelnetSession::WaitInPool() {
  waits_ = true;
  const bool is_login = session_.need() == LineProtocol::Need::kLogin;
  const std::string remote = is_login ? transport_->remote() : std::string();
  if (is_login && !EnterLogins(context_->logins, remote)) {
    WaitForTurn();
    return;
  }
  WorkerPool* const pool = is_login ? context_->logins.pool : context_->commit_pool;
  asio::post(pool->pool, [self = Self(), is_login, remote] {
    if (is_login) {
      self->session_.CheckLogin(remote);
      LeaveLogins(self->context_->logins, remote);
    } else {
      self->session_.WaitForCommits();
    }
    asio::post(self->transport_->strand().executor, [self] { self->Resume(); });
  });
}

// Retries a login, because the queue of logins is full.
void TelnetSession::WaitForTurn() {
  settle_is_due_ = false;
  timer_.expires_after(std::chrono::milliseconds(kThrottlePauseMs));
  timer_.async_wait([self = Self()](const AsioError& error) {
    if (!error) self->WaitInPool();
  });
}

void TelnetSession::Resume() {
  waits_ = false;
  transport_->Touch();  // the server was busy, not the client silent
  std::string replies;
  session_.Resume(transport_->unsent_bytes(), &replies);
  if (transport_->is_closed()) {
    Abandon();
    return;
  }
  Serve(std::move(replies));
  if (transport_->stopping()) End();
  transport_->ReadOn();
}

void TelnetSession::SettleLater() {
  if (settle_is_due_ || !session_.has_commits_under_way()) return;
  settle_is_due_ = true;
  timer_.expires_after(std::chrono::milliseconds(kSettleMs));
  timer_.async_wait([self = Self()](const AsioError& error) {
    if (error) return;
    self->settle_is_due_ = false;
    if (self->transport_->is_closed() || self->waits_ || self->session_.closed()) return;
    self->session_.Settle();
    self->Serve({});
  });
}

void TelnetSession::OnClosed() {
  timer_.cancel();
  if (!waits_) Abandon();
}

// The client has left. Commits in progress still count.
void TelnetSession::Abandon() {
  session_.Abandon();
  if (session_.need() == LineProtocol::Need::kCommit) WaitInPool();
}

}  // namespace

std::unique_ptr<Session> StartTelnetSession(Transport* transport,
                                            const TelnetContext* context,
                                            AccessRights rights,
                                            bool is_local) {
  return std::make_unique<TelnetSession>(transport, context, rights, is_local);
}

}  // namespace hourcell
