// A server under far more load than it can process: finds the telnet load that it sustains, then
// sends a multiple of that, with heavy queries, puts over HTTP and a client that only checks
// whether the server is alive. Prints a table: measurement, limit, verdict.
//
//   overload --seconds=300
//
// bench/README.md explains the rows.

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "bench/number_arguments.h"
#include "bench/process_memory.h"
#include "codec/base/check.h"
#include "tests/http/dashboard_load.h"
#include "tests/http/http_exchange.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using SteadyClock = std::chrono::steady_clock;

// The timeout of a TcpClient.
constexpr std::chrono::seconds kPatience{60};

constexpr std::string_view kUsage = R"(usage: overload [option...]
  --seconds=15           of overload
  --calibrate-s=10       for which the sustained load is measured
  --factor=4             how many times that is offered then
  --connections=8        over telnet
  --queries=64           clients that ask heavy queries, one after the other
  --hosts=1000           series are ten times as many
  --open-hours-mib=64    budgets of the server
  --series-cache-mib=64
  --block-cache-mib=64
  --query-mib=256
  --bodies-mib=64
  --journal-mib=1024     a small one is full now and then, and bodies are refused
  --refused-min=1        points that must be refused for that; unless given, none
  --version-ms=250       what the p99 of /api/version may be
)";

struct Settings {
  uint64_t seconds = 15;
  uint64_t calibrate_s = 10;
  uint64_t factor = 4;
  uint64_t connections = 8;
  uint64_t queries = 64;
  uint64_t hosts = 1000;
  uint64_t open_hours_mib = 64;
  uint64_t series_cache_mib = 64;
  uint64_t block_cache_mib = 64;
  uint64_t query_mib = 256;
  uint64_t bodies_mib = 64;
  uint64_t journal_mib = 1024;
  uint64_t refused_min = 0;
  uint64_t version_ms = 250;
};

// Fixed budgets: memtables, series of queried metrics, points that wait for the journal.
constexpr uint64_t kFixedMib = 256 + 128 + 32;
constexpr uint64_t kBudgetPercent = 120;

double SecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// Points sent, by outcome.
struct PointCounts {
  uint64_t sent = 0;
  uint64_t good = 0;       // acknowledged
  uint64_t bad = 0;        // lines that the server must reject
  uint64_t refused = 0;    // of bodies answered 503
  uint64_t unknown = 0;    // without an answer
  uint64_t held_back = 0;  // due, but not sent: the server did not read any faster

  void Add(const PointCounts& other) {
    sent += other.sent;
    good += other.good;
    bad += other.bad;
    refused += other.refused;
    unknown += other.unknown;
    held_back += other.held_back;
  }
};

// A telnet connection with separate hosts, whose points follow each other in time. One line in ten
// thousand is bad.
class LineLoad {
 public:
  static constexpr uint64_t kChunk = 2000;
  static constexpr uint64_t kBadEvery = 10'000;

  LineLoad(uint16_t port, uint64_t first_host, uint64_t hosts)
      : port_(port), first_host_(first_host), hosts_(hosts) {}

  // Sends for `seconds` at a rate, 0 = as fast as possible; then waits for the acknowledgement.
  PointCounts Run(double points_per_s, double seconds) {
    TcpClient client(port_);
    PointCounts counts;
    PointCounts sent;
    const SteadyClock::time_point begin = SteadyClock::now();
    double due_s = 0;
    while (SecondsSince(begin) < seconds) {
      if (points_per_s > 0) {
        const auto due = std::chrono::duration<double>(due_s);
        std::this_thread::sleep_until(begin +
                                      std::chrono::duration_cast<SteadyClock::duration>(due));
        due_s += static_cast<double>(kChunk) / points_per_s;
      }
      if (!client.Send(NextChunk(&sent))) break;
    }
    const uint64_t wanted = static_cast<uint64_t>(points_per_s * seconds);
    counts.held_back = wanted - std::min(wanted, sent.good + sent.bad);
    counts.sent = sent.good + sent.bad;
    counts.bad = sent.bad;
    (IsAcknowledged(&client) ? counts.good : counts.unknown) = sent.good;
    return counts;
  }

