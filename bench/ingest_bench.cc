// The whole path of ingested points, in one process and without sockets: TSBS-like points from
// several threads into a store, a kill, a replay, and the store brought to rest. Prints one line of
// JSON.
//
//   ingest_bench --hosts=100 --hours=24 --threads=2
//
// A child process ingests the points and kills itself with SIGKILL; its parent opens the store,
// which replays the journal, counts every point, and seals, flushes and merges. It fails if a point
// is missing. bench/README.md explains the figures.

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/random.h"
#include "codec/point.h"
#include "engine/query.h"
#include "engine/tsdb.h"

namespace hourcell {
namespace {

constexpr std::string_view kUsage = R"(usage: ingest_bench [option...]
  --hosts=100      series are ten times as many
  --hours=1        of points; a fraction will do
  --step-s=10      seconds between the points of a series; 3600 is a back-fill of hourly points
  --threads=2      that append at once, each its own hosts
  --batch=1000     points of one append
  --sync=interval  never, interval or always
  --ack=batch      wait for each batch (as HTTP does), or `end`: only for the last (as telnet does)
  --new-series     each point is the first of a series
  --burst-rounds=N puts to known series, N seconds without and N seconds with a burst of new series
                   from the other threads, in turns; does nothing else
  --reopen-only    ends when every point was found again, and brings nothing to rest
  --ingest-only    ends with the kill; the store stays, and its path goes to standard error
  --store=DIR      opens such a store, in place of making one; the other options as they were then
  --journal-mib=1024     what the journal may hold before hours are sealed early
  --open-hours-mib=512   what open hours may take
  --dir=DIR        where the store is made and removed; default: the directory for temporary files
)";

constexpr int64_t kStartMs = 1704067200000;  // a full hour
constexpr std::string_view kMetrics[] = {
    "cpu.usage_user",   "cpu.usage_system",    "cpu.usage_idle",    "cpu.usage_nice",
    "cpu.usage_iowait", "cpu.usage_irq",       "cpu.usage_softirq", "cpu.usage_steal",
    "cpu.usage_guest",  "cpu.usage_guest_nice"};
constexpr uint64_t kMetricCount = std::size(kMetrics);

struct Settings {
  uint64_t hosts = 100;
  double hours = 1;
  uint64_t step_s = 10;
  uint64_t threads = 2;
  uint64_t batch = 1000;
  std::string sync = "interval";
  std::string ack = "batch";
  bool new_series = false;
  uint64_t burst_rounds = 0;
  bool reopen_only = false;
  bool ingest_only = false;
  std::string store;
  uint64_t journal_mib = 1024;
  uint64_t open_hours_mib = 512;
  std::string dir = std::filesystem::temp_directory_path().string();

  uint64_t steps() const { return static_cast<uint64_t>(hours * 3600) / step_s; }
  uint64_t points() const { return steps() * hosts * kMetricCount; }
};

template <typename Number>
bool ParseWhole(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// False if the argument is unknown or out of range.
bool ParseArgument(std::string_view argument, Settings* settings) {
  if (argument == "--new-series") return settings->new_series = true;
  if (argument == "--reopen-only") return settings->reopen_only = true;
  if (argument == "--ingest-only") return settings->ingest_only = true;
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = argument.substr(0, equals);
  const std::string_view value = argument.substr(equals + 1);
  const auto positive = [value](uint64_t* number) {
    return ParseWhole(value, number) && *number > 0;
  };
  if (name == "--hosts") return positive(&settings->hosts);
  if (name == "--threads") return positive(&settings->threads);
  if (name == "--batch") return positive(&settings->batch);
  if (name == "--burst-rounds") return positive(&settings->burst_rounds);
  if (name == "--journal-mib") return positive(&settings->journal_mib);
  if (name == "--open-hours-mib") return positive(&settings->open_hours_mib);
  if (name == "--step-s") return positive(&settings->step_s);
  if (name == "--hours") return ParseWhole(value, &settings->hours) && settings->hours >= 0;
  if (name == "--sync") settings->sync = value;
  if (name == "--ack") settings->ack = value;
  if (name == "--dir") settings->dir = value;
  if (name == "--store") settings->store = value;
  return (name == "--sync" && (value == "never" || value == "interval" || value == "always")) ||
         (name == "--ack" && (value == "batch" || value == "end")) ||
         ((name == "--dir" || name == "--store") && !value.empty());
}

double SecondsOf(clockid_t clock) {
  timespec time{};
  HOURCELL_CHECK(clock_gettime(clock, &time) == 0);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double Wall() {
  return SecondsOf(CLOCK_MONOTONIC);
}

// Of all threads of the process.
double CpuSeconds() {
  return SecondsOf(CLOCK_PROCESS_CPUTIME_ID);
}

// A line of /proc/self/status in MiB.
double StatusMib(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size() + 1)) / 1024;
  }
  return 0;
}

