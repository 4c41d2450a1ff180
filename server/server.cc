#include "server/server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/base/status_macros.h"
#include "server/access/access_policy.h"
#include "server/access/authenticator.h"
#include "server/access/series_allowance.h"
#include "server/api/http_context.h"
#include "server/api/login_queue.h"
#include "server/api/query_gate.h"
#include "server/api/routes.h"
#include "server/http/request_body_budget.h"
#include "server/log/log.h"
#include "server/monitor/health_handler.h"
#include "server/net/asio.h"
#include "server/net/connection_quota.h"
#include "server/net/descriptor_limit.h"
#include "server/net/tls_context.h"
#include "server/ports/connection.h"
#include "server/ports/input_ports.h"
#include "server/ports/listener.h"
#include "server/ports/reactors.h"
#include "server/telnet/line_protocol.h"
#include "server/telnet/telnet_session.h"
#include "server/text/self_stats.h"
#include "server/text/stats_text.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using AsioError = boost::system::error_code;

size_t ThreadsOf(const Config& config) {
  const int64_t threads = config.integer("tsd.network.worker_threads");
  if (threads > 0) return static_cast<size_t>(threads);
  return ProcessorCount();
}

size_t QueryThreadsOf(const Config& config) {
  const auto queries = static_cast<size_t>(config.integer("tsd.query.concurrent"));
  return queries > 0 ? queries : ThreadsOf(config);
}

// Leaves one thread for puts and other requests.
size_t TriesMaxOf(const Config& config) {
  return std::max<size_t>(1, ThreadsOf(config) - 1);
}

// Without a configured limit, the store still keeps its share of the file descriptors: it needs
// them to write and read.
ConnectionQuota::Limits QuotaOf(const Config& config) {
  const int64_t total = config.integer("tsd.core.connections.limit");
  return {
      .total = static_cast<size_t>(total > 0 ? total : DescriptorLimit() / 4 * 3),
      .per_address = static_cast<size_t>(config.integer("tsd.network.connections.per_address"))};
}

std::unique_ptr<ClientAllowances> AllowancesOf(const Config& config, Stats* stats) {
  const int64_t per_hour = config.integer("tsd.inputs.new_series");
  if (per_hour == 0) return nullptr;
  return std::make_unique<ClientAllowances>(per_hour, Clock::System(), stats);
}

HttpLatencies LatenciesOf(Stats* stats) {
  const auto of = [&](std::string_view kind) {
    return stats->histogram("http.request", {{"kind", std::string(kind)}});
  };
  return {.put = of("put"), .query = of("query"), .other = of("other")};
}

// Null without a certificate.
absl::StatusOr<std::unique_ptr<TlsContext>> OpenTls(const Config& config) {
  const std::string certificate = config.text("tsd.tls.certificate");
  const std::string key = config.text("tsd.tls.key");
  if (certificate.empty() != key.empty() ||
      (certificate.empty() && config.boolean("tsd.tls.required"))) {
    return absl::InvalidArgumentError(
        "tsd.tls: expected both tsd.tls.certificate and tsd.tls.key, or neither of them nor "
        "tsd.tls.required");
  }
  if (certificate.empty()) return nullptr;
  return TlsContext::Open(certificate, key);
}

}  // namespace

class Server::Impl {
 public:
  Impl(const Config& config,
       Tsdb* tsdb,
       AccessPolicy access,
       std::unique_ptr<Authenticator> authenticator,
       std::unique_ptr<TlsContext> tls,
       ServerSite site);

  absl::Status Start();
  std::vector<uint16_t> ports() const;
  const InputPorts& input_ports() const { return *input_ports_; }
  void Reload();
  void Probe(std::function<void()> works);
  void Run();
  void Stop();
  void SkipDrain();

 private:
  void AddGauges();
  void WatchLoad();
  void StopListeners();
  void ScheduleSelfStats();
  void ScheduleLookAtUsers();

