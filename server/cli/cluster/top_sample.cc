#include "server/cli/cluster/top_sample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/text/number.h"

namespace hourcell {
namespace {

absl::Status NotThis(std::string_view what) {
  return absl::DataLossError(fmt::format("the server's response is not {}", what));
}

void AddWord(std::string_view word, std::string* text) {
  if (!text->empty()) *text += ' ';
  *text += word;
}

// A short text for a query in the list.
std::string ShortText(simdjson::dom::element query) {
  std::string text;
  std::string_view word;
  for (const char* const field : {"type", "kind", "metric"}) {
    if (query[field].get(word) == simdjson::SUCCESS) AddWord(word, &text);
  }
  simdjson::dom::array queries;
  if (query["queries"].get(queries) == simdjson::SUCCESS) {
    for (const simdjson::dom::element sub_query : queries) {
      std::string_view aggregator;
      if (sub_query["matchers"].get(word) == simdjson::SUCCESS) AddWord(word, &text);
      if (sub_query["metric"].get(word) != simdjson::SUCCESS) continue;
      const bool has_aggregator = sub_query["aggregator"].get(aggregator) == simdjson::SUCCESS;
      AddWord(has_aggregator ? fmt::format("{}:{}", aggregator, word) : std::string(word), &text);
    }
  }
  return text.empty() ? simdjson::to_string(query) : text;
}

// The last number of an array after dropping `skip` numbers; 0 if there are too few.
uint64_t FromTheEnd(simdjson::dom::array numbers, size_t skip) {
  uint64_t number = 0;
  const size_t size = numbers.size();
  if (size <= skip || numbers.at(size - 1 - skip).get(number) != simdjson::SUCCESS) return 0;
  return number;
}

absl::Status Refused(const HttpClient& client, const HttpReply& reply) {
  return absl::UnavailableError(fmt::format("{}: {}", client.address(), HttpErrorText(reply)));
}

}  // namespace

std::map<std::string, double> ParseTopMetrics(std::string_view text) {
  std::map<std::string, double> values;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t blank = line.rfind(' ');
    if (line.starts_with('#') || blank == std::string_view::npos) continue;
    const Parsed<double> value = ParseDouble(line.substr(blank + 1));
    if (value.ok() && std::isfinite(*value)) values.emplace(line.substr(0, blank), *value);
  }
  return values;
}

absl::StatusOr<std::vector<TopQuery>> ParseTopQueries(std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array running;
  if (parser.parse(body.data(), body.size()).get(document) || document["running"].get(running)) {
    return NotThis("list of queries");
  }
  std::vector<TopQuery> queries;
  for (const simdjson::dom::element element : running) {
    TopQuery query;
    simdjson::dom::element asked;
    std::string_view client;
    if (element["queryId"].get(query.id) || element["query"].get(asked) ||
        element["remote"].get(client) || element["elapsed"].get(query.age_ms) ||
        element.at_pointer("/stats/rows").get(query.rows) ||
        element.at_pointer("/stats/points").get(query.points) ||
        element.at_pointer("/stats/memory").get(query.memory)) {
      return NotThis("list of queries");
    }
    std::string_view user;
    if (element["user"].get(user) == simdjson::SUCCESS) query.user = user;
    query.client = client;
    query.text = ShortText(asked);
    queries.push_back(std::move(query));
  }
  return queries;
}

absl::StatusOr<std::vector<TopRegion>> ParseTopRegions(std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array list;
  uint64_t step_ms = 0;
  if (parser.parse(body.data(), body.size()).get(document) || document["regions"].get(list) ||
      document["step_ms"].get(step_ms) || step_ms == 0) {
    return NotThis("list of regions");
  }
  std::vector<TopRegion> regions;
  for (const simdjson::dom::element element : list) {
    TopRegion region;
    std::string_view start;
    bool is_open = false;
    simdjson::dom::array written;
    simdjson::dom::array bytes;
    if (element["id"].get(region.id) || element["start"].get(start) ||
        element["is_open"].get(is_open) || element["points_written"].get(written) ||
        element["bytes"].get(bytes)) {
      return NotThis("list of regions");
    }
    if (!is_open) continue;
    region.start = start;
    // The last step is still running.
    region.points_per_s =
        static_cast<double>(FromTheEnd(written, 1)) * 1000 / static_cast<double>(step_ms);
    region.bytes = FromTheEnd(bytes, 0);
    regions.push_back(std::move(region));
  }
  std::ranges::sort(regions, [](const TopRegion& a, const TopRegion& b) {
    return std::tie(b.points_per_s, a.id) < std::tie(a.points_per_s, b.id);
  });
  return regions;
}

absl::StatusOr<TopSample> TakeTopSample(HttpClient* client, int64_t now_ms) {
  TopSample sample{.at_ms = now_ms};
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply metrics, client->Get("/metrics"));
  if (metrics.status != kHttpOk) return Refused(*client, metrics);
  sample.values = ParseTopMetrics(metrics.body);
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply queries, client->Get("/api/stats/query"));
  if (queries.status != kHttpOk) return Refused(*client, queries);
  HOURCELL_ASSIGN_OR_RETURN(sample.queries, ParseTopQueries(queries.body));
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply loads, client->Get("/api/admin/regions/loads"));
  // Only administrators may see the regions.
  if (loads.status == kHttpOk) {
    HOURCELL_ASSIGN_OR_RETURN(sample.regions, ParseTopRegions(loads.body));
  }
  return sample;
}

}  // namespace hourcell