std::string TagsOf(uint64_t host) {
  constexpr std::string_view kRegions[] = {"us-east-1", "us-west-1", "eu-central-1",
                                           "ap-southeast-2", "sa-east-1"};
  constexpr std::string_view kTeams[] = {"SF", "NYC", "LON", "CHI"};
  constexpr std::string_view kEnvironments[] = {"production", "staging", "test"};
  Random random(host);
  const std::string_view region = kRegions[random.Below(std::size(kRegions))];
  return fmt::format(
      "host=host_{} region={} datacenter={}{} rack={} os=Ubuntu16.10 arch=x64 team={} service={} "
      "service_version={} service_environment={}",
      host, region, region, "abc"[random.Below(3)], random.Below(100),
      kTeams[random.Below(std::size(kTeams))], random.Below(20), random.Below(2),
      kEnvironments[random.Below(std::size(kEnvironments))]);
}

// The points of every `threads`th host, step by step: integer gauges that walk within 0..100.
class Load {
 public:
  Load(const Settings& settings, uint64_t thread) : settings_(settings), random_(thread + 1) {
    for (uint64_t host = thread; host < settings.hosts; host += settings.threads) {
      hosts_.push_back(host);
      tags_.push_back(TagsOf(host));
    }
    values_.resize(hosts_.size() * kMetricCount);
    for (int32_t& value : values_)
      value = static_cast<int32_t>(random_.Below(101));
  }

  // The next points, at most `batch`; empty at the end. Valid until the next call.
  std::span<const LinePoint> Next() {
    points_.clear();
    new_tags_.clear();
    new_tags_.reserve(settings_.batch);  // the points borrow from them
    while (points_.size() < settings_.batch && step_ < settings_.steps() && !values_.empty())
      AddPoint();
    return points_;
  }

 private:
  void AddPoint() {
    const size_t host = at_ / kMetricCount;
    const size_t metric = at_ % kMetricCount;
    if (settings_.new_series && (metric == 0 || points_.empty())) {
      new_tags_.push_back(TagsOf(step_ * settings_.hosts + hosts_[host]));
    }
    int32_t& value = values_[at_];
    points_.push_back(
        {.metric = kMetrics[metric],
         .tags = settings_.new_series ? new_tags_.back() : tags_[host],
         .timestamp = {.ms = kStartMs + static_cast<int64_t>(step_ * settings_.step_s) * 1000},
         .value = Value::Integer(value)});
    value = std::clamp(value + static_cast<int32_t>(random_.Below(5)) - 2, 0, 100);
    if (++at_ < values_.size()) return;
    at_ = 0;
    ++step_;
  }

  const Settings& settings_;
  Random random_;
  std::vector<uint64_t> hosts_;
  std::vector<std::string> tags_;
  std::vector<int32_t> values_;
  uint64_t step_ = 0;
  size_t at_ = 0;
  std::vector<std::string> new_tags_;
  std::vector<LinePoint> points_;
};

