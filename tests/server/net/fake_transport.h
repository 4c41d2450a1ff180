// A transport without a socket, for tests of sessions. Sent bytes go to a client that takes them
// at once, or when the test lets it. The steps of the strand run while the test waits.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/net/session.h"
#include "server/net/transport.h"

namespace hourcell {

class FakeTransport : public Transport {
 public:
  FakeTransport();
  ~FakeTransport() override;
  FakeTransport(const FakeTransport&) = delete;
  FakeTransport& operator=(const FakeTransport&) = delete;

  // The session that is held over it; owned, as by a connection.
  void Hold(std::unique_ptr<Session> session);
  Session* session() { return session_.get(); }

  // Runs steps of the strand until `condition` holds. False: it did not within 60 s.
  bool RunUntil(const std::function<bool()>& condition);

  // From now on the client stops taking bytes, or takes all bytes.
  void StopReading() { reads_ = false; }
  void Read();
  // The client leaves before the next sent byte.
  void Vanish() { vanished_ = true; }
  void HangUp() { hung_up_ = true; }
  void Stall(std::chrono::steady_clock::duration time) { stalled_for_ = time; }
  // As the connection does.
  void Stop();
  void Close();

  // The bytes sent since the last call.
  std::string TakeSent() { return std::exchange(sent_, {}); }
  std::string_view sent() const { return sent_; }
  int read_ons() const { return read_ons_; }
  bool was_cut() const { return was_cut_; }
  // Work is under way that needs the connection.
  bool is_kept_alive() const { return life_.use_count() > 1; }

  std::shared_ptr<void> KeepAlive() override { return life_; }
  const Strand& strand() const override;
  const std::atomic<bool>& stopping() const override { return stopping_; }
  void Send(std::string bytes) override;
  void SendEnd(std::string head, std::string body, bool close) override;
  size_t unsent_bytes() const override { return unsent_bytes_; }
  std::chrono::steady_clock::duration stalled_for() const override { return stalled_for_; }
  void ReadOn() override { ++read_ons_; }
  void Touch() override {}
  std::string remote() const override { return "test:1"; }
  bool PeerHasHungUp() const override { return hung_up_; }
  void CloseAfterFlush() override { closing_ = true; }
  void Cut() override;
  bool is_closing() const override { return closing_ || closed_; }
  bool is_closed() const override { return closed_; }

 private:
  struct Loop;

  const std::unique_ptr<Loop> loop_;
  const std::shared_ptr<void> life_ = std::make_shared<int>();
  std::unique_ptr<Session> session_;
  std::string sent_;
  size_t unsent_bytes_ = 0;
  std::chrono::steady_clock::duration stalled_for_ = {};
  int read_ons_ = 0;
  bool reads_ = true;
  bool vanished_ = false;
  bool hung_up_ = false;
  bool closing_ = false;
  bool closed_ = false;
  bool was_cut_ = false;
  std::atomic<bool> stopping_ = false;
};

}  // namespace hourcell
