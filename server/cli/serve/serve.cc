#include "server/cli/serve/serve.h"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/named_thread.h"
#include "engine/options.h"
#include "engine/storage/storage_engine.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/local_store.h"
#include "server/cli/store_flags.h"
#include "server/cli/terminal.h"
#include "server/cluster/node.h"
#include "server/cluster/storage_choice.h"
#include "server/config/config.h"
#include "server/config/setting.h"
#include "server/config/setting_table.h"
#include "server/config/version.h"
#include "server/forward/forwarding.h"
#include "server/log/log.h"
#include "server/monitor/service_manager.h"
#include "server/monitor/signal_watch.h"
#include "server/net/descriptor_limit.h"
#include "server/server.h"

namespace hourcell {
namespace {

constexpr std::string_view kServeCommand = "serve";

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
  PrintTo(terminal.out, "hourcell {}: listening on {}:{}, data in {}, sync {}\n", kHourcellVersion,
          bind, port, options.path, SyncText(options));
  std::fflush(terminal.out);
  std::clearerr(terminal.out);  // a failed write is ignored: serving matters more
}

// By default glibc creates up to eight heaps per processor, and each heap keeps memory that its
// threads freed. One heap per processor wastes less; threads of one processor seldom contend.
void LimitHeaps() {
#ifdef __GLIBC__
  if (std::getenv("MALLOC_ARENA_MAX") != nullptr) return;
  mallopt(M_ARENA_MAX, static_cast<int>(std::max<size_t>(2, ProcessorCount())));
#endif
}

// Returns after a signal to stop.
int ServeStore(const Config& config,
               Tsdb* tsdb,
               const std::function<void(int port)>& say_where,
               const ServiceManager& manager,
               Terminal& terminal) {
  const absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(config, tsdb);
  if (!server.ok()) return FailStore(terminal, kServeCommand, server.status());
  SignalWatch watch(&manager);
  say_where((*server)->port());
  watch.Serve({.status = "serving",
               .stop = [&] { (*server)->Stop(); },
               .skip_drain = [&] { (*server)->SkipDrain(); },
               .reload = [&] { (*server)->Reload(); },
               .probe = [&](std::function<void()> works) { (*server)->Probe(std::move(works)); }});
  (*server)->Run();
  watch.Leave();
  return kExitOk;
}

// For a store that only one process can open. `forwarding` may be null.
int ServeAlone(const Config& config,
               const Options& options,
               Forwarding* forwarding,
               const std::function<void(int port)>& say_where,
               const ServiceManager& manager,
               Terminal& terminal) {
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = Tsdb::Open(options);
  if (!tsdb.ok()) return Fail(terminal, kServeCommand, tsdb.status());
  if (forwarding != nullptr) {
    const absl::Status started = forwarding->Start(&(*tsdb)->stats());
    if (!started.ok()) return Fail(terminal, kServeCommand, started);
  }
  const int code = ServeStore(config, tsdb->get(), say_where, manager, terminal);
  absl::Status closed;
  if (code == kExitOk) closed = (*tsdb)->Close();
  if (forwarding != nullptr) closed.Update(forwarding->Stop());
  return closed.ok() ? code : Fail(terminal, kServeCommand, closed);
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
  absl::StatusOr<Options> options = OptionsOfStore(*config, OtherWriter::kWaitFor);
  if (!options.ok()) return FailStore(terminal, kServeCommand, options.status());
  // Server::Start checks this, too, but only after the store was created.
  if (const absl::Status checked = Server::CheckConfig(*config); !checked.ok()) {
    return FailStore(terminal, kServeCommand, checked);
  }
  options->warn = [](std::string_view message) { LogMessage(LogLevel::kWarning, message); };

  absl::StatusOr<std::unique_ptr<Forwarding>> forwarding = Forwarding::Create(*config, &*options);
  if (!forwarding.ok()) return FailStore(terminal, kServeCommand, forwarding.status());

  RaiseDescriptorLimit();
  LimitHeaps();
  const ServiceManager manager = ServiceManager::FromEnvironment();
  const auto say_where = [&](int port) { PrintBanner(*config, *options, port, terminal); };
  if (options->storage != nullptr && options->storage->shared() != nullptr) {
    // The spool would be on the disk of one machine only.
    if (*forwarding != nullptr) {
      return FailUsage(terminal, kServeCommand,
                       "tsd.forward: cannot be set with tsd.storage.engine=bigtable");
    }
    SignalWatch signals(&manager);
    Node node(
        {.config = &*config, .options = &*options, .signals = &signals, .on_listening = say_where});
    const absl::Status status = node.Run();
    return status.ok() ? kExitOk : Fail(terminal, kServeCommand, status);
  }
  return ServeAlone(*config, *options, forwarding->get(), say_where, manager, terminal);
}

std::string DurabilityHelp() {
  return "Over HTTP, a 2xx answer to a put acknowledges its points. On a telnet connection, the\n"
         "reply to a later command acknowledges the lines before it: send version and wait for\n"
         "the reply. Lines without a later reply are not acknowledged.\n"
         "When the store is full, the server answers HTTP puts with 503 and Retry-After, and\n"
         "does not read from telnet connections, until there is room.\n"
         "\nDurability: an acknowledged point survives (tsd.storage.sync)\n"
         "  never      kill -9 of the server only; the operating system decides when to write\n"
         "  interval   kill -9; power loss, except for the points of the last\n"
         "             tsd.storage.sync_interval milliseconds (default: interval, 1000)\n"
         "  always     kill -9 and power loss\n";
}

std::string SettingsHelp() {
  std::string text;
  for (const Setting& setting : SettingTable()) {
    text += fmt::format("{}={}\n    {}\n", setting.key, DefaultText(setting), setting.help);
    if (setting.type == Setting::Type::kInteger) {
      text += fmt::format("    unit: {}\n", SettingUnitName(setting.unit));
    }
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
    PrintTo(terminal.out, "{}", SettingsHelp());
    return kExitOk;
  }
  return RunServe(store, flags, terminal);
}

}  // namespace hourcell
