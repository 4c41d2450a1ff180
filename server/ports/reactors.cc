#include "server/ports/reactors.h"

#include <atomic>
#include <limits>
#include <string>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "codec/base/check.h"
#include "codec/base/named_thread.h"
#include "server/net/asio.h"

namespace hourcell {

namespace asio = boost::asio;

struct Reactors::Loop {
  IoContext io;
  asio::executor_work_guard<asio::io_context::executor_type> keep_running{
      io.context.get_executor()};
  std::atomic<size_t> sockets = 0;
  NamedThread thread;

  void Start(std::string name) {
    thread = NamedThread(std::move(name), [this] { io.context.run(); });
  }
};

Reactors::Reactors(size_t count) : acceptor_(std::make_unique<Loop>()) {
  HOURCELL_CHECK(count > 0);
  for (size_t i = 0; i < count; ++i)
    loops_.push_back(std::make_unique<Loop>());
}

Reactors::~Reactors() {
  Stop();
}

void Reactors::Start() {
  for (const auto& loop : loops_)
    loop->Start("hc-socket");
  acceptor_->Start("hc-accept");
}

void Reactors::Stop() {
  acceptor_->io.context.stop();
  acceptor_->thread.Join();
  for (const auto& loop : loops_)
    loop->io.context.stop();
  for (const auto& loop : loops_)
    loop->thread.Join();
}

IoContext& Reactors::acceptor() const {
  return acceptor_->io;
}

size_t Reactors::Enter() {
  size_t best = 0;
  size_t fewest = std::numeric_limits<size_t>::max();
  for (size_t i = 0; i < loops_.size(); ++i) {
    const size_t sockets = loops_[i]->sockets.load(std::memory_order_relaxed);
    if (sockets >= fewest) continue;
    fewest = sockets;
    best = i;
  }
  loops_[best]->sockets.fetch_add(1, std::memory_order_relaxed);
  return best;
}

void Reactors::Leave(size_t reactor) {
  loops_[reactor]->sockets.fetch_sub(1, std::memory_order_relaxed);
}

IoContext& Reactors::at(size_t reactor) const {
  return loops_[reactor]->io;
}

void Reactors::Post(const std::function<void()>& work) {
  const auto is_taken = std::make_shared<std::atomic<bool>>(false);
  for (const auto& loop : loops_) {
    asio::post(loop->io.context, [is_taken, work] {
      if (!is_taken->exchange(true)) work();
    });
  }
}

}  // namespace hourcell