 private:
  // Skips the error lines that the client did not read.
  static bool IsAcknowledged(TcpClient* client) {
    if (!client->Send("version\n")) return false;
    while (true) {
      const std::string line = client->ReadLines(1);
      if (line.starts_with("hourcell")) return true;
      if (line.empty()) return false;
    }
  }

  std::string NextChunk(PointCounts* sent) {
    std::string lines;
    const uint64_t a_step = hosts_ * kDashMetrics;
    for (uint64_t i = next_; i < next_ + kChunk; ++i) {
      const bool is_bad = i % kBadEvery == kBadEvery - 1;
      const uint64_t host = first_host_ + i % a_step / kDashMetrics;
      fmt::format_to(std::back_inserter(lines), "put dash.m{} {} {} host=h{} dc=d{}\n",
                     i % kDashMetrics, kDashStartS + static_cast<int64_t>(i / a_step) * kDashStepS,
                     is_bad ? "x" : fmt::format_int((i * 7) % 100).c_str(), host, host % 4);
      ++(is_bad ? sent->bad : sent->good);
    }
    next_ += kChunk;
    return lines;
  }

  const uint16_t port_;
  const uint64_t first_host_;
  const uint64_t hosts_;
  uint64_t next_ = 0;
};

class Overload {
 public:
  Overload(const Settings& settings, const ServerProcess& server)
      : settings_(settings), port_(server.port()), pid_(server.pid()) {
    const uint64_t hosts = std::max<uint64_t>(settings.hosts / settings.connections, 1);
    for (uint64_t i = 0; i < settings.connections; ++i)
      lines_.push_back(std::make_unique<LineLoad>(port_, i * hosts, hosts));
  }

  int Run() {
    const SteadyClock::time_point begin = SteadyClock::now();
    PointCounts total = SendLines(0, static_cast<double>(settings_.calibrate_s));
    const double sustained = static_cast<double>(total.good) / SecondsSince(begin);
    const double idle_mib = ProcessMib(pid_, "VmRSS:");
    fmt::print("sustained: {:.0f} points/s over {} connections; resident {:.0f} MiB\n", sustained,
               settings_.connections, idle_mib);
    std::fflush(stdout);

    std::jthread queries([this] { AskAll(); });
    std::jthread version([this] { AskVersion(); });
    std::jthread puts([this] { PutBodies(); });
    total.Add(SendLines(sustained * static_cast<double>(settings_.factor),
                        static_cast<double>(settings_.seconds)));
    ends_ = true;
    queries.join();
    version.join();
    puts.join();
    total.Add(bodies_);
    return Report(sustained, total) ? 0 : 1;
  }

 private:
  PointCounts SendLines(double points_per_s, double seconds) {
    std::vector<PointCounts> counts(lines_.size());
    {
      std::vector<std::jthread> threads;
      for (size_t i = 0; i < lines_.size(); ++i) {
        threads.emplace_back([&, i] {
          counts[i] = lines_[i]->Run(points_per_s / static_cast<double>(lines_.size()), seconds);
        });
      }
    }
    PointCounts all;
    for (const PointCounts& one : counts)
      all.Add(one);
    return all;
  }

  // All series of a metric over all time: the heaviest query.
  void AskAll() {
    std::vector<std::jthread> threads;
    for (uint64_t i = 0; i < settings_.queries; ++i) {
      threads.emplace_back([this, i] {
        const std::string target = fmt::format(
            "/api/query?start={}&m=sum:1m-p95:dash.m{}{{host=*}}", kDashStartS, i % kDashMetrics);
        while (!ends_) {
          const SteadyClock::time_point begin = SteadyClock::now();
          const HttpResult result = HttpCall(port_, "GET", target);
          ++QueryCount(result.status, SteadyClock::now() - begin);
          if (result.status == 503) std::this_thread::sleep_for(std::chrono::seconds(1));
        }
      });
    }
  }