// The result of one thread.
struct Sent {
  uint64_t points = 0;
  double load_cpu_s = 0;  // of making the points
  std::vector<double> append_ms;
};

void Send(const Settings& settings, Tsdb* tsdb, Load* load, Sent* sent) {
  std::vector<RefusedPoint> refused;
  CommitTicket all;
  for (;;) {
    const double load_begin = SecondsOf(CLOCK_THREAD_CPUTIME_ID);
    const std::span<const LinePoint> points = load->Next();
    sent->load_cpu_s += SecondsOf(CLOCK_THREAD_CPUTIME_ID) - load_begin;
    if (points.empty()) break;
    const double begin = Wall();
    const CommitTicket ticket = tsdb->points().Append(points, &refused);
    all.Cover(ticket);
    if (settings.ack == "batch") HOURCELL_CHECK(ticket.Wait().ok());
    sent->append_ms.push_back((Wall() - begin) * 1e3);
    HOURCELL_CHECK(refused.empty() && !ticket.took_nothing());
    sent->points += points.size();
  }
  HOURCELL_CHECK(all.Wait().ok());
}

Options OptionsOf(const Settings& settings, const std::string& path) {
  Options options;
  options.path = path;
  options.journal_bytes = settings.journal_mib << 20;
  options.open_hours_bytes = settings.open_hours_mib << 20;
  options.sync = settings.sync == "never"    ? Durability::kNever
                 : settings.sync == "always" ? Durability::kAlways
                                             : Durability::kInterval;
  return options;
}

std::unique_ptr<Tsdb> MustOpen(const Settings& settings, const std::string& path) {
  auto tsdb = Tsdb::Open(OptionsOf(settings, path));
  if (!tsdb.ok()) {
    fmt::print(stderr, "ingest_bench: {}\n", tsdb.status().ToString());
    _exit(1);
  }
  return *std::move(tsdb);
}

int64_t StatOf(Tsdb* tsdb, std::string_view name) {
  for (const StatSample& sample : tsdb->stats().Snapshot()) {
    if (sample.name == name) return sample.value;
  }
  HOURCELL_CHECK(false);
}

double Percentile(std::vector<double>* values, double percent) {
  const auto at = static_cast<ptrdiff_t>(static_cast<double>(values->size() - 1) * percent / 100);
  std::nth_element(values->begin(), values->begin() + at, values->end());
  return (*values)[static_cast<size_t>(at)];
}

std::string IngestJson(const Settings& settings, Tsdb* tsdb) {
  std::vector<Load> loads;
  for (uint64_t i = 0; i < settings.threads; ++i)
    loads.emplace_back(settings, i);
  std::vector<Sent> sent(settings.threads);
  std::vector<std::thread> threads;
  const double begin = Wall();
  const double cpu_begin = CpuSeconds();
  for (size_t i = 0; i < loads.size(); ++i)
    threads.emplace_back(Send, std::cref(settings), tsdb, &loads[i], &sent[i]);
  for (std::thread& thread : threads)
    thread.join();
  const double wall_s = Wall() - begin;
  double cpu_s = CpuSeconds() - cpu_begin;

  Sent all;
  for (const Sent& one : sent) {
    all.points += one.points;
    all.load_cpu_s += one.load_cpu_s;
    all.append_ms.insert(all.append_ms.end(), one.append_ms.begin(), one.append_ms.end());
  }
  cpu_s -= all.load_cpu_s;
  HOURCELL_CHECK(all.points == settings.points());
  const auto points = static_cast<double>(all.points);
  // After a cut at a checkpoint, the journal's size is not the bytes of all points.
  const bool is_whole = StatOf(tsdb, "journal.checkpoints") == 0;
  const auto journal_bytes = static_cast<double>(StatOf(tsdb, "journal.bytes"));
  return fmt::format(
      R"("points":{},"series":{},"points_per_s":{:.0f},"cpu_s_per_mpoint":{:.3f},)"
      R"("load_cpu_s_per_mpoint":{:.3f},"append_ms_p50":{:.3f},"append_ms_p99":{:.3f},)"
      R"("journal_bytes_per_point":{},"rss_peak_mib":{:.0f},"anon_mib":{:.0f})",
      all.points, StatOf(tsdb, "series.created"), points / wall_s, cpu_s / points * 1e6,
      all.load_cpu_s / points * 1e6, Percentile(&all.append_ms, 50), Percentile(&all.append_ms, 99),
      is_whole ? fmt::format("{:.3f}", journal_bytes / points) : "null", StatusMib("VmHWM:"),
      StatusMib("RssAnon:"));
}

