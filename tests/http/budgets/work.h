// The kinds of work that budgets are for. Each sends the same bytes in every run.

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hourcell {

class TcpClient;

// Lines `put` of 1,000 series, ten seconds apart, from step `first` on; `points` is a multiple of
// 1,000.
std::string PutLines(size_t first, size_t points);

// Sends lines and a `version` after them, and waits for its answer: the points are acknowledged.
void PutByTelnet(uint16_t port, std::string_view lines);

// Sends lines while the server is stopped, continues it, and waits for the answer to a `version`
// after the lines: the server finds all lines at once. The lines fit into the buffers of a socket.
void PutAhead(TcpClient* client, pid_t server, std::string_view lines);

// The points of PutLines as bodies of 50 points, each acknowledged before the next.
void PutByHttp(uint16_t port, size_t first, size_t points);

// The same in bodies of 500 points: lines of InfluxDB, and remote write of Prometheus.
void PutByInflux(uint16_t port, size_t first, size_t points);
void PutByRemoteWrite(uint16_t port, size_t first, size_t points);

// The same in bodies of 500 points: OpenTelemetry's JSON.
void PutByOtlp(uint16_t port, size_t first, size_t points);

// The same as lines of Graphite with tags.
std::string GraphiteLines(size_t first, size_t points);

// Sends lines to a port of Graphite, and waits until the server has taken all and closes.
void PutByGraphite(uint16_t port, std::string_view lines);

// Datagrams of 20 lines of DogStatsD with the tags of the same series, 1,000 lines a step: a
// quarter each are timers and gauges, the others counters.
std::vector<std::string> StatsdDatagrams(size_t steps);

// Sends datagrams to a port of StatsD of this machine, each batch after the system reports the ones
// before it as read, so that none is lost. Fails if one was.
void SendByStatsd(uint16_t port, const std::vector<std::string>& datagrams);

// A body of 1 MiB that stores nothing, of the shapes that were found to cost most per byte.
struct EmptyBody {
  std::string_view name;
  std::string head;  // of the request, without the length
  std::string body;
  int status = 400;
};
std::vector<EmptyBody> EmptyBodies();

// Posts a body `times` times.
void PostEmptyBody(uint16_t port, const EmptyBody& empty, size_t times);

// Lines `put` of five metrics of ten separate hosts, 40 points each, of the hour of PutLines.
std::string FiveMetricLines();

// Everything put so far as cells; the same in files.
void SealAll(uint16_t port);
void SealAndFlush(uint16_t port);

// A kind of query on PutLines(0, 40'000) and FiveMetricLines(), sealed and flushed.
struct QueryKind {
  std::string_view name;
  std::string target;
  int status = 200;
  // The number of requests under callgrind, for points in open hours and for points in cells. 0:
  // its instructions are not budgeted.
  size_t times_of_open_hours = 0;
  size_t times_of_cells = 0;
};
std::vector<QueryKind> QueryKinds();

// Sends the same request `times` times on one connection; every answer has this status.
void Ask(uint16_t port, std::string_view target, int status, size_t times);

// The reads of a query, by its own account (`explain`), summed over its sub queries.
struct QueryReads {
  uint64_t rows = 0;
  uint64_t blocks = 0;  // cached or not
  uint64_t cells = 0;   // decoded
};
QueryReads ReadsOf(uint16_t port, std::string_view target);

}  // namespace hourcell
