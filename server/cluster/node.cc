#include "server/cluster/node.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/system/error_code.hpp>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "codec/base/status_macros.h"
#include "engine/storage/storage_engine.h"
#include "engine/threads/background.h"
#include "engine/tsdb.h"
#include "server/access/access_policy.h"
#include "server/cluster/follower_server.h"
#include "server/cluster/relay.h"
#include "server/cluster/writer_watch.h"
#include "server/log/log.h"
#include "server/net/descriptor_limit.h"
#include "server/net/listen_socket.h"
#include "server/net/nodes/host_and_port.h"
#include "server/net/nodes/relay_proof.h"
#include "server/ports/listener.h"
#include "server/server.h"

namespace hourcell {
namespace {

// How long a replaced writer still answers, with errors that say what to do.
constexpr std::chrono::milliseconds kAnswersAfterLoss(500);
// Pause between attempts to open a store that is unreachable.
constexpr std::chrono::milliseconds kOpenPause(500);

// One term of a node: a standby until it holds the lease, then the writer.
class Term {
 public:
  Term(const Config& config, const Options& options, SignalWatch* signals)
      : config_(config), options_(options), signals_(*signals) {}

  // Binds the ports.
  absl::Status Listen();
  int port() const { return port_; }

  // Waits for the lease, then writes. Returns after a signal to stop, or after a later writer has
  // taken the lease.
  absl::Status Run();

  // True if another term may succeed.
  bool may_repeat() const { return was_shared_ || is_lost_; }

 private:
  StorageEvents Events();
  void OnWaiting(const std::string& address);
  void StartFollower();
  void OnGone(const std::string& address);
  std::string AwaitDeath(int64_t ms);
  void OnLost(const absl::Status& why);
  absl::Status Write(Tsdb* tsdb);
  void EndRelay();
  void RefreshSecrets();
  ServerSite SiteOfRelay();

  const Config& config_;
  const Options& options_;
  SignalWatch& signals_;
  std::vector<ListenSocket> sockets_;
  int port_ = 0;
  std::string address_;
  std::shared_ptr<RelayKeys> keys_;      // set after Join
  std::unique_ptr<Background> secrets_;  // refreshes keys_
  bool was_shared_ = false;              // another process held the lease
  std::unique_ptr<Relay> relay_;
  std::unique_ptr<WriterWatch> writer_watch_;
  std::unique_ptr<FollowerServer> follower_;