// Ingests the points in a child that then kills itself; returns the child's measurements.
std::string IngestAndDie(const Settings& settings, const std::string& path) {
  int ends[2];
  HOURCELL_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  const pid_t child = fork();
  HOURCELL_CHECK(child >= 0);
  if (child == 0) {
    const auto tsdb = MustOpen(settings, path);  // not closed: it is open when the signal comes
    const std::string json = IngestJson(settings, tsdb.get());
    HOURCELL_CHECK(write(ends[1], json.data(), json.size()) == static_cast<ssize_t>(json.size()));
    kill(getpid(), SIGKILL);
  }
  close(ends[1]);
  std::string json;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(ends[0], buffer, sizeof(buffer))) > 0)
    json.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  HOURCELL_CHECK(waitpid(child, &status, 0) == child);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL || json.empty()) {
    fmt::print(stderr, "ingest_bench: the child ended with wait status {}; expected SIGKILL\n",
               status);
    exit(1);
  }
  return json;
}

uint64_t CountPoints(Tsdb* tsdb) {
  uint64_t points = 0;
  const auto visit = [&points](const ScannedRow& row) {
    points += row.times.size();
    return true;
  };
  HOURCELL_CHECK(tsdb->queries().Scan({}, visit).ok());
  return points;
}

uint64_t DiskBytes(const std::string& path) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    struct stat status{};
    if (!entry.is_regular_file() || stat(entry.path().c_str(), &status) != 0) continue;
    // A file may have a hole, or reserved space after its end.
    bytes += std::min(static_cast<uint64_t>(status.st_size),
                      static_cast<uint64_t>(status.st_blocks) * 512);
  }
  return bytes;
}

template <typename Function>
double TimeOf(const Function& function) {
  const double begin = Wall();
  HOURCELL_CHECK(function().ok());
  return Wall() - begin;
}

// Queries one host.
void AskOnce(Tsdb* tsdb) {
  QuerySpec spec{.start_ms = kStartMs, .end_ms = kStartMs + 3'600'000, .queries = {}};
  SubQuery& query = spec.queries.emplace_back();
  query.aggregator = Aggregator::kSum;
  query.metric = kMetrics[0];
  query.filters.push_back({"host", FilterType::kLiteralOr, "host_0", false});
  const auto result = tsdb->queries().Query(spec);
  HOURCELL_CHECK(result.ok() && result->series.size() == 1 && !result->series[0].points.empty());
}

// Seals, flushes and merges everything.
std::string RestJson(const Settings& settings, Tsdb* tsdb, const std::string& path) {
  const double seal_s = TimeOf([tsdb] { return tsdb->maintenance().Seal(); });
  const double flush_s = TimeOf([tsdb] { return tsdb->maintenance().Flush(); });
  const double compact_s = TimeOf([tsdb] { return tsdb->maintenance().Compact(); });
  HOURCELL_CHECK(CountPoints(tsdb) == settings.points());
  HOURCELL_CHECK(tsdb->Close().ok());
  const auto per_point = [&settings](uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(settings.points());
  };
  return fmt::format(
      R"(,"seal_s":{:.3f},"flush_s":{:.3f},"compact_s":{:.3f},"db_bytes_per_point":{:.3f},)"
      R"("journal_left_bytes_per_point":{:.3f})",
      seal_s, flush_s, compact_s, per_point(DiskBytes(path + "/db")),
      per_point(DiskBytes(path + "/journal")));
}

