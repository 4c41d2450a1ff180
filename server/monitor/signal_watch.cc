#include "server/monitor/signal_watch.h"

#include <chrono>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "server/log/log.h"

namespace hourcell {

class SignalWatch::Impl {
 public:
  explicit Impl(const ServiceManager* manager)
      : manager_(*manager), signals_(context_, SIGINT, SIGTERM, SIGHUP), heartbeat_(context_) {
    WaitForSignal();
    if (manager_.HeartbeatMs() > 0) WaitForHeartbeat();
    thread_ = NamedThread("hc-signal", [this] { context_.run(); });
  }
  ~Impl() {
    context_.stop();
    thread_.Join();
    Leave();
  }

  void Serve(ServedThing thing) {
    MutexLock lock(&mutex_);
    thing_ = std::move(thing);
    if (is_stopping_) return Stop();
    manager_.Ready(thing_->status);
  }

  void Leave() {
    std::vector<NamedThread> stopping;
    {
      MutexLock lock(&mutex_);
      stopping = std::exchange(stopping_threads_, {});
    }
    stopping.clear();  // joins the threads, which use thing_
    MutexLock lock(&mutex_);
    thing_.reset();
  }

  bool is_stopping() const {
    MutexLock lock(&mutex_);
    return is_stopping_;
  }

 private:
  void WaitForSignal() {
    signals_.async_wait([this](const boost::system::error_code& cancelled, int number) {
      if (cancelled) return;
      OnSignal(number);
      WaitForSignal();
    });
  }

  void OnSignal(int number) {
    MutexLock lock(&mutex_);
    if (number == SIGHUP) {
      if (!thing_.has_value() || !thing_->reload) return;
      manager_.Reloading();
      thing_->reload();
      manager_.Ready(thing_->status);
    } else if (is_stopping_) {
      LogInfo("signal {}: stopping at once", number);
      if (thing_.has_value() && thing_->skip_drain) thing_->skip_drain();
    } else {
      LogInfo("signal {}: stopping", number);
      is_stopping_ = true;
      manager_.Stopping("answering what was read, and closing the store");
      if (thing_.has_value()) Stop();
    }
  }

  void Stop() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (thing_->stop) stopping_threads_.emplace_back("hc-stop", thing_->stop);
  }

  // If threads hang, or the process must be restarted, no notification is sent, and systemd
  // restarts the process.
  void WaitForHeartbeat() {
    heartbeat_.expires_after(std::chrono::milliseconds(manager_.HeartbeatMs()));
    heartbeat_.async_wait([this](const boost::system::error_code& cancelled) {
      if (cancelled) return;
      {
        MutexLock lock(&mutex_);
        if (thing_.has_value() && thing_->probe) {
          thing_->probe([&manager = manager_] { manager.Heartbeat(); });
        }
      }
      WaitForHeartbeat();
    });
  }

  const ServiceManager& manager_;
  boost::asio::io_context context_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer heartbeat_;
  mutable Mutex mutex_;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<ServedThing> thing_ ABSL_GUARDED_BY(mutex_);
  std::vector<NamedThread> stopping_threads_ ABSL_GUARDED_BY(mutex_);
  NamedThread thread_;
};

SignalWatch::SignalWatch(const ServiceManager* manager) : impl_(std::make_unique<Impl>(manager)) {}
SignalWatch::~SignalWatch() = default;

void SignalWatch::Serve(ServedThing thing) {
  impl_->Serve(std::move(thing));
}
void SignalWatch::Leave() {
  impl_->Leave();
}
bool SignalWatch::is_stopping() const {
  return impl_->is_stopping();
}

}  // namespace hourcell
