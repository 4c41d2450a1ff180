#include "server/query_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/number.h"
#include "engine/query.h"
#include "server/http_router.h"
#include "server/json_text.h"
#include "server/query_handler.h"
#include "server/query_request.h"
#include "server/query_string.h"

namespace hourcell {
namespace {

bool IsRelative(std::string_view time) {
  constexpr std::string_view kAgo = "-ago";
  if (time.size() < kAgo.size()) return false;
  std::string end(time.substr(time.size() - kAgo.size()));
  absl::AsciiStrToLower(&end);
  return end == kAgo;
}

std::string_view ParamOrEmpty(const HttpRequest& request, std::string_view name) {
  const std::string* const value = request.param(name);
  return value == nullptr ? std::string_view() : *value;
}

// One "o" (options of a graph's line) for each m, or none.
absl::Status CheckOptions(const HttpRequest& request) {
  const auto count = [&](std::string_view name) {
    return std::ranges::count(request.params, name, &std::pair<std::string, std::string>::first);
  };
  if (count("o") == 0 || count("o") == count("m")) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{} `o' parameters, but {} `m' parameters.", count("o"), count("m")));
}

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// Leads to the page of graphs, which reads the query behind the '#'.
HttpResponse RedirectPage(const HttpRequest& request) {
  const size_t question = request.target.find('?');
  const std::string query =
      question == std::string::npos ? "" : request.target.substr(question + 1);
  HttpResponse response;
  response.content_type = "text/html; charset=UTF-8";
  response.body =
      fmt::format("<html><head><meta http-equiv=\"refresh\" content=\"0; url=/#{}\"></head></html>",
                  EscapeHtml(query));
  return response;
}

void AppendLine(const ResultSeries& series,
                const ResultPoint& point,
                std::string_view tags,
                std::string* out) {
  fmt::format_to(std::back_inserter(*out), "{} {} ", series.metric, point.ms / 1000);
  if (point.value.is_integer()) {
    fmt::format_to(std::back_inserter(*out), "{}", point.value.integer());
  } else {
    AppendJavaDouble(point.value.floating(), out);
  }
  out->append(tags);
  out->push_back('\n');
}

std::string AsciiOf(const QueryResult& result) {
  std::string out;
  std::string tags;
  for (const ResultSeries& series : result.series) {
    tags.clear();
    for (const auto& [tagk, tagv] : series.tags)
      fmt::format_to(std::back_inserter(tags), " {}={}", tagk, tagv);
    for (const ResultPoint& point : series.points) {
      if (!std::isnan(point.value.ToDouble())) AppendLine(series, point, tags, &out);
    }
  }
  return out;
}

std::string JsonOf(const QuerySpec& spec, const QueryResult& result, int64_t elapsed_ms) {
  uint64_t plotted = 0;
  std::vector<std::set<std::string>> tags(spec.queries.size());
  for (const ResultSeries& series : result.series) {
    plotted += static_cast<uint64_t>(std::ranges::count_if(series.points, [&](const auto& point) {
      return point.ms >= spec.start_ms && point.ms <= spec.end_ms;
    }));
    tags[series.query_index].insert(series.aggregate_tags.begin(), series.aggregate_tags.end());
  }
  std::string out =
      fmt::format("{{\"plotted\":{},\"points\":{},\"etags\":[", plotted, result.points_read);
  for (size_t i = 0; i < tags.size(); ++i) {
    out += i == 0 ? "[" : ",[";
    for (const std::string& tagk : tags[i]) {
      if (out.back() != '[') out.push_back(',');
      AppendJsonString(tagk, &out);
    }
    out.push_back(']');
  }
  fmt::format_to(std::back_inserter(out), "],\"timing\":{}}}", elapsed_ms);
  return out;
}

}  // namespace

HttpResponse AnswerQueryPage(const HttpRequest& request, Tsdb* tsdb, Clock* clock) {
  const bool as_ascii = request.has_param("ascii");
  const bool as_json = request.has_param("json");
  if (!as_ascii && !as_json) {
    if (!request.has_param("png")) return RedirectPage(request);
    return PageError(request, 501, "Graphs are not drawn (png); want ascii or json");
  }
  const int64_t now_ms = clock->NowMs();
  absl::StatusOr<QueryRequest> query = ParseQueryString(request, now_ms);
  if (query.ok()) {
    if (const absl::Status checked = CheckOptions(request); !checked.ok()) query = checked;
  }
  if (!query.ok()) return PageError(request, 400, std::string(query.status().message()));
  query->spec.keep_scanned = true;
  const absl::StatusOr<QueryResult> result = tsdb->Query(query->spec);
  if (!result.ok()) {
    return PageError(request, QueryError(result.status()).status,
                     std::string(result.status().message()));
  }
  HttpResponse response;
  if (as_ascii) {
    response.content_type = "text/plain; charset=UTF-8";
    response.body = AsciiOf(*result);
  } else {
    response.body = JsonOf(query->spec, *result, clock->NowMs() - now_ms);
  }
  const int64_t max_age_s = request.has_param("nocache")
                                ? 0
                                : PageMaxAgeS(query->spec, ParamOrEmpty(request, "start"),
                                              ParamOrEmpty(request, "end"), now_ms);
  response.headers.emplace_back("Cache-Control", fmt::format("max-age={}", max_age_s));
  return response;
}

int64_t PageMaxAgeS(const QuerySpec& spec,
                    std::string_view start,
                    std::string_view end,
                    int64_t now_ms) {
  constexpr int64_t kDayS = 86'400;
  constexpr int64_t kHourMs = 3'600'000;
  if (spec.end_ms > now_ms) return 0;
  if (spec.end_ms < now_ms - kHourMs && !IsRelative(start) && !IsRelative(end)) return kDayS;
  return (spec.end_ms - spec.start_ms) / 1000 / 1024;
}

}  // namespace hourcell