  // The counter of a query with this status and time. A client without a reply for kPatience has
  // hung up; if it had none sooner, the server closed the connection.
  std::atomic<uint64_t>& QueryCount(int status, SteadyClock::duration time) {
    switch (status) {
      case 200:
        return queries_done_;
      case 413:
        return queries_large_;
      case 503:
        return queries_later_;
      default:
        return status == 0 && time >= kPatience ? queries_left_ : queries_failed_;
    }
  }

  void AskVersion() {
    TcpClient client(port_);
    while (!ends_) {
      const SteadyClock::time_point begin = SteadyClock::now();
      const HttpResult result =
          Exchange(&client, "GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n");
      version_.ms.push_back(SecondsSince(begin) * 1000);
      if (result.status != 200) ++version_.errors;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  void PutBodies() {
    constexpr uint64_t kPoints = 500;
    TcpClient client(port_);
    for (int64_t round = 0; !ends_; ++round) {
      std::string body = "[";
      for (uint64_t i = 0; i < kPoints; ++i) {
        fmt::format_to(std::back_inserter(body),
                       R"({}{{"metric":"put.m","timestamp":{},"value":{},"tags":{{"p":"{}"}}}})",
                       i == 0 ? "" : ",", kDashStartS + round, i, i);
      }
      bodies_.sent += kPoints;
      const HttpResult result =
          Exchange(&client, WithBody("POST /api/put HTTP/1.1\r\nHost: localhost\r\n", body + "]"));
      (result.status == 204   ? bodies_.good
       : result.status == 503 ? bodies_.refused
                              : bodies_.unknown) += kPoints;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  // A counter of /stats: the sum of all lines with that name and tag.
  int64_t Stat(std::string_view name, std::string_view tag) const {
    const std::string text = HttpCall(port_, "GET", "/stats").body;
    int64_t sum = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      if (!line.starts_with(fmt::format("tsd.{} ", name))) continue;
      if (line.find(tag) == std::string::npos) continue;
      const size_t value = line.find(' ', line.find(' ') + 1);
      sum += std::strtoll(line.c_str() + value, nullptr, 10);
    }
    return sum;
  }

  static bool Row(std::string_view what, double got, double limit, bool is_good) {
    fmt::print("{:44} {:>14.1f} {:>14.1f} {:>7.2f}  {}\n", what, got, limit,
               limit == 0 ? 0 : got / limit, is_good ? "holds" : "MISSED");
    return is_good;
  }
  static bool AtMost(std::string_view what, double got, double limit) {
    return Row(what, got, limit, got <= limit);
  }
  static bool Equal(std::string_view what, uint64_t got, uint64_t wanted) {
    return Row(what, static_cast<double>(got), static_cast<double>(wanted), got == wanted);
  }

  bool Report(double sustained, const PointCounts& total) const {
    const uint64_t budgets = settings_.open_hours_mib + settings_.series_cache_mib +
                             settings_.block_cache_mib + settings_.query_mib +
                             settings_.bodies_mib + kFixedMib;
    const auto stat = [this](std::string_view name, std::string_view tag) {
      return static_cast<uint64_t>(Stat(name, tag));
    };
    fmt::print("offered: {:.0f} points/s for {} s; {} of them held back at the sender\n",
               sustained * static_cast<double>(settings_.factor), settings_.seconds,
               total.held_back);
    fmt::print(
        "queries: {} answered, {} given up after {} s, {} over a limit (413), {} refused (503), {} "
        "failed\n",
        queries_done_.load(), queries_left_.load(), kPatience.count(), queries_large_.load(),
        queries_later_.load(), queries_failed_.load());
    fmt::print("version: {} asked; ms p50 {:.1f}, p99 {:.1f}, worst {:.1f}\n", version_.ms.size(),
               version_.Percentile(50), version_.Percentile(99), version_.Percentile(100));
    fmt::print("bodies: {} points taken, {} refused (503)\n\n", bodies_.good, bodies_.refused);
    fmt::print("{:44} {:>14} {:>14} {:>7}\n", "", "got", "limit", "ratio");
    bool holds = AtMost("resident memory at the most, MiB; budgets", ProcessMib(pid_, "VmHWM:"),
                        static_cast<double>(budgets * kBudgetPercent) / 100);
    holds &= AtMost("/api/version p99, ms", version_.Percentile(99),
                    static_cast<double>(settings_.version_ms));
    holds &= Equal("/api/version, errors", version_.errors, 0);
    holds &= Equal("points acknowledged; counted", total.good, stat("rpc.put.points", ""));
    holds &= Equal("bad lines; counted", total.bad, stat("rpc.put.errors", "reason=invalid_value"));
    holds &= Equal("points answered 503; counted", total.refused,
                   stat("rpc.put.errors", "reason=throttled"));
    holds &= Equal("points without an answer", total.unknown, 0);
    holds &= Equal("points sent; acknowledged or refused", total.sent,
                   total.good + total.bad + total.refused);
    holds &= Equal("points sent; counted by the server", total.sent,
                   stat("rpc.put.points", "") + stat("rpc.put.errors", ""));
    if (settings_.refused_min > 0) {
      holds &=
          Row("points answered 503; at least", static_cast<double>(total.refused),
              static_cast<double>(settings_.refused_min), total.refused >= settings_.refused_min);
    }
    holds &=
        Equal("queries refused; counted", queries_later_, stat("query.refused", "reason=too_many"));
    holds &= Equal("queries that failed otherwise", queries_failed_, 0);
    return holds;
  }

  const Settings settings_;
  const uint16_t port_;
  const pid_t pid_;
  std::vector<std::unique_ptr<LineLoad>> lines_;
  std::atomic<bool> ends_ = false;
  std::atomic<uint64_t> queries_done_ = 0;
  std::atomic<uint64_t> queries_left_ = 0;   // by clients that timed out
  std::atomic<uint64_t> queries_later_ = 0;  // 503
  std::atomic<uint64_t> queries_large_ = 0;  // 413
  std::atomic<uint64_t> queries_failed_ = 0;
  RequestTimes version_;
  PointCounts bodies_;
};

int Run(const Settings& settings) {
  const TempDir directory;
  const auto mib = [](std::string_view key, uint64_t count) {
    return fmt::format("--tsd.{}={}", key, count << 20);
  };
  constexpr uint64_t kSegmentBytesMax = 64 << 20;
  const std::string segment =
      fmt::format("--tsd.storage.journal.segment={}",
                  std::min((settings.journal_mib << 20) / 4, kSegmentBytesMax));
  ServerProcess process(directory.path(), {mib("storage.open_hours", settings.open_hours_mib),
                                           mib("storage.series_cache", settings.series_cache_mib),
                                           mib("storage.block_cache", settings.block_cache_mib),
                                           mib("query.memory", settings.query_mib),
                                           mib("http.request.memory", settings.bodies_mib),
                                           mib("storage.journal", settings.journal_mib), segment});
  HOURCELL_CHECK(process.port() != 0);
  const int code = Overload(settings, process).Run();
  HOURCELL_CHECK(process.End(SIGTERM) == 0);
  return code;
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  hourcell::Settings settings;
  const hourcell::NumberArgument known[] = {{"--seconds", &settings.seconds},
                                            {"--calibrate-s", &settings.calibrate_s},
                                            {"--factor", &settings.factor},
                                            {"--connections", &settings.connections},
                                            {"--queries", &settings.queries},
                                            {"--hosts", &settings.hosts},
                                            {"--open-hours-mib", &settings.open_hours_mib},
                                            {"--series-cache-mib", &settings.series_cache_mib},
                                            {"--block-cache-mib", &settings.block_cache_mib},
                                            {"--query-mib", &settings.query_mib},
                                            {"--bodies-mib", &settings.bodies_mib},
                                            {"--journal-mib", &settings.journal_mib},
                                            {"--refused-min", &settings.refused_min},
                                            {"--version-ms", &settings.version_ms}};
  if (!hourcell::ReadNumbers(argc, argv, known, hourcell::kUsage)) return 2;
  return hourcell::Run(settings);
}
