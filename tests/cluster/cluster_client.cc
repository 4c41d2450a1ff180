#include "tests/cluster/cluster_client.h"

#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

namespace hourcell {
namespace {

// Longer than most answers take, and shorter than a node may be stopped.
constexpr int64_t kPatienceMs = 3000;
constexpr int64_t kStartS = 1356998400;
constexpr int kSeries = 24;
constexpr int kOftenSeries = 6;
constexpr int kHours = 3;
constexpr int64_t kOffsets[] = {0, 100, 3590};

bool SaysNoSuchName(const HttpResult& result) {
  return result.status == 400 && result.body.find("No such name") != std::string::npos;
}

// False: not the whole answer.
bool ParseAnswer(const std::string& body, std::map<PointKey, int64_t>* points) {
  simdjson::dom::parser parser;
  simdjson::dom::array all;
  if (parser.parse(body).get(all) != simdjson::SUCCESS) return false;
  for (const simdjson::dom::element series : all) {
    std::string_view name;
    simdjson::dom::object dps;
    PointKey key;
    if (series["tags"]["h"].get(name) != simdjson::SUCCESS || name.empty()) return false;
    if (series["dps"].get(dps) != simdjson::SUCCESS) return false;
    std::from_chars(name.data() + 1, name.data() + name.size(), key.series);
    for (const auto& [second, value] : dps) {
      std::from_chars(second.data(), second.data() + second.size(), key.second);
      double number = 0;
      if (value.get(number) != simdjson::SUCCESS) return false;
      (*points)[key] = static_cast<int64_t>(number);
    }
  }
  return true;
}

}  // namespace

bool ClusterClient::Step() {
  const int node = static_cast<int>(random_.Below(load_.ports.size()));
  const uint64_t what = random_.Below(20);
  if (what < 8) return PutHttp(node);
  if (what < 12) return PutTelnet(node);
  if (what < 14) return Delete(node);
  return what < 18 ? Read(node) : Read(node, NextSeries());
}

int ClusterClient::NextSeries() {
  const bool is_often = random_.Below(4) > 0;
  return static_cast<int>(random_.Below(is_often ? kOftenSeries : kSeries));
}

std::map<PointKey, int64_t> ClusterClient::NextPoints() {
  std::map<PointKey, int64_t> points;
  for (uint64_t left = 1 + random_.Below(4); left > 0; --left) {
    const auto hour = static_cast<int64_t>(random_.Below(kHours));
    points[{.series = NextSeries(),
            .second = kStartS + hour * 3600 + kOffsets[random_.Below(std::size(kOffsets))]}] =
        ++load_.last_value;
  }
  return points;
}

void ClusterClient::Record(const std::map<PointKey, int64_t>& points,
                           Moment begun,
                           bool is_known,
                           const std::string& by) {
  const Moment ended = is_known ? load_.history->Now() : kNeverEnds;
  for (const auto& [key, value] : points)
    load_.history->Add(
        HistoryWrite{.key = key, .value = value, .begun = begun, .ended = ended, .by = by});
}

void ClusterClient::NoteStatus(const std::string& what, const HttpResult& result) {
  MutexLock lock(&load_.mutex);
  ++load_.statuses[fmt::format("{} {}", what, result.status)];
}

bool ClusterClient::PutHttp(int node) {
  const std::map<PointKey, int64_t> points = NextPoints();
  std::string body;
  for (const auto& [key, value] : points) {
    body += fmt::format(R"({}{{"metric":"m","timestamp":{},"value":{},"tags":{{"h":"s{}"}}}})",
                        body.empty() ? "[" : ",", key.second, value, key.series);
  }
  const Moment begun = load_.history->Now();
  TcpClient client(PortOf(node), kPatienceMs);
  if (!client.is_connected()) return false;
  const HttpResult result = HttpCallOn(&client, "POST", "/api/put", body + "]");
  NoteStatus("put", result);
  if (result.status == 204) Heard(node);
  Record(points, begun, result.status == 204, fmt::format("put node {}: {}", node, result.status));
  return true;
}

bool ClusterClient::PutTelnet(int node) {
  const std::map<PointKey, int64_t> points = NextPoints();
  std::string lines;
  for (const auto& [key, value] : points)
    lines += fmt::format("put m {} {} h=s{}\n", key.second, value, key.series);
  const Moment begun = load_.history->Now();
  TcpClient client(PortOf(node), kPatienceMs);
  if (!client.is_connected()) return false;
  client.Send(lines + "version\n");
  // Lines of errors may come first; the answer to `version` has two lines.
  std::string answer = client.ReadLines(1);
  bool is_taken = answer.starts_with("hourcell ");
  if (is_taken) is_taken = client.ReadLines(1).starts_with("Built with ");
  if (is_taken) Heard(node);
  Record(points, begun, is_taken, fmt::format("telnet node {}: {}", node, is_taken));
  return true;
}

bool ClusterClient::Delete(int node) {
  const PointKey key = NextPoints().begin()->first;
  const Moment begun = load_.history->Now();
  TcpClient client(PortOf(node), kPatienceMs);
  if (!client.is_connected()) return false;
  const HttpResult result = HttpCallOn(&client, "DELETE",
                                       fmt::format("/api/query?start={}&end={}&m=none:m%7Bh=s{}%7D",
                                                   key.second, key.second + 1, key.series));
  NoteStatus("delete", result);
  if (SaysNoSuchName(result)) return true;  // and nothing is deleted
  load_.history->Add(HistoryWrite{.key = key,
                                  .value = std::nullopt,
                                  .begun = begun,
                                  .ended = result.status == 200 ? load_.history->Now() : kNeverEnds,
                                  .by = fmt::format("delete node {}: {}", node, result.status)});
  return true;
}

// By the tag, for all series or for one, so that the read also uses the index of series.
bool ClusterClient::Read(int node, std::optional<int> series) {
  HistoryAnswer answer;
  answer.series = series;
  answer.begun = load_.history->Now();
  TcpClient client(PortOf(node), kPatienceMs);
  if (!client.is_connected()) return false;
  const std::string tag = series.has_value() ? fmt::format("s{}", *series) : "*";
  const HttpResult result = HttpCallOn(&client, "GET",
                                       fmt::format("/api/query?start={}&end={}&m=none:m%7Bh={}%7D",
                                                   kStartS, kStartS + int64_t{kHours} * 3600, tag));
  NoteStatus("query", result);
  const bool is_known =
      SaysNoSuchName(result) || (result.status == 200 && ParseAnswer(result.body, &answer.points));
  if (!is_known) return false;
  Heard(node);
  answer.ended = load_.history->Now();
  answer.by = fmt::format("node {}", node);
  load_.history->Add(std::move(answer));
  return true;
}

}  // namespace hourcell
