// Dashboards next to senders: a server, points sent over telnet at a fixed rate, and timed puts
// over HTTP, first alone and then during queries of many dashboards. Prints one line of JSON.
//
//   dashboards --dashboards=200 --rate=100000
//
// bench/README.md explains the figures.

#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "bench/number_arguments.h"
#include "codec/base/check.h"
#include "tests/http/dashboard_load.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr std::string_view kUsage = R"(usage: dashboards [option...]
  --dashboards=200   each a connection that asks one panel after the other
  --panels=10        requests of a refresh
  --rounds=5         refreshes of a dashboard
  --hosts=100        series are ten times as many
  --hours=3          of points before it all begins, one every 10 s
  --rate=100000      points/s offered over telnet
  --alone-s=10       how long puts are timed before the dashboards begin
  --port=0           of a server that runs; 0: one is started, on a directory of its own
)";

struct Settings {
  DashboardPlan plan{.dashboards = 200, .rounds = 5, .panels = 10, .hosts = 100};
  uint64_t hours = 3;
  uint64_t rate = 100'000;
  uint64_t alone_s = 10;
  uint64_t port = 0;
};

int Measure(const Settings& settings, uint16_t port) {
  TelnetSender sender(port, settings.plan.hosts);
  HOURCELL_CHECK(sender.SendNow(settings.hours * 360 * settings.plan.hosts * kDashMetrics));
  DashboardPlan plan = settings.plan;
  plan.end_s = sender.end_s();

  sender.Start(settings.rate);
  const auto second = std::chrono::milliseconds(1000);
  const RequestTimes alone = ProbePuts(port, settings.alone_s * second);
  RequestTimes queries;
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<bool> asks = true;
  std::thread dashboards([&] {
    queries = RunDashboards(port, plan);
    asks = false;
  });
  RequestTimes disturbed;
  while (asks)
    disturbed.Add(ProbePuts(port, second));
  dashboards.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const bool all_acknowledged = sender.Stop();
  const int64_t found = CountPoints(port, sender.end_s() + 3600);
  const bool all_found = found == static_cast<int64_t>(sender.sent());
  const uint64_t errors = queries.errors + alone.errors + disturbed.errors;

  fmt::print(
      R"({{"queries":{},"query_errors":{},"put_errors":{},"queries_per_s":{:.0f},)"
      R"("query_ms_p50":{:.2f},"query_ms_p99":{:.2f},"offered_points_per_s":{},)"
      R"("held_points_per_s":{:.0f},"worst_lateness_s":{:.3f},"put_alone_ms_p50":{:.2f},)"
      R"("put_alone_ms_p99":{:.2f},"put_ms_p50":{:.2f},"put_ms_p99":{:.2f},"points_sent":{},)"
      R"("points_found":{}}})"
      "\n",
      queries.ms.size(), queries.errors, alone.errors + disturbed.errors,
      static_cast<double>(queries.ms.size()) / took.count(), queries.Percentile(50),
      queries.Percentile(99), settings.rate, sender.held_points_per_s(), sender.worst_lateness_s(),
      alone.Percentile(50), alone.Percentile(99), disturbed.Percentile(50),
      disturbed.Percentile(99), sender.sent(), found);
  for (const RequestTimes* times :
       std::initializer_list<const RequestTimes*>{&queries, &alone, &disturbed}) {
    if (times->errors > 0) fmt::print(stderr, "dashboards: {}\n", times->first_error);
  }
  return errors == 0 && all_acknowledged && all_found ? 0 : 1;
}

int Run(const Settings& settings) {
  if (settings.port > 0) return Measure(settings, static_cast<uint16_t>(settings.port));
  const TempDir directory;
  ServerProcess server(directory.path());
  const int code = Measure(settings, server.port());
  HOURCELL_CHECK(server.End(SIGTERM) == 0);
  return code;
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  hourcell::Settings settings;
  const hourcell::NumberArgument known[] = {
      {"--dashboards", &settings.plan.dashboards},
      {"--panels", &settings.plan.panels},
      {"--rounds", &settings.plan.rounds},
      {"--hosts", &settings.plan.hosts},
      {"--hours", &settings.hours},
      {"--rate", &settings.rate},
      {"--alone-s", &settings.alone_s},
      {.name = "--port", .field = &settings.port, .least = 0, .most = 65'535}};
  if (!hourcell::ReadNumbers(argc, argv, known, hourcell::kUsage)) return 2;
  return hourcell::Run(settings);
}
