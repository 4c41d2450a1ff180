// telegraf's outputs influxdb and influxdb_v2, request by request, with the data of its inputs.

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "server/http/http_response.h"
#include "tests/http/http_exchange.h"
#include "tests/http/inputs/telegraf_traffic.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::telegraf_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kBeginMs = 1'356'998'400'000;
constexpr std::string_view kAgent = "Host: localhost\r\nUser-Agent: Telegraf/1.30.0 Go/1.22.2\r\n";

// Go's HTTP client sends a body of unknown length, as that of a compressor, in chunks.
std::string InChunks(std::string_view body) {
  constexpr size_t kChunk = 32'768;
  std::string chunks;
  for (size_t at = 0; at < body.size(); at += kChunk) {
    const std::string_view chunk = body.substr(at, kChunk);
    chunks += fmt::format("{:x}\r\n{}\r\n", chunk.size(), chunk);
  }
  return chunks + "0\r\n\r\n";
}

// The head and the body of a write. `headers` are whole lines.
std::string HeadOf(std::string_view target, std::string_view headers = {}) {
  return fmt::format(
      "POST {} HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n"
      "Content-Type: text/plain; charset=utf-8\r\nAccept-Encoding: gzip\r\n{}\r\n",
      target, kAgent, headers);
}
std::string BodyOf(const TelegrafBatch& batch) {
  return InChunks(Gzip(batch.text()));
}

std::string SeriesOf(simdjson::dom::element series) {
  std::vector<std::string> tags;
  for (const auto& [key, value] : simdjson::dom::object(series["tags"]))
    tags.push_back(fmt::format("{}={}", key, std::string_view(value)));
  std::ranges::sort(tags);
  return fmt::format("{}{{{}}}", std::string_view(series["metric"]), fmt::join(tags, ","));
}

// All points of the metrics of `batch` that a server has.
TelegrafPoints Stored(uint16_t port, const TelegrafBatch& batch, std::string_view headers = {}) {
  std::set<std::string> metrics;
  for (const auto& [point, value] : batch.points)
    metrics.insert(point.series.substr(0, point.series.find('{')));
  TelegrafPoints points;
  simdjson::dom::parser parser;
  for (const std::string& metric : metrics) {
    const HttpResult answer = HttpCall(
        port, "GET",
        fmt::format("/api/query?start=1356990000&end=1357010000&ms=true&m=none:{}", metric), "",
        headers);
    EXPECT_EQ(answer.status, 200) << answer.body;
    for (const simdjson::dom::element series : parser.parse(answer.body).get_array()) {
      const std::string name = SeriesOf(series);
      for (const auto& [time, value] : simdjson::dom::object(series["dps"])) {
        const TelegrafPoint point{name, std::stoll(std::string(time))};
        if (value.is_int64()) {
          points[point] = int64_t{value};
        } else {
          points[point] = double{value};
        }
      }
    }
  }
  return points;
}

// Not by EXPECT_EQ alone, which would print thousands of points.
void ExpectSame(const TelegrafPoints& got, const TelegrafPoints& want) {
  EXPECT_EQ(got.size(), want.size());
  for (const auto& [point, value] : want) {
    const auto found = got.find(point);
    ASSERT_NE(found, got.end()) << point.series << " at " << point.ms;
    ASSERT_EQ(found->second, value) << point.series << " at " << point.ms;
  }
}

std::string Metrics(uint16_t port) {
  return HttpCall(port, "GET", "/metrics").body;
}

