#include "server/forward/forwarding.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "server/forward/forward_sender.h"
#include "server/forward/set_aside_file.h"
#include "server/log/log.h"

// Why a separate thread and client instead of a server pool: a request may wait for the other
// server, and the order of points requires one request at a time.

namespace hourcell {
namespace {

// Timeout of a request before it is retried, and the longest delay of a stop.
constexpr int64_t kForwardReplyMs = 20'000;

void LogForward(std::string_view message) {
  LogWarning("forward: {}", message);
}

absl::StatusOr<std::string> DirectoryOf(const Config& config, const Options& options) {
  std::string directory = config.text("tsd.forward.directory");
  if (!directory.empty()) return directory;
  if (options.storage == nullptr) return options.path + "/forward";
  return absl::InvalidArgumentError(
      "tsd.forward.directory: expected a directory, as the store is in none, got nothing");
}

bool HasSpool(const std::string& directory) {
  std::error_code error;
  const std::filesystem::directory_iterator files(directory, error);
  return !error && std::any_of(begin(files), end(files), [](const auto& entry) {
    return entry.path().extension() == ".log";
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<Forwarding>> Forwarding::Create(const Config& config,
                                                               Options* options) {
  const std::string target = config.text("tsd.forward");
  const absl::StatusOr<std::string> directory = DirectoryOf(config, *options);
  if (target.empty()) {
    if (directory.ok() && HasSpool(*directory)) {
      LogForward(
          fmt::format("{} has points that may not have been sent, and tsd.forward is empty. "
                      "Set it again to send them, or remove the directory.",
                      *directory));
    }
    return nullptr;
  }
  HOURCELL_RETURN_IF_ERROR(directory.status());
  absl::StatusOr<HttpUrl> url =
      ParseHttpUrl(target, {.ca_file = config.text("tsd.forward.ca_file")});
  if (!url.ok()) {
    return absl::Status(url.status().code(),
                        fmt::format("tsd.forward: {}", std::string(url.status().message())));
  }
  url->token_variable = kForwardTokenVariable;
  const bool at_intervals = options->sync == Durability::kInterval;
  std::unique_ptr<Forwarding> forwarding(new Forwarding(
      *std::move(url), {.directory = *directory,
                        .bytes_max = static_cast<uint64_t>(config.integer("tsd.forward.max_bytes")),
                        .sync_always = options->sync == Durability::kAlways,
                        .sync_interval_ms = at_intervals ? options->sync_interval_ms : 0,
                        .warn = LogForward}));
  options->observers.push_back(&forwarding->spool_);
  return forwarding;
}

Forwarding::Forwarding(HttpUrl url, SpoolSettings settings)
    : url_(std::move(url)), directory_(settings.directory), spool_(std::move(settings)) {}

Forwarding::~Forwarding() {
  Stop().IgnoreError();
}

absl::Status Forwarding::Start(Stats* stats) {
  HOURCELL_DCHECK(!thread_.is_joinable());  // started once
  HOURCELL_RETURN_IF_ERROR(spool_.Open());
  stats->AddCount("forward.points", {{"type", "dropped"}},
                  [this] { return static_cast<int64_t>(spool_.dropped()); });
  stats->AddGauge("forward.spool_bytes", {},
                  [this] { return static_cast<int64_t>(spool_.bytes()); });
  stats->AddGauge("forward.unsynced", {},
                  [this] { return static_cast<int64_t>(spool_.unsynced()); });
  stats->AddGauge("forward.lag", {}, [this] { return spool_.LagMs() / 1000; });
  LogInfo("forward: acknowledged points go to {}:{}, by way of {}", url_.host, url_.port,
          directory_);
  thread_ = NamedThread("hc-forward", [this, stats] { Send(stats); });
  return absl::OkStatus();
}

void Forwarding::Send(Stats* stats) {
  HttpClient client(url_, kForwardReplyMs);
  const SetAsideFile set_aside(directory_ + "/set-aside.txt");
  ForwardSender sender(
      {.spool = &spool_,
       .stats = stats,
       .post =
           [&client](std::string_view target, std::string_view body, std::string_view via) {
             return client.Post(target, body, "gzip", fmt::format("{}: {}", kViaHeader, via));
           },
       .set_aside = [&set_aside](const PointView& point,
                                 std::string_view cell) { return set_aside.Add(point, cell); },
       .warn =
           [&client](std::string_view message) {
             LogForward(fmt::format("{}: {}", client.address(), message));
           }});
  MutexLock lock(&mutex_);
  while (!is_stopping_) {
    mutex_.Unlock();
    const int64_t wait_ms = sender.Step();
    mutex_.Lock();
    if (wait_ms > 0 && !is_stopping_) stopped_.WaitFor(&mutex_, wait_ms);
  }
}

absl::Status Forwarding::Stop() {
  if (!thread_.is_joinable()) return absl::OkStatus();
  {
    MutexLock lock(&mutex_);
    is_stopping_ = true;
  }
  stopped_.NotifyAll();
  thread_.Join();
  return spool_.Close();
}

}  // namespace hourcell
