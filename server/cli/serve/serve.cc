#include "server/cli/serve/serve.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/format.h>

#include "codec/base/named_thread.h"
#include "engine/options.h"
#include "engine/tsdb.h"
#include "server/access/access_policy.h"
#include "server/cli/command_line.h"
#include "server/cli/local_store.h"
#include "server/cli/serve/forwarding.h"
#include "server/cli/store_flags.h"
#include "server/cli/terminal.h"
#include "server/config/config.h"
#include "server/config/engine_options.h"
#include "server/config/setting.h"
#include "server/config/setting_table.h"
#include "server/config/version.h"
#include "server/log/log.h"
#include "server/monitor/service_manager.h"
#include "server/net/descriptor_limit.h"
#include "server/server.h"

namespace hourcell {
namespace {

constexpr std::string_view kServeCommand = "serve";
// What `systemctl status` shows.
constexpr std::string_view kServing = "serving";

std::string SyncText(const Options& options) {
  switch (options.sync) {
    case Durability::kNever:
      return "never";
    case Durability::kAlways:
      return "always";
    case Durability::kInterval:
      break;
  }
  return fmt::format("every {} ms", options.sync_interval_ms);
}

void PrintBanner(const Config& config, const Options& options, int port, Terminal& terminal) {
  std::string bind = config.text("tsd.network.bind");
  if (bind.find(':') != std::string::npos) bind = fmt::format("[{}]", bind);  // IPv6
  fmt::print(terminal.out, "hourcell {}: listening on {}:{}, data in {}, sync {}\n",
             kHourcellVersion, bind, port, options.path, SyncText(options));
  std::fflush(terminal.out);
}

// Ends a server at SIGTERM and SIGINT, without more ado at the second of them, and has it read its
// files again at SIGHUP. It watches before the line is printed that says where the server listens:
// whoever reads that line may send a signal.
class SignalWatch {
 public:
  // Tells `manager`, which is borrowed, what it does.
  explicit SignalWatch(const ServiceManager* manager)
      : manager_(*manager), signals_(context_, SIGINT, SIGTERM, SIGHUP), beat_(context_) {}
  ~SignalWatch() { Finish(); }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // `server` is borrowed until Finish.
  void Watch(Server* server) {
    WaitForSignal(server);
    if (manager_.BeatMs() > 0) WaitForBeat(server);
    thread_ = NamedThread("hc-signal", [this] { context_.run(); });
  }
  void Finish() {
    context_.stop();
    thread_.Join();
    stopping_.Join();
  }

 private:
  void WaitForSignal(Server* server) {
    signals_.async_wait([this, server](const boost::system::error_code& cancelled, int number) {
      if (cancelled) return;
      if (number == SIGHUP) {
        manager_.Reloading();
        server->Reload();
        manager_.Ready(kServing);
      } else if (stopping_.is_joinable()) {
        LogInfo("signal {}: stopping at once", number);
        server->Hurry();
      } else {
        LogInfo("signal {}: stopping", number);
        manager_.Stopping("answering what was read, and closing the store");
        stopping_ = NamedThread("hc-stop", [server] { server->Stop(); });
      }
      WaitForSignal(server);
    });
  }

  // A server whose threads hang, or that only a new start helps, says nothing: systemd starts it
  // again.
  void WaitForBeat(Server* server) {
    beat_.expires_after(std::chrono::milliseconds(manager_.BeatMs()));
    beat_.async_wait([this, server](const boost::system::error_code& cancelled) {
      if (cancelled) return;
      server->Probe([&manager = manager_] { manager.Beat(); });
      WaitForBeat(server);
    });
  }

  const ServiceManager& manager_;
  boost::asio::io_context context_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer beat_;
  NamedThread thread_;
  NamedThread stopping_;  // once it was told to; of thread_
};

// glibc lets threads make eight heaps for each processor, and each heap keeps what its threads
// freed. A heap for each processor wastes less; threads of one processor seldom wait for each
// other.
void LimitHeaps() {
#ifdef __GLIBC__
  if (std::getenv("MALLOC_ARENA_MAX") != nullptr) return;
  mallopt(M_ARENA_MAX, static_cast<int>(std::max<size_t>(2, ProcessorCount())));
#endif
}

// Until a signal ends it.
int ServeStore(const Config& config, const Options& options, Tsdb* tsdb, Terminal& terminal) {
  const ServiceManager manager = ServiceManager::FromEnvironment();
  SignalWatch stopper(&manager);
  const absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(config, tsdb);
  if (!server.ok()) return FailStore(terminal, kServeCommand, server.status());
  stopper.Watch(server->get());
  PrintBanner(config, options, (*server)->port(), terminal);
  manager.Ready(kServing);
  (*server)->Run();
  stopper.Finish();
  return kExitOk;
}

}  // namespace

std::vector<std::string> SettingsOf(const ServeFlags& flags) {
  std::vector<std::string> settings;
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) settings.push_back(fmt::format("{}={}", key, value));
  };
  add("tsd.network.port", flags.port);
  add("tsd.network.bind", flags.bind);
  add("tsd.core.connections.limit", flags.max_connections);
  add("tsd.network.backlog", flags.backlog);
  add("tsd.core.auto_create_metrics", flags.auto_metric ? "true" : "");
  add("tsd.mode", flags.read_only ? "ro" : "");
  return settings;
}

