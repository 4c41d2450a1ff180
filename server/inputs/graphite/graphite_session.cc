#include "server/inputs/graphite/graphite_session.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "codec/limits.h"
#include "server/inputs/graphite/graphite_input.h"
#include "server/net/asio.h"
#include "server/net/transport.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using AsioError = boost::system::error_code;
using Outcome = GraphiteInput::Outcome;

class GraphiteSession : public Session {
 public:
  GraphiteSession(Transport* transport, const GraphiteContext* context, AccessRights rights)
      : transport_(transport),
        context_(context),
        may_write_(rights.Covers(AccessRights::Write())),
        timer_(transport->strand().executor) {}

  void Take(std::string_view bytes) override;
  void EndInput() override { End(); }
  void Stop() override { End(); }
  void OnSent(size_t /*bytes*/) override {}
  void OnAllSent() override {}
  void OnClosed() override { timer_.cancel(); }

  bool wants_input() const override { return !waits_; }
  bool is_working() const override { return waits_; }

 private:
  std::shared_ptr<GraphiteSession> Self() { return {transport_->KeepAlive(), this}; }

  void Close(std::string_view why);
  void End();
  void Serve(Outcome outcome);
  void WaitInPool();
  void Pause();
  void OnWaited(Outcome outcome);

  Transport* const transport_;
  const GraphiteContext* const context_;
  const bool may_write_;
  asio::steady_timer timer_;
  std::string rest_;     // an incomplete line; at most kLineBytesMax
  std::string pending_;  // whole lines that wait for the store
  bool waits_ = false;   // pending_ waits for the store
  bool is_new_ = true;   // no bytes were received yet
};

void GraphiteSession::Take(std::string_view bytes) {
  if (transport_->is_closing()) return;
  if (!may_write_) return Close("a client that may not write; see tsd.network.role");
  if (std::exchange(is_new_, false) && bytes.starts_with('\0')) {
    return Close("pickle; expected lines (carbon's relay: DESTINATION_PROTOCOL = line)");
  }
  rest_.append(bytes);
  const size_t end = rest_.rfind('\n') + 1;  // npos + 1 = 0
  pending_ = rest_.substr(0, end);
  rest_.erase(0, end);
  if (!pending_.empty()) Serve(context_->input->Write(pending_, /*may_wait=*/false));
  if (rest_.size() > kLineBytesMax && !transport_->is_closing()) Close("a line over 64 KiB");
}

void GraphiteSession::Close(std::string_view why) {
  context_->input->Refuse(why);
  transport_->CloseAfterFlush();
}

// Call when the client disconnects or the server stops. Drops an incomplete last line, because a
// number in it may be truncated.
void GraphiteSession::End() {
  if (transport_->is_closing() || waits_) return;
  if (!rest_.empty()) context_->input->Refuse("a line without an end");
  rest_.clear();
  transport_->CloseAfterFlush();
}

void GraphiteSession::Serve(Outcome outcome) {
  waits_ = false;
  switch (outcome) {
    case Outcome::kDone:
      pending_.clear();
      break;
    case Outcome::kMustWait:
      WaitInPool();
      break;
    case Outcome::kLater:
      Pause();
      break;
    case Outcome::kLost:
      pending_.clear();
      transport_->CloseAfterFlush();
      break;
  }
}

void GraphiteSession::WaitInPool() {
  waits_ = true;
  asio::post(context_->pool->pool, [self = Self()] {
    const Outcome outcome = self->context_->input->Write(self->pending_, /*may_wait=*/true);
    asio::post(self->transport_->strand().executor, [self, outcome] { self->OnWaited(outcome); });
  });
}

void GraphiteSession::Pause() {
  waits_ = true;
  timer_.expires_after(std::chrono::milliseconds(kGraphitePauseMs));
  timer_.async_wait([self = Self()](const AsioError& error) {
    if (!error) self->WaitInPool();
  });
}

// If the client has left, points the store cannot take are dropped.
void GraphiteSession::OnWaited(Outcome outcome) {
  transport_->Touch();  // the wait was the server's
  if (transport_->is_closed()) return;
  Serve(outcome);
  if (transport_->stopping()) End();
  transport_->ReadOn();
}

}  // namespace

std::unique_ptr<Session> StartGraphiteSession(Transport* transport,
                                              const GraphiteContext* context,
                                              AccessRights rights) {
  return std::make_unique<GraphiteSession>(transport, context, rights);
}

}  // namespace hourcell