// Opens the store after the kill, checks that no point is missing, and brings it to rest.
std::string RecoverJson(const Settings& settings, const std::string& path) {
  const uint64_t journal_bytes = DiskBytes(path + "/journal");
  const double begin = Wall();
  const double cpu_begin = CpuSeconds();
  auto tsdb = MustOpen(settings, path);
  const double open_s = Wall() - begin;
  const double open_cpu_s = CpuSeconds() - cpu_begin;
  AskOnce(tsdb.get());
  const double answer_s = Wall() - begin;
  const int64_t replayed = StatOf(tsdb.get(), "journal.replayed_points");
  HOURCELL_CHECK(replayed > 0);
  const uint64_t found = CountPoints(tsdb.get());
  if (found != settings.points()) {
    fmt::print(stderr, "ingest_bench: {} points after the kill; expected {}\n", found,
               settings.points());
    exit(1);
  }
  return fmt::format(
      R"("journal_mib":{},"reopen_s":{:.3f},"reopen_cpu_s":{:.3f},"first_answer_s":{:.3f},)"
      R"("replayed_points":{},"replay_points_per_s":{:.0f}{})",
      journal_bytes >> 20, open_s, open_cpu_s, answer_s, replayed,
      static_cast<double>(replayed) / open_s,
      settings.reopen_only ? "" : RestJson(settings, tsdb.get(), path));
}

// Puts to known series, one every few milliseconds, with or without a burst of new series.
class BurstRun {
 public:
  BurstRun(const Settings& settings, Tsdb* tsdb) : settings_(settings), tsdb_(*tsdb) {
    for (uint64_t host = 0; host < settings.hosts; ++host)
      tags_.push_back(TagsOf(host));
  }

  std::string Json() {
    for (uint64_t host = 0; host < settings_.hosts; ++host)
      PutKnown();  // creates them
    std::jthread known([this](const std::stop_token& stop) { RunKnown(stop); });
    std::vector<std::jthread> others;
    for (uint64_t i = 1; i < std::max<uint64_t>(settings_.threads, 2); ++i)
      others.emplace_back([this, i](const std::stop_token& stop) { RunBurst(i, stop); });
    for (uint64_t i = 0; i < 2 * settings_.burst_rounds; ++i) {
      is_burst_ = i % 2 == 1;
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    known = {};
    others.clear();
    double p50[2];
    double p99[2];
    for (size_t burst = 0; burst < 2; ++burst) {
      p50[burst] = Percentile(&put_ms_[burst], 50);
      p99[burst] = Percentile(&put_ms_[burst], 99);
    }
    return fmt::format(
        R"({{"known_series":{},"put_points":{},"puts":{},"put_ms_p50":{:.3f},"put_ms_p99":{:.3f},)"
        R"("puts_in_burst":{},"put_ms_p50_in_burst":{:.3f},"put_ms_p99_in_burst":{:.3f},)"
        R"("p99_ratio":{:.2f},"new_series_per_s":{}}})",
        settings_.hosts * kMetricCount, kMetricCount, put_ms_[0].size(), p50[0], p99[0],
        put_ms_[1].size(), p50[1], p99[1], p99[1] / p99[0], new_series_ / settings_.burst_rounds);
  }

 private:
  static constexpr std::chrono::milliseconds kPutEvery{2};

  // The next host's metrics.
  void PutKnown() {
    std::vector<LinePoint> points;
    for (const std::string_view metric : kMetrics) {
      points.push_back({.metric = metric,
                        .tags = tags_[puts_ % tags_.size()],
                        .timestamp = {.ms = kStartMs + static_cast<int64_t>(puts_) * 1000},
                        .value = Value::Integer(1)});
    }
    ++puts_;
    std::vector<RefusedPoint> refused;
    HOURCELL_CHECK(tsdb_.points().Append(points, &refused).Wait().ok() && refused.empty());
  }

  void RunKnown(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const bool is_burst = is_burst_;
      const double begin = Wall();
      PutKnown();
      put_ms_[is_burst ? 1 : 0].push_back((Wall() - begin) * 1e3);
      std::this_thread::sleep_for(kPutEvery);
    }
  }

