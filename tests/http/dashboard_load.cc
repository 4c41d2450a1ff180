#include "tests/http/dashboard_load.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "tests/http/http_exchange.h"
#include "tests/http/server_process.h"

namespace hourcell {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr uint64_t kChunksPerS = 100;

double SecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// Sends a request and records its time, or the fault of the reply.
void Time(TcpClient* client, const std::string& request, int want, RequestTimes* times) {
  const SteadyClock::time_point begin = SteadyClock::now();
  const HttpResult result = Exchange(client, request);
  times->ms.push_back(SecondsSince(begin) * 1000);
  const bool is_answer = want != 200 || result.body.starts_with("[{");
  if (result.status == want && is_answer) return;
  ++times->errors;
  if (times->first_error.empty()) {
    times->first_error =
        fmt::format("status {}: {}\nto {}", result.status, result.body.substr(0, 300), request);
  }
}

// One panel: one host or all hosts, over a window of a quarter of an hour or more.
std::string PanelRequest(const DashboardPlan& plan, Random* random) {
  constexpr std::string_view kAggregators[] = {"avg", "sum", "max", "p95"};
  const auto span_s = static_cast<uint64_t>(std::max<int64_t>(plan.end_s - plan.begin_s, 1));
  const uint64_t window_s = std::min<uint64_t>(span_s, 900 * (1 + random->Below(4)));
  const int64_t start_s = plan.begin_s + static_cast<int64_t>(random->Below(span_s - window_s + 1));
  const std::string filter =
      random->Below(4) == 0
          ? std::string(R"({"type":"wildcard","tagk":"dc","filter":"*","groupBy":true})")
          : fmt::format(R"({{"type":"literal_or","tagk":"host","filter":"h{}","groupBy":true}})",
                        random->Below(plan.hosts));
  return WithBody(
      "POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n",
      fmt::format(R"({{"start":{},"end":{},"queries":[{{"aggregator":"{}",)"
                  R"("downsample":"1m-avg","metric":"dash.m{}","filters":[{}]}}]}})",
                  start_s, start_s + static_cast<int64_t>(window_s),
                  kAggregators[random->Below(std::size(kAggregators))], random->Below(kDashMetrics),
                  filter));
}

}  // namespace

void RequestTimes::Add(const RequestTimes& other) {
  ms.insert(ms.end(), other.ms.begin(), other.ms.end());
  errors += other.errors;
  if (first_error.empty()) first_error = other.first_error;
}

double RequestTimes::Percentile(double percent) const {
  if (ms.empty()) return 0;
  std::vector<double> sorted = ms;
  std::ranges::sort(sorted);
  return sorted[static_cast<size_t>(static_cast<double>(sorted.size() - 1) * percent / 100)];
}

std::string TelnetSender::NextLines(uint64_t points) {
  std::string lines;
  const uint64_t a_step = hosts_ * kDashMetrics;
  for (uint64_t i = sent_; i < sent_ + points; ++i) {
    const uint64_t host = i % a_step / kDashMetrics;
    fmt::format_to(std::back_inserter(lines), "put dash.m{} {} {} host=h{} dc=d{}\n",
                   i % kDashMetrics, kDashStartS + static_cast<int64_t>(i / a_step) * kDashStepS,
                   (i * 7) % 100, host, host % 4);
  }
  return lines;
}

int64_t TelnetSender::end_s() const {
  return kDashStartS + static_cast<int64_t>(sent_ / (hosts_ * kDashMetrics)) * kDashStepS;
}

bool TelnetSender::SendNow(uint64_t points) {
  constexpr uint64_t kAtOnce = 10'000;
  TcpClient client(port_);
  for (uint64_t left = points; left > 0;) {
    const uint64_t count = std::min(left, kAtOnce);
    if (!client.Send(NextLines(count))) return false;
    sent_ += count;
    left -= count;
  }
  return client.Send("version\n") && client.ReadLines(1).starts_with("hourcell");
}

void TelnetSender::Start(uint64_t points_per_s) {
  thread_ = std::thread([this, points_per_s] { Run(points_per_s); });
}

bool TelnetSender::Stop() {
  stops_ = true;
  if (thread_.joinable()) thread_.join();
  return all_acknowledged_;
}

void TelnetSender::Run(uint64_t points_per_s) {
  TcpClient client(port_);
  const uint64_t chunk = std::max<uint64_t>(points_per_s / kChunksPerS, 1);
  const SteadyClock::time_point begin = SteadyClock::now();
  uint64_t done = 0;
  while (!stops_) {
    const double due_s = static_cast<double>(done) / static_cast<double>(points_per_s);
    std::this_thread::sleep_until(begin + std::chrono::duration_cast<SteadyClock::duration>(
                                              std::chrono::duration<double>(due_s)));
    if (!client.Send(NextLines(chunk))) break;
    worst_lateness_s_ = std::max(worst_lateness_s_, SecondsSince(begin) - due_s);
    sent_ += chunk;
    done += chunk;
  }
  held_points_per_s_ = static_cast<double>(done) / SecondsSince(begin);
  all_acknowledged_ = client.Send("version\n") && client.ReadLines(1).starts_with("hourcell");
}

RequestTimes ProbePuts(uint16_t port, std::chrono::milliseconds duration) {
  constexpr std::chrono::milliseconds kPause(10);
  RequestTimes times;
  TcpClient client(port);
  const SteadyClock::time_point end = SteadyClock::now() + duration;
  for (int64_t round = 0; SteadyClock::now() < end; ++round) {
    std::string body = "[";
    for (int i = 0; i < 100; ++i) {
      body += fmt::format(R"({}{{"metric":"probe.m{}","timestamp":{},"value":{},)"
                          R"("tags":{{"host":"p{}"}}}})",
                          i == 0 ? "" : ",", i % 10, kDashStartS + round * kDashStepS, i, i / 10);
    }
    Time(&client,
         WithBody("POST /api/put HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n",
                  body + "]"),
         204, &times);
    std::this_thread::sleep_for(kPause);
  }
  return times;
}

RequestTimes RunDashboards(uint16_t port, const DashboardPlan& plan) {
  std::vector<RequestTimes> times(plan.dashboards);
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < plan.dashboards; ++i) {
    threads.emplace_back([&plan, port, i, &mine = times[i]] {
      Random random(plan.seed * 1'000'003 + i);
      TcpClient client(port);
      for (uint64_t request = 0; request < plan.rounds * plan.panels; ++request)
        Time(&client, PanelRequest(plan, &random), 200, &mine);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  RequestTimes all;
  for (const RequestTimes& one : times)
    all.Add(one);
  return all;
}

int64_t CountPoints(uint16_t port, int64_t end_s) {
  int64_t points = 0;
  for (uint64_t m = 0; m < kDashMetrics; ++m) {
    const HttpResult result =
        HttpCall(port, "GET",
                 fmt::format("/api/query?start={}&end={}&arrays&m=zimsum:0all-count:dash.m{}",
                             kDashStartS, end_s, m));
    // [{...,"dps":[[<time>,<count>]]}]
    const size_t comma = result.body.rfind(',');
    const size_t end = result.body.find(']', comma);
    double count = -1;
    if (result.status != 200 || comma == std::string::npos || end == std::string::npos) return -1;
    std::from_chars(result.body.data() + comma + 1, result.body.data() + end, count);
    points += static_cast<int64_t>(count);
  }
  return points;
}

}  // namespace hourcell