// The output influxdb: it creates its database, then writes, and after a lost answer it writes the
// same batch again. All requests are on one connection.
TEST(TelegrafTest, EveryPointOfABatchIsStoredOnceHoweverOftenItIsSent) {
  const TelegrafBatch batch = TelegrafTraffic(/*seed=*/7, /*hosts=*/12, /*rounds=*/5, kBeginMs);
  ASSERT_GE(batch.lines.size(), 1'000U);
  const TempDir directory;
  const ServerProcess server(directory.path());
  TcpClient client(server.port());

  EXPECT_EQ(Exchange(&client, fmt::format("GET /ping HTTP/1.1\r\n{}\r\n", kAgent)).status, 204);
  EXPECT_EQ(Exchange(&client, WithBody(fmt::format("POST /query HTTP/1.1\r\n{}Content-Type: "
                                                   "application/x-www-form-urlencoded\r\n",
                                                   kAgent),
                                       "q=CREATE+DATABASE+%22telegraf%22"))
                .body,
            R"({"results":[{"statement_id":0}]})");
  const std::string target = "/write?consistency=any&db=telegraf&precision=ns";
  EXPECT_EQ(Exchange(&client, HeadOf(target) + BodyOf(batch)).status, 204);
  ASSERT_TRUE(client.Send(HeadOf(target, "Expect: 100-continue\r\n")));
  EXPECT_EQ(client.ReadLines(2), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(Exchange(&client, BodyOf(batch)).status, 204);

  ExpectSame(Stored(server.port(), batch), batch.points);
  EXPECT_THAT(Metrics(server.port()),
              HasSubstr(fmt::format("hourcell_rpc_inputs_points_total{{type=\"influx\"}} {}\n",
                                    2 * batch.points.size())));
  EXPECT_THAT(Metrics(server.port()),
              HasSubstr(fmt::format(
                  "hourcell_rpc_inputs_dropped_total{{type=\"influx\",reason=\"string\"}} {}\n",
                  2 * batch.strings)));
}

// telegraf drops a batch that is answered 400: its valid points must be stored at once.
TEST(TelegrafTest, ABatchWithABadLineIsStoredButForTheLine) {
  TelegrafBatch batch = TelegrafTraffic(/*seed=*/8, /*hosts=*/2, /*rounds=*/1, kBeginMs);
  batch.lines[3] = "cpu,host=web00 usage_user=oops 1356998400000000000\n" + batch.lines[3];
  const TempDir directory;
  const ServerProcess server(directory.path());
  TcpClient client(server.port());

  const HttpResult answer = Exchange(&client, HeadOf("/write?db=telegraf") + BodyOf(batch));

  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr(R"({"error":"partial write: line 4: field \"usage_user\")"));
  ExpectSame(Stored(server.port(), batch), batch.points);
}

// The output influxdb_v2, on a server with users.
TEST(TelegrafTest, ATokenWritesAndNobodyElseDoes) {
  const TelegrafBatch batch = TelegrafTraffic(/*seed=*/9, /*hosts=*/2, /*rounds=*/1, kBeginMs);
  const TempDir directory;
  const std::string users = directory.file("users");
  std::ofstream(users) << RunProgram({"user", "add", "telegraf", "--role", "write"}, "secret\n").out
                       << RunProgram({"user", "add", "grafana", "--role", "read"}, "secret\n").out;
  ASSERT_EQ(chmod(users.c_str(), S_IRUSR | S_IWUSR), 0);
  const ServerProcess server(directory.file("store"),
                             {"--set", fmt::format("tsd.auth.file={}", users)});
  const auto write = [&](std::string_view headers) {
    TcpClient client(server.port());
    return Exchange(&client,
                    HeadOf("/api/v2/write?bucket=b&org=o&precision=ns", headers) + BodyOf(batch))
        .status;
  };

  EXPECT_EQ(write(""), 401);
  EXPECT_EQ(write("Authorization: Token telegraf.wrong\r\n"), 401);
  EXPECT_EQ(write("Authorization: Token grafana.secret\r\n"), 403);
  EXPECT_EQ(write("Authorization: Token telegraf.secret\r\n"), 204);

  ExpectSame(Stored(server.port(), batch, "Authorization: Token grafana.secret\r\n"), batch.points);
}

}  // namespace
}  // namespace hourcell::telegraf_test