  const Config& config_;
  Tsdb* const tsdb_;
  ServerSite site_;  // the listeners take its sockets
  RelayTrust relay_;
  const AccessPolicy access_;
  const std::unique_ptr<Authenticator> authenticator_;  // null = without users
  const std::unique_ptr<TlsContext> tls_;               // null = without TLS
  Routes routes_;
  TelnetSettings telnet_settings_;
  const TelnetCounters telnet_counters_;
  const ConnectionCounters connection_counters_;
  // Shared with the gauges, which live as long as the registry.
  const std::shared_ptr<QueryGate> query_gate_;
  const std::shared_ptr<RequestBodyBudget> body_memory_;
  ConnectionQuota quota_;
  const std::unique_ptr<ClientAllowances> new_series_;  // null = no limit
  ConnectionQuota logins_{{.total = kLoginsWaitingMax, .per_address = kLoginsOfAddressMax}};
  HttpContext http_context_;
  TelnetContext telnet_context_;
  ConnectionContext context_;

  // Declared before the users of the contexts: pending work is destroyed with the contexts, last.
  asio::io_context running_;  // of Run's thread
  Reactors reactors_;
  WorkerPool pool_;
  WorkerPool query_pool_;
  WorkerPool body_pool_;       // large bodies, so that other work does not wait for them
  WorkerPool commit_pool_{2};  // waits for commits while queries take up the other
  WorkerPool login_pool_{1};   // at most one thread for clients that guess secrets
  std::optional<SelfStats> self_stats_;
  asio::steady_timer self_stats_timer_;
  asio::steady_timer users_timer_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::unique_ptr<InputPorts> input_ports_;

  Mutex stop_mutex_;
  bool stopped_ ABSL_GUARDED_BY(stop_mutex_) = false;
};

Server::Impl::Impl(const Config& config,
                   Tsdb* tsdb,
                   AccessPolicy access,
                   std::unique_ptr<Authenticator> authenticator,
                   std::unique_ptr<TlsContext> tls,
                   ServerSite site)
    : config_(config),
      tsdb_(tsdb),
      site_(std::move(site)),
      access_(std::move(access)),
      authenticator_(std::move(authenticator)),
      tls_(std::move(tls)),
      routes_(tsdb, &config),
      telnet_counters_(&tsdb->stats()),
      connection_counters_(&tsdb->stats()),
      query_gate_(std::make_shared<QueryGate>(
          QueryThreadsOf(config) + static_cast<size_t>(config.integer("tsd.query.queue")),
          TriesMaxOf(config))),
      body_memory_(std::make_shared<RequestBodyBudget>(
          static_cast<size_t>(config.integer("tsd.http.request.memory")))),
      quota_(QuotaOf(config)),
      new_series_(AllowancesOf(config, &tsdb->stats())),
      reactors_(ThreadsOf(config)),
      pool_(ThreadsOf(config)),
      query_pool_(QueryThreadsOf(config)),
      body_pool_(ThreadsOf(config)),
      self_stats_timer_(pool_.pool),
      users_timer_(pool_.pool) {
  telnet_settings_ = {
      .point_limits = {.tags_max = static_cast<size_t>(config.integer("tsd.storage.max_tags"))},
      .rollups = routes_.rollups(),
      .histograms = ParseHistogramCodecs(config.text("tsd.core.histograms.config"))
                        .value_or(HistogramCodecs()),  // checked by Routes
      .puts_allowed = config.text("tsd.mode") != "ro",
      .return_errors = config.boolean("tsd.rpc.telnet.return_errors"),
      .dropcaches_allowed = config.boolean("tsd.rpc.allow_dropcaches"),
      .origin = {.host = HostName(), .port = {}},
      .clock = Clock::System(),
      .authenticator = authenticator_.get(),
      .status = [health = routes_.health()] { return health->StatusWord(); }};
  const LoginQueue logins = {
      .authenticator = authenticator_.get(), .pool = &login_pool_, .waiting = &logins_};
  http_context_ = {
      .api = &routes_,
      .pools = {.workers = &pool_, .queries = &query_pool_, .bodies = &body_pool_},
      .logins = logins,
      .new_series = new_series_.get(),
      .access = &access_,
      .counters = &connection_counters_,
      .latencies = LatenciesOf(&tsdb->stats()),
      .query_gate = query_gate_.get(),
      .query_timeout_ms = config.integer("tsd.query.timeout"),
      .body_timeout_ms = config.integer("tsd.http.request.work_timeout"),
      .quick_query_bytes = config.integer("tsd.query.quick_rows") > 0 ? kQuickRequestBytesMax : 0,
      .body_budget = body_memory_.get(),
      .body_bytes_max = static_cast<size_t>(config.integer("tsd.http.request.max_body")),
      .request_timeout_ms = config.integer("tsd.http.request.timeout") * 1000,
      .send_timeout_ms = config.integer("tsd.query.send_timeout"),
      .one_answer = site_.serves_relays_only};
  telnet_context_ = {.tsdb = tsdb,
                     .settings = &telnet_settings_,
                     .counters = &telnet_counters_,
                     .commit_pool = &commit_pool_,
                     .logins = logins,
                     .new_series = new_series_.get()};
  relay_.keys = site_.relay_keys;
  relay_.is_required = site_.serves_relays_only;
  for (const ListenAddress& address : access_.listeners())
    relay_.listeners.push_back(address.rights);
  context_ = {.http = &http_context_,
              .telnet = &telnet_context_,
              .access = &access_,
              .relay = relay_.keys == nullptr ? nullptr : &relay_,
              .tls = tls_.get(),
              .tls_required = config.boolean("tsd.tls.required"),
              .counters = &connection_counters_,
              .quota = &quota_,
              .idle_timeout_s = config.integer("tsd.core.socket.timeout"),
              .handshake_timeout_ms = config.integer("tsd.http.request.timeout") * 1000};
}