  std::atomic<bool> is_lost_ = false;
  Mutex mutex_;
  Server* server_ ABSL_GUARDED_BY(mutex_) = nullptr;
  NamedThread ending_ ABSL_GUARDED_BY(mutex_);
  std::string dead_ ABSL_GUARDED_BY(mutex_);        // address of a failed writer
  bool has_relay_ ABSL_GUARDED_BY(mutex_) = false;  // relay_ may receive the follower's address
  CondVar has_died_;
};

absl::Status Term::Listen() {
  HOURCELL_ASSIGN_OR_RETURN(const AccessPolicy access, AccessPolicy::Create(config_));
  HOURCELL_ASSIGN_OR_RETURN(sockets_, OpenListenSockets(config_, access));
  port_ = sockets_.front().port();
  address_ = AdvertisedAddress(config_, port_);
  return absl::OkStatus();
}

StorageEvents Term::Events() {
  return {.on_waiting = [this](const std::string& address) { OnWaiting(address); },
          .on_lost = [this](const absl::Status& why) { OnLost(why); },
          .gives_up = [this] { return signals_.is_stopping(); },
          // This process's own address: it has replaced the earlier process that used it.
          .is_gone =
              [this](const std::string& address) {
                return address == address_ || NothingListensAt(address);
              },
          .await_death = [this](int64_t ms) { return AwaitDeath(ms); }};
}

// Runs on the thread of Run, while the store opens.
void Term::OnWaiting(const std::string& address) {
  was_shared_ = true;
  if (relay_ == nullptr) {
    const auto connections_max =
        static_cast<size_t>(DescriptorLimit() / 4);  // each connection uses at most three
    relay_ = Relay::Start(std::exchange(sockets_, {}),
                          {.own_address = address_,
                           .keys = keys_,
                           .may_delete = config_.boolean("tsd.http.query.allow_delete"),
                           .quota = {.total = connections_max, .per_address = 0}});
    StartFollower();
    signals_.Serve(
        {.status = "waiting to write; connections are passed on to the writer",
         .stop = nullptr,
         .skip_drain = [this] { follower_->SkipDrain(); },
         .reload = [this] { follower_->Reload(); },
         .probe = [this](std::function<void()> works) { relay_->Probe(std::move(works)); }});
  }
  relay_->SetWriter(address);
  if (writer_watch_ == nullptr) {
    writer_watch_ =
        std::make_unique<WriterWatch>(keys_, [this](const std::string& gone) { OnGone(gone); });
  }
  // Two processes share an address only if both are configured to advertise it.
  writer_watch_->SetWriter(address == address_ ? "" : address);
}

void Term::StartFollower() {
  {
    MutexLock lock(&mutex_);
    has_relay_ = true;
  }
  follower_ = std::make_unique<FollowerServer>(
      FollowerServer::Parts{.config = &config_,
                            .options = &options_,
                            .keys = keys_,
                            .on_change = [this](const std::string& address) {
                              MutexLock lock(&mutex_);
                              if (has_relay_) relay_->SetFollower(address);
                            }});
}

// Queries sent to the follower server are answered before it stops.
void Term::EndRelay() {
  {
    MutexLock lock(&mutex_);
    has_relay_ = false;
  }
  if (relay_ == nullptr) return;
  const uint64_t queries = relay_->queries();
  relay_.reset();
  follower_->SkipDrain();
  follower_.reset();
  LogInfo("{} queries were answered while another process wrote", queries);
}

// Known secrets remain valid for a while, so a failure is left to the next refresh.
void Term::RefreshSecrets() {
  absl::StatusOr<SharedSecrets> secrets = options_.storage->shared()->RefreshSecrets();
  if (secrets.ok()) keys_->Set(std::move(secrets->current), std::move(secrets->accepted));
}

// Runs on the thread of writer_watch_.
void Term::OnGone(const std::string& address) {
  MutexLock lock(&mutex_);
  dead_ = address;
  has_died_.NotifyAll();
}

std::string Term::AwaitDeath(int64_t ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  MutexLock lock(&mutex_);
  while (dead_.empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    has_died_.WaitFor(&mutex_, left.count());
  }
  return std::exchange(dead_, {});
}

// Runs on any thread, once.
void Term::OnLost(const absl::Status& why) {
  LogWarning("{}; its clients are answered with errors, and it waits to write again",
             std::string_view(why.message().data(), why.message().size()));
  MutexLock lock(&mutex_);
  is_lost_ = true;
  if (server_ == nullptr) return;
  ending_ = NamedThread("hc-lost", [server = server_] {
    std::this_thread::sleep_for(kAnswersAfterLoss);
    server->SkipDrain();
    server->Stop();
  });
}

ServerSite Term::SiteOfRelay() {
  if (relay_ == nullptr) return {.sockets = std::exchange(sockets_, {}), .relay_keys = keys_};
  RelayRest rest = relay_->Stop();
  return {
      .sockets = std::move(rest.sockets), .clients = std::move(rest.clients), .relay_keys = keys_};
}

absl::Status Term::Run() {
  HOURCELL_ASSIGN_OR_RETURN(SharedSecrets secrets,
                            options_.storage->shared()->Join(address_, Events()));
  keys_ = std::make_shared<RelayKeys>(std::move(secrets.current), std::move(secrets.accepted));
  secrets_ = std::make_unique<Background>("hc-secrets", SharedStorage::kSecretsMs,
                                          [this] { RefreshSecrets(); });
  absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = Tsdb::Open(options_);
  writer_watch_.reset();
  if (relay_ != nullptr) signals_.Leave();
  const absl::Status written = tsdb.ok() ? Write(tsdb->get()) : tsdb.status();
  EndRelay();
  HOURCELL_RETURN_IF_ERROR(written);
  const absl::Status closed = (*tsdb)->Close();
  return is_lost_ ? absl::OkStatus() : closed;
}

absl::Status Term::Write(Tsdb* tsdb) {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<Server> server,
                            Server::Start(config_, tsdb, SiteOfRelay()));
  LogInfo("this process writes to the store; other processes find it at {}", address_);
  bool is_lost = false;
  {
    MutexLock lock(&mutex_);
    is_lost = is_lost_;
    if (!is_lost) server_ = server.get();
  }
  signals_.Serve(
      {.status = "serving",
       .stop = [it = server.get()] { it->Stop(); },
       .skip_drain = [it = server.get()] { it->SkipDrain(); },
       .reload = [it = server.get()] { it->Reload(); },
       .probe = [it = server.get()](std::function<void()> works) { it->Probe(std::move(works)); }});
  EndRelay();  // its last connections end meanwhile
  if (!is_lost) server->Run();
  signals_.Leave();
  NamedThread ending;
  {
    MutexLock lock(&mutex_);
    server_ = nullptr;
    ending = std::move(ending_);
  }
  ending.Join();
  return absl::OkStatus();
}

}  // namespace

absl::Status Node::Run() {
  for (bool is_first = true;; is_first = false) {
    Term term(*parts_.config, *parts_.options, parts_.signals);
    absl::Status status = term.Listen();
    if (status.ok() && is_first) parts_.on_listening(term.port());
    if (status.ok()) status = term.Run();
    const bool is_stopping = parts_.signals->is_stopping();
    if (is_stopping && (status.ok() || absl::IsCancelled(status))) return absl::OkStatus();
    if (status.ok()) continue;
    const bool may_repeat = term.may_repeat() || (!is_first && absl::IsUnavailable(status));
    if (!may_repeat || is_stopping) return status;
    LogWarning("{}; trying again",
               std::string_view(status.message().data(), status.message().size()));
    std::this_thread::sleep_for(kOpenPause);
  }
}

std::string AdvertisedAddress(const Config& config, int port) {
  const std::string advertised = config.text("tsd.network.advertise");
  if (!advertised.empty()) {
    return ParseHostAndPort(advertised).ok() ? advertised : JoinHostAndPort(advertised, port);
  }
  const std::string bind = config.text("tsd.network.bind");
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(bind, error);
  if (error || !address.is_unspecified()) return JoinHostAndPort(bind, port);
  const std::string name = boost::asio::ip::host_name(error);
  return JoinHostAndPort(error ? bind : name, port);
}

}  // namespace hourcell