  void RunBurst(uint64_t thread, const std::stop_token& stop) {
    std::vector<std::string> tags;
    std::vector<LinePoint> points;
    std::vector<RefusedPoint> refused;
    for (uint64_t next = 1; !stop.stop_requested();) {
      if (!is_burst_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      tags.clear();
      points.clear();
      for (uint64_t i = 0; i < settings_.batch; ++i)
        tags.push_back(TagsOf((thread << 40) + next++));
      for (const std::string& one : tags) {
        points.push_back({.metric = kMetrics[0],
                          .tags = one,
                          .timestamp = {.ms = kStartMs},
                          .value = Value::Integer(1)});
      }
      // Without waiting for room, as in a server; refused series are left out.
      tsdb_.points().Append(points, &refused, {.wait_ms = 0}).Wait().IgnoreError();
      new_series_ += points.size() - refused.size();
      if (!refused.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  const Settings& settings_;
  Tsdb& tsdb_;
  std::vector<std::string> tags_;
  uint64_t puts_ = 0;
  std::vector<double> put_ms_[2];  // without and with a burst
  std::atomic<bool> is_burst_{false};
  std::atomic<uint64_t> new_series_{0};
};

void RunBurstRounds(const Settings& settings, const std::string& path) {
  const auto tsdb = MustOpen(settings, path + "/store");
  fmt::print("{}\n", BurstRun(settings, tsdb.get()).Json());
  HOURCELL_CHECK(tsdb->Close().ok());
  std::filesystem::remove_all(path);
}

void Run(const Settings& settings) {
  const std::string head = fmt::format(
      R"("hosts":{},"hours":{},"threads":{},"batch":{},"sync":"{}","ack":"{}","new_series":{})",
      settings.hosts, settings.hours, settings.threads, settings.batch, settings.sync, settings.ack,
      settings.new_series);
  if (!settings.store.empty()) {
    fmt::print("{{{},{}}}\n", head, RecoverJson(settings, settings.store));
    return;
  }
  std::string path = settings.dir + "/hourcell-bench-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    fmt::print(stderr, "ingest_bench: cannot make a directory in {}\n", settings.dir);
    exit(1);
  }
  if (settings.burst_rounds > 0) {
    RunBurstRounds(settings, path);
    return;
  }
  const std::string ingest = IngestAndDie(settings, path + "/store");
  if (settings.ingest_only) {
    fmt::print(stderr, "{}/store\n", path);
    fmt::print("{{{},{}}}\n", head, ingest);
    return;
  }
  const std::string recover = RecoverJson(settings, path + "/store");
  std::filesystem::remove_all(path);
  fmt::print("{{{},{},{}}}\n", head, ingest, recover);
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  hourcell::Settings settings;
  for (int i = 1; i < argc; ++i) {
    if (hourcell::ParseArgument(argv[i], &settings)) continue;
    fmt::print(stderr, "ingest_bench: {}: not an option, or out of range\n{}", argv[i],
               hourcell::kUsage);
    return 2;
  }
  if (settings.steps() == 0) {
    fmt::print(stderr, "ingest_bench: --hours={} is less than --step-s={}\n", settings.hours,
               settings.step_s);
    return 2;
  }
  hourcell::Run(settings);
}