void Server::Impl::AddGauges() {
  Stats& stats = tsdb_->stats();
  const auto gate = query_gate_;
  stats.AddGauge("query.queries", {{"type", "running"}}, [gate] { return gate->running(); });
  stats.AddGauge("query.queries", {{"type", "waiting"}}, [gate] { return gate->waiting(); });
  stats.AddGauge("http.body_bytes", {},
                 [memory = body_memory_] { return static_cast<int64_t>(memory->bytes()); });
}

void Server::Impl::WatchLoad() {
  routes_.health()->SetLoad([gate = query_gate_, memory = body_memory_]() -> ServerLoad {
    return {.queries = gate->running() + gate->waiting(),
            .queries_max = gate->queries_max(),
            .body_bytes = static_cast<int64_t>(memory->bytes()),
            .body_bytes_max = static_cast<int64_t>(memory->bytes_max())};
  });
}

absl::Status Server::Impl::Start() {
  AddGauges();
  WatchLoad();
  if (site_.sockets.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(site_.sockets, OpenListenSockets(config_, access_));
  }
  // Without rights, because clients that connect directly are not served.
  const std::vector<ListenAddress> addresses =
      site_.serves_relays_only ? std::vector<ListenAddress>{{.bind = "127.0.0.1"}}
                               : access_.listeners();
  for (size_t i = 0; i < addresses.size(); ++i) {
    const ListenAddress& address = addresses[i];
    listeners_.push_back(Listener::Open(std::move(site_.sockets[i]),
                                        ListenerOptionsOf(config_, address.rights, i == 0),
                                        &reactors_, &context_, &tsdb_->stats()));
    LogInfo("listening on {} port {}; without credentials: {}", address.bind,
            listeners_.back()->port(), address.rights.role());
  }
  site_.sockets.clear();
  for (WaitingClient& client : site_.clients)
    listeners_[client.listener]->Take(std::move(client.socket));
  site_.clients.clear();
  HOURCELL_ASSIGN_OR_RETURN(input_ports_, InputPorts::Open({.config = &config_,
                                                            .tsdb = tsdb_,
                                                            .access = &access_,
                                                            .connections = &context_,
                                                            .reactors = &reactors_,
                                                            .pool = &commit_pool_,
                                                            .clock = http_context_.clock}));
  // No connection reads the settings yet: the threads that serve them start below.
  if (config_.boolean("tsd.core.stats_with_port")) telnet_settings_.origin.port = ports()[0];
  if (config_.integer("tsd.stats.self_interval") > 0) {
    self_stats_.emplace(tsdb_, telnet_settings_.origin);
    ScheduleSelfStats();
  }
  if (authenticator_ != nullptr) ScheduleLookAtUsers();
  reactors_.Start();
  return absl::OkStatus();
}

std::vector<uint16_t> Server::Impl::ports() const {
  std::vector<uint16_t> ports;
  for (const auto& listener : listeners_)
    ports.push_back(listener->port());
  return ports;
}

void Server::Impl::Reload() {
  const auto say = [](std::string_view what, const absl::Status& status) {
    if (status.ok()) {
      LogInfo("{}: read again", what);
    } else {
      LogError("{}; the {} of before stay",
               std::string_view(status.message().data(), status.message().size()), what);
    }
  };
  if (authenticator_ != nullptr) say("users", authenticator_->Reload());
  if (tls_ != nullptr) say("certificates", tls_->Reload());
}

