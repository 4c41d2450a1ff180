// Dashboards that query and senders that put, at the same time: the load of a server in use. Points
// are of `dash.m0` to `dash.m9` and the hosts `h0`, `h1`, ..., one every 10 s.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "codec/base/random.h"

namespace hourcell {

inline constexpr int64_t kDashStartS = 1704067200;  // a full hour
inline constexpr int64_t kDashStepS = 10;
inline constexpr uint64_t kDashMetrics = 10;

// Milliseconds of requests, and their failures.
struct RequestTimes {
  std::vector<double> ms;
  uint64_t errors = 0;
  std::string first_error;

  void Add(const RequestTimes& other);
  // 0 without requests. `percent` in [0, 100].
  double Percentile(double percent) const;
};

// Sends lines over one telnet connection at a fixed rate, whether or not the server keeps up. The
// points follow each other in time from the start on.
class TelnetSender {
 public:
  TelnetSender(uint16_t port, uint64_t hosts) : port_(port), hosts_(hosts) {}
  ~TelnetSender() { Stop(); }
  TelnetSender(const TelnetSender&) = delete;
  TelnetSender& operator=(const TelnetSender&) = delete;

  // Sends `points` points at once and waits until they are acknowledged. False if they were not.
  bool SendNow(uint64_t points);

  // Begins to send in a thread; Stop ends it. REQUIRES: not begun.
  void Start(uint64_t points_per_s);
  // Waits for the acknowledgement of all. False if it did not come, or something was refused.
  bool Stop();

  uint64_t sent() const { return sent_; }
  // Of the time between Start and Stop.
  double held_points_per_s() const { return held_points_per_s_; }
  // By how much the latest line was sent after it was due.
  double worst_lateness_s() const { return worst_lateness_s_; }
  // The second after the last point that was sent before now.
  int64_t end_s() const;

 private:
  std::string NextLines(uint64_t points);
  void Run(uint64_t points_per_s);

  const uint16_t port_;
  const uint64_t hosts_;
  std::atomic<uint64_t> sent_{0};
  std::atomic<bool> stops_{false};
  bool all_acknowledged_ = true;
  double held_points_per_s_ = 0;
  double worst_lateness_s_ = 0;
  std::thread thread_;
};

// Puts 100 points by HTTP every 10 ms for `duration`, on one connection.
RequestTimes ProbePuts(uint16_t port, std::chrono::milliseconds duration);

struct DashboardPlan {
  uint64_t dashboards = 20;
  uint64_t rounds = 2;   // refreshes of each
  uint64_t panels = 10;  // requests of a refresh, one after the other on one connection
  uint64_t hosts = 20;
  int64_t begin_s = kDashStartS;  // windows lie in [begin_s, end_s)
  int64_t end_s = kDashStartS + 3600;
  uint64_t seed = 1;
};

// Runs every dashboard in a separate thread, all at once.
RequestTimes RunDashboards(uint16_t port, const DashboardPlan& plan);

// The number of points of all metrics at the server, by a query; -1 if the query fails.
int64_t CountPoints(uint16_t port, int64_t end_s);

}  // namespace hourcell