int RunServe(const StoreOptions& store, const ServeFlags& flags, Terminal& terminal) {
  StoreOptions all = store;
  for (std::string& setting : SettingsOf(flags))
    all.settings.push_back(std::move(setting));
  const absl::StatusOr<Config> config = LoadConfig(all);
  if (!config.ok()) return FailStore(terminal, kServeCommand, config.status());
  SetLogFormat(config->text("tsd.log.format") == "json" ? LogFormat::kJson : LogFormat::kText);
  WarnOfIgnoredSettings(*config, kServeCommand, terminal);
  absl::StatusOr<Options> options = EngineOptionsOf(*config, OtherWriter::kWaitFor);
  if (!options.ok()) return FailStore(terminal, kServeCommand, options.status());
  // Server::Start asks the same, but by then there would be a store.
  if (const auto access = AccessPolicy::Create(*config); !access.ok()) {
    return FailStore(terminal, kServeCommand, access.status());
  }
  options->warn = [](std::string_view message) { LogMessage(LogLevel::kWarning, message); };

  absl::StatusOr<std::unique_ptr<Forwarding>> forwarding = Forwarding::Create(*config, &*options);
  if (!forwarding.ok()) return FailStore(terminal, kServeCommand, forwarding.status());

  RaiseDescriptorLimit();
  LimitHeaps();
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = Tsdb::Open(*options);
  if (!tsdb.ok()) return Fail(terminal, kServeCommand, tsdb.status());
  if (*forwarding != nullptr) {
    const absl::Status started = (*forwarding)->Start(&(*tsdb)->stats());
    if (!started.ok()) return Fail(terminal, kServeCommand, started);
  }
  const int code = ServeStore(*config, *options, tsdb->get(), terminal);
  absl::Status closed;
  if (code == kExitOk) closed = (*tsdb)->Close();
  if (*forwarding != nullptr) closed.Update((*forwarding)->Stop());
  return closed.ok() ? code : Fail(terminal, kServeCommand, closed);
}

std::string DurabilityHelp() {
  return "Over HTTP, a 2xx answer to a put acknowledges its points. On a telnet connection, the\n"
         "reply to a later command acknowledges the lines before it: send version and wait for\n"
         "the reply. Lines without a later reply are not acknowledged.\n"
         "When the store is full, the server answers HTTP puts with 503 and Retry-After, and\n"
         "does not read from telnet connections, until there is room.\n"
         "\nDurability: what a point survives once it is acknowledged (tsd.storage.sync)\n"
         "  never      kill -9 of the server only; the operating system decides when to write\n"
         "  interval   kill -9; power loss, except for the points of the last\n"
         "             tsd.storage.sync_interval milliseconds (default: interval, 1000)\n"
         "  always     kill -9 and power loss\n";
}

std::string SettingsHelp() {
  std::string text;
  for (const Setting& setting : SettingTable()) {
    text += fmt::format("{}={}\n    {}\n", setting.key, setting.default_value, setting.help);
  }
  return text;
}

int ServeMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line(
      "serve", "Serves OpenTSDB's telnet and HTTP protocols on one port until it gets SIGTERM.");
  StoreOptions store;
  ServeFlags flags;
  bool help_settings = false;
  AddStoreOptions(&line, &store);
  line.AddOption("--port", &flags.port, "N", "port to listen on (default 4242)");
  line.AddOption("--bind", &flags.bind, "ADDRESS",
                 "address to listen on (default 127.0.0.1; 0.0.0.0 = all addresses)");
  line.AddOption("--max-connections", &flags.max_connections, "N",
                 "maximum number of open connections (default: 3/4 of the file descriptors)");
  line.AddOption("--backlog", &flags.backlog, "N",
                 "maximum number of connections waiting to be accepted");
  line.AddFlag("--auto-metric", &flags.auto_metric, "allow puts to create metrics (the default)");
  line.AddFlag("--read-only", &flags.read_only, "refuse puts (tsd.mode=ro)");
  line.AddFlag("--help-settings", &help_settings, "list every setting with its default");
  line.set_footer(DurabilityHelp() +
                  "\nExamples:\n"
                  "  hourcell serve\n"
                  "  hourcell serve --bind 0.0.0.0 --tsd.auth.file=users --data /var/lib/hourcell\n"
                  "  hourcell serve --config opentsdb.conf --tsd.storage.sync=always\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  if (help_settings) {
    fmt::print(terminal.out, "{}", SettingsHelp());
    return kExitOk;
  }
  return RunServe(store, flags, terminal);
}

}  // namespace hourcell