void Server::Impl::Probe(std::function<void()> works) {
  reactors_.Post([this, works = std::move(works)] {
    if (routes_.health()->IsHealthy()) works();
  });
}

void Server::Impl::ScheduleLookAtUsers() {
  users_timer_.expires_after(std::chrono::milliseconds(kLookAtUsersMs));
  users_timer_.async_wait([this](const AsioError& cancelled) {
    if (cancelled) return;
    authenticator_->ReloadIfChanged();
    ScheduleLookAtUsers();
  });
}

void Server::Impl::ScheduleSelfStats() {
  self_stats_timer_.expires_after(std::chrono::seconds(config_.integer("tsd.stats.self_interval")));
  self_stats_timer_.async_wait([this](const AsioError& cancelled) {
    if (cancelled) return;
    self_stats_->Put(telnet_settings_.clock->NowMs());
    ScheduleSelfStats();
  });
}

void Server::Impl::Run() {
  const auto until_stop = asio::make_work_guard(running_);
  running_.run();
  Stop();
}

// In parallel: each may wait for its connections until the grace period ends.
void Server::Impl::StopListeners() {
  const int64_t grace_s = config_.integer("tsd.network.drain_timeout");
  LogInfo("draining {} connections, for {} s at the most", quota_.total(), grace_s);
  std::atomic<size_t> cut = 0;
  {
    std::vector<NamedThread> stopping;
    for (const auto& listener : listeners_) {
      stopping.emplace_back("hc-stop",
                            [&listener, &cut, grace_s] { cut += listener->Stop(grace_s * 1000); });
    }
    cut += input_ports_->Stop(grace_s * 1000);
  }
  if (cut > 0) LogWarning("{} connections were cut", cut.load());
}

void Server::Impl::SkipDrain() {
  for (const auto& listener : listeners_)
    listener->SkipDrain();
  input_ports_->SkipDrain();
}

void Server::Impl::Stop() {
  running_.stop();  // Run returns; its own Stop waits for this one
  MutexLock lock(&stop_mutex_);
  if (stopped_) return;
  stopped_ = true;
  routes_.CancelJobs();  // a request may wait for one
  StopListeners();
  for (WorkerPool* const pool : {&pool_, &query_pool_, &body_pool_}) {
    pool->pool.stop();  // drops the timers, and requests whose clients have left
    pool->pool.join();
  }
  login_pool_.pool.stop();
  login_pool_.pool.join();
  commit_pool_.pool.stop();
  commit_pool_.pool.join();
  routes_.StopJobs();
  reactors_.Stop();
}

absl::Status Server::CheckConfig(const Config& config) {
  HOURCELL_RETURN_IF_ERROR(Routes::CheckConfig(config));
  HOURCELL_RETURN_IF_ERROR(AccessPolicy::Create(config).status());
  if (const std::string file = config.text("tsd.auth.file"); !file.empty()) {
    HOURCELL_RETURN_IF_ERROR(Authenticator::CheckFile(file));
  }
  return OpenTls(config).status();
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Config& config,
                                                      Tsdb* tsdb,
                                                      ServerSite site) {
  HOURCELL_RETURN_IF_ERROR(Routes::CheckConfig(config));
  HOURCELL_ASSIGN_OR_RETURN(AccessPolicy access, AccessPolicy::Create(config));
  std::unique_ptr<Authenticator> authenticator;
  if (const std::string file = config.text("tsd.auth.file"); !file.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(authenticator, Authenticator::Open(file, &tsdb->stats()));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<TlsContext> tls, OpenTls(config));
  auto impl = std::make_unique<Impl>(config, tsdb, std::move(access), std::move(authenticator),
                                     std::move(tls), std::move(site));
  HOURCELL_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() {
  Stop();
}

uint16_t Server::port() const {
  return impl_->ports()[0];
}
std::vector<uint16_t> Server::ports() const {
  return impl_->ports();
}
uint16_t Server::input_port(std::string_view protocol) const {
  return impl_->input_ports().port(protocol);
}
void Server::Reload() {
  impl_->Reload();
}
void Server::Probe(std::function<void()> works) {
  impl_->Probe(std::move(works));
}
void Server::Run() {
  impl_->Run();
}
void Server::Stop() {
  impl_->Stop();
}
void Server::SkipDrain() {
  impl_->SkipDrain();
}

}  // namespace hourcell
