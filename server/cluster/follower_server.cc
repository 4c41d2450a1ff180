#include "server/cluster/follower_server.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "server/log/log.h"
#include "server/net/listen_socket.h"
#include "server/net/nodes/host_and_port.h"
#include "server/server.h"

// Why a server on a port and not a call: queries pass through the same parsing, rights, limits and
// threads as on the writer, and the relay forwards their bytes as to any other process.

namespace hourcell {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

}  // namespace

class FollowerServer::Impl {
 public:
  explicit Impl(Parts parts)
      : parts_(std::move(parts)),
        config_(ConfigOf(*parts_.config)),
        options_(*parts_.options),
        thread_("hc-follower", [this] { Run(); }) {}
  ~Impl() {
    {
      MutexLock lock(&mutex_);
      is_ending_ = true;
    }
    changed_.NotifyAll();
    thread_.Join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void Reload() {
    MutexLock lock(&mutex_);
    if (server_ != nullptr) server_->Reload();
  }
  void SkipDrain() {
    MutexLock lock(&mutex_);
    if (server_ != nullptr) server_->SkipDrain();
  }

 private:
  void Run();
  absl::Status Serve();
  // Waits up to `ms`. True if the stop has begun.
  bool EndsWithin(int64_t ms);

  const Parts parts_;
  const Config config_;
  Options options_;
  Mutex mutex_;
  CondVar changed_;
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  Server* server_ ABSL_GUARDED_BY(mutex_) = nullptr;
  NamedThread thread_;
};

bool FollowerServer::Impl::EndsWithin(int64_t ms) {
  MutexLock lock(&mutex_);
  if (!is_ending_) changed_.WaitFor(&mutex_, ms);
  return is_ending_;
}

void FollowerServer::Impl::Run() {
  options_.follow = true;
  options_.create_if_missing = false;
  for (int64_t pause_ms = kPauseMs;; pause_ms = std::min(2 * pause_ms, kPauseMaxMs)) {
    const absl::Status status = Serve();
    if (status.ok()) return;
    if (absl::IsUnimplemented(status)) return;  // the storage does not support followers
    LogInfo("queries are passed on: {}", MessageOf(status));
    if (EndsWithin(pause_ms)) return;
  }
}

// Serves until the stop.
absl::Status FollowerServer::Impl::Serve() {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<Tsdb> tsdb, Tsdb::Open(options_));
  ServerSite site{.relay_keys = parts_.keys, .serves_relays_only = true};
  HOURCELL_ASSIGN_OR_RETURN(ListenSocket socket, ListenSocket::Open({.bind = kLoopback}));
  site.sockets.push_back(std::move(socket));
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<Server> server,
                            Server::Start(config_, tsdb.get(), std::move(site)));
  {
    MutexLock lock(&mutex_);
    server_ = server.get();
    if (!is_ending_) parts_.on_change(JoinHostAndPort(kLoopback, server->port()));
    while (!is_ending_)
      changed_.Wait(&mutex_);
  }
  server->Stop();
  {
    MutexLock lock(&mutex_);
    server_ = nullptr;
  }
  tsdb->Close().IgnoreError();  // it has written nothing
  return absl::OkStatus();
}

FollowerServer::FollowerServer(Parts parts) : impl_(std::make_unique<Impl>(std::move(parts))) {}
FollowerServer::~FollowerServer() = default;

void FollowerServer::Reload() {
  impl_->Reload();
}
void FollowerServer::SkipDrain() {
  impl_->SkipDrain();
}

Config FollowerServer::ConfigOf(const Config& config) {
  Config changed = config;
  for (const auto& [key, value] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"tsd.mode", config.text("tsd.mode") == "wo" ? "wo" : "ro"},
           {"tsd.http.query.allow_delete", "false"},
           {"tsd.network.connections.per_address", "0"},
           {"tsd.network.connections.per_listener", "0"},
           {"tsd.stats.self_interval", "0"},
           {"tsd.graphite.port", "-1"},
           {"tsd.statsd.port", "-1"}}) {
    HOURCELL_CHECK(changed.Set(key, value).ok());
  }
  return changed;
}

}  // namespace hourcell
