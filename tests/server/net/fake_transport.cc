#include "tests/server/net/fake_transport.h"

#include "server/net/asio.h"

namespace hourcell {

using std::chrono::steady_clock;

struct FakeTransport::Loop {
  IoContext io;
  Strand strand{io.context.get_executor()};
};

FakeTransport::FakeTransport() : loop_(std::make_unique<Loop>()) {}
FakeTransport::~FakeTransport() = default;

const Strand& FakeTransport::strand() const {
  return loop_->strand;
}

void FakeTransport::Hold(std::unique_ptr<Session> session) {
  session_ = std::move(session);
}

bool FakeTransport::RunUntil(const std::function<bool()>& condition) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (steady_clock::now() > deadline) return false;
    loop_->io.context.restart();
    loop_->io.context.run_one_for(std::chrono::milliseconds(5));
  }
  return true;
}

void FakeTransport::Read() {
  reads_ = true;
  if (unsent_bytes_ == 0 || closed_) return;
  session_->OnSent(std::exchange(unsent_bytes_, 0));
  session_->OnAllSent();
}

void FakeTransport::Stop() {
  stopping_ = true;
  session_->Stop();
}

void FakeTransport::Close() {
  if (std::exchange(closed_, true)) return;
  session_->OnClosed();
}

void FakeTransport::Cut() {
  was_cut_ = true;
  Close();
}

void FakeTransport::Send(std::string bytes) {
  if (bytes.empty() || closed_) return;
  if (vanished_) {
    Close();
    return;
  }
  unsent_bytes_ += bytes.size();
  sent_ += bytes;
  if (reads_) Read();
}

void FakeTransport::SendEnd(std::string head, std::string body, bool close) {
  if (close) closing_ = true;
  if (unsent_bytes_ == 0 && head.empty() && body.empty() && !closed_) {
    session_->OnAllSent();
  } else {
    Send(std::move(head) + body);
  }
}

}  // namespace hourcell
