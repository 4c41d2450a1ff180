#include "server/cli/data/query/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/query_time.h"
#include "server/cli/command_line.h"
#include "server/cli/data/query_exchange.h"
#include "server/cli/opentsdb/opentsdb_source.h"

namespace hourcell {
namespace {

constexpr std::string_view kCompareCommand = "compare";
constexpr size_t kSeriesLookedUp = 1000;
constexpr double kValueTolerance = 1e-9;

using SeriesByName = std::map<std::string, const ResultSeries*>;

std::string NameOfSeries(const ResultSeries& series) {
  std::vector<std::pair<std::string, std::string>> tags = series.tags;
  std::ranges::sort(tags);
  std::string name = series.metric + "{";
  for (const auto& [key, value] : tags)
    name += fmt::format("{}{}={}", name.back() == '{' ? "" : ",", key, value);
  return name + "}";
}

SeriesByName WithPoints(const std::vector<ResultSeries>& answer) {
  SeriesByName named;
  for (const ResultSeries& series : answer) {
    if (!series.points.empty()) named.emplace(NameOfSeries(series), &series);
  }
  return named;
}

bool AreEqual(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  return std::abs(a - b) <= kValueTolerance * std::max(std::abs(a), std::abs(b));
}

// Adds a sentence about the instants of `a` that `b` lacks.
void AddMissing(const std::string& name,
                std::string_view who,
                const std::map<int64_t, double>& a,
                const std::map<int64_t, double>& b,
                std::vector<std::string>* sentences) {
  size_t missing = 0;
  int64_t first = 0;
  for (const auto& [ms, value] : a) {
    if (b.contains(ms)) continue;
    if (missing++ == 0) first = ms;
  }
  if (missing == 0) return;
  sentences->push_back(fmt::format("{} lacks {} of {} instants of {}; the first is {} ms.", who,
                                   missing, a.size(), name, first));
}

std::map<int64_t, double> PointsOf(const ResultSeries& series) {
  std::map<int64_t, double> points;
  for (const ResultPoint& point : series.points)
    points[point.ms] = point.value.ToDouble();
  return points;
}

void AddSeriesDifferences(const std::string& name,
                          const ResultSeries& series_a,
                          const ResultSeries& series_b,
                          std::vector<std::string>* sentences) {
  const std::map<int64_t, double> a = PointsOf(series_a);
  const std::map<int64_t, double> b = PointsOf(series_b);
  AddMissing(name, "B", a, b, sentences);
  AddMissing(name, "A", b, a, sentences);
  size_t common = 0;
  size_t different = 0;
  std::string first;
  double most = 0;
  for (const auto& [ms, value] : a) {
    const auto found = b.find(ms);
    if (found == b.end()) continue;
    ++common;
    if (AreEqual(value, found->second)) continue;
    if (different++ == 0)
      first = fmt::format("at {} ms A has {} and B {}", ms, value, found->second);
    const double by = std::abs(value - found->second);
    if (!std::isnan(by)) most = std::max(most, by);
  }
  if (different == 0) return;
  sentences->push_back(fmt::format("{} of {} values of {} differ, by at most {}; {}.", different,
                                   common, name, most, first));
}

// Makes random queries over the metrics and tags of a server.
class RandomQueries {
 public:
  RandomQueries(OpenTsdbSource* source,
                std::vector<std::string> metrics,
                QuerySpec range,
                uint64_t seed)
      : source_(source), metrics_(std::move(metrics)), range_(std::move(range)), random_(seed) {}

  absl::StatusOr<QuerySpec> Next() {
    SubQuery query;
    query.metric = metrics_[random_.Below(metrics_.size())];
    static constexpr std::array kAggregators = {
        Aggregator::kSum,  Aggregator::kMin,   Aggregator::kMax,    Aggregator::kAvg,
        Aggregator::kNone, Aggregator::kCount, Aggregator::kZimsum, Aggregator::kDev};
    query.aggregator = kAggregators[random_.Below(kAggregators.size())];
    static constexpr std::array<std::string_view, 8> kDownsamples = {
        "", "", "1m-avg", "5m-sum", "10m-max", "1h-count", "1h-min", "0all-avg"};
    const std::string_view downsample = kDownsamples[random_.Below(kDownsamples.size())];
    if (!downsample.empty()) query.downsample = *ParseDownsampleSpec(downsample);
    if (random_.Below(4) == 0) query.rate = RateSpec{};
    HOURCELL_RETURN_IF_ERROR(AddFilters(&query));
    QuerySpec spec = range_;
    const auto length = static_cast<uint64_t>(spec.end_ms - spec.start_ms);
    if (random_.Below(2) == 0) {
      spec.start_ms += static_cast<int64_t>(random_.Below(length / 2 + 1));
      spec.end_ms -= static_cast<int64_t>(random_.Below(length / 4 + 1));
    }
    spec.queries = {std::move(query)};
    return spec;
  }

 private:
  // Adds filters by a random series: for each tag its value, a wildcard, or no filter.
  absl::Status AddFilters(SubQuery* query) {
    const auto [known, is_new] = series_.try_emplace(query->metric);
    if (is_new) {
      absl::StatusOr<std::vector<OpenTsdbSource::Tags>> tags =
          source_->Lookup(query->metric, kSeriesLookedUp);
      // If the server lacks lookup, queries omit filters.
      if (tags.ok()) known->second = *std::move(tags);
      if (absl::IsUnavailable(tags.status())) return tags.status();
    }
    if (known->second.empty()) return absl::OkStatus();
    for (const auto& [key, value] : known->second[random_.Below(known->second.size())]) {
      const uint64_t choice = random_.Below(4);
      if (choice > 1) continue;
      query->filters.push_back(
          {.tagk = key,
           .type = choice == 0 ? FilterType::kLiteralOr : FilterType::kWildcard,
           .filter = choice == 0 ? value : "*",
           .group_by = true});
    }
    return absl::OkStatus();
  }

  OpenTsdbSource* const source_;
  const std::vector<std::string> metrics_;
  const QuerySpec range_;
  Random random_;
  std::map<std::string, std::vector<OpenTsdbSource::Tags>> series_;
};

struct CompareCounts {
  uint64_t same = 0;
  uint64_t empty = 0;  // included in same
  uint64_t different = 0;
  uint64_t too_large = 0;
};

// The differences of one query; nullopt if it is too large for one of the servers.
absl::StatusOr<std::optional<std::vector<std::string>>> Ask(const QuerySpec& spec,
                                                            OpenTsdbSource* a,
                                                            OpenTsdbSource* b,
                                                            CompareCounts* counts) {
  const auto answer_a = a->Query(spec);
  const auto answer_b = b->Query(spec);
  std::vector<std::string> sentences;
  for (const absl::Status& status : {answer_a.status(), answer_b.status()}) {
    if (absl::IsResourceExhausted(status)) return std::nullopt;
    if (!status.ok() && !absl::IsInvalidArgument(status)) return status;
  }
  if (answer_a.ok() && answer_b.ok()) {
    sentences = DifferencesOf(*answer_a, *answer_b);
    if (sentences.empty() && WithPoints(*answer_a).empty()) ++counts->empty;
  } else if (answer_a.ok() != answer_b.ok()) {
    sentences.push_back(fmt::format("{} refuses the query: {}", answer_a.ok() ? "B" : "A",
                                    MessageOf((answer_a.ok() ? answer_b : answer_a).status())));
  }
  return sentences;
}

void PrintDifference(const QuerySpec& spec,
                     const std::vector<std::string>& sentences,
                     bool json_wanted,
                     Terminal& terminal) {
  std::string text;
  if (json_wanted) {
    JsonWriter json(&text);
    json.OpenObject();
    json.Field("query", QueryBody(spec));
    json.Key("differences");
    json.OpenArray();
    for (const std::string& sentence : sentences)
      json.Value(sentence);
    json.CloseArray();
    json.CloseObject();
    text.push_back('\n');
  } else {
    text = QueryBody(spec) + "\n";
    for (const std::string& sentence : sentences)
      text += "  " + sentence + "\n";
  }
  PrintTo(terminal.out, "{}", text);
}

void PrintCounts(const CompareCounts& counts, const CompareOptions& options, Terminal& terminal) {
  if (options.json) {
    PrintTo(terminal.out,
            "{{\"same\":{},\"empty\":{},\"different\":{},\"tooLarge\":{},\"seed\":{}}}\n",
            counts.same, counts.empty, counts.different, counts.too_large, options.seed);
    return;
  }
  PrintTo(terminal.out,
          "{} {} the same answer, {} without points; {} {}; {} {} too large; seed {}\n",
          Counted(counts.same, "query"), counts.same == 1 ? "has" : "have", counts.empty,
          counts.different, counts.different == 1 ? "differs" : "differ", counts.too_large,
          counts.too_large == 1 ? "was" : "were", options.seed);
}

absl::StatusOr<CompareCounts> CompareServers(const CompareOptions& options,
                                             const QuerySpec& range,
                                             OpenTsdbSource* a,
                                             OpenTsdbSource* b,
                                             Terminal& terminal) {
  HOURCELL_ASSIGN_OR_RETURN(std::vector<std::string> metrics, a->Metrics());
  if (metrics.empty()) return absl::NotFoundError(fmt::format("{} has no metrics", a->address()));
  RandomQueries queries(a, std::move(metrics), range, options.seed);
  CompareCounts counts;
  for (uint64_t i = 0; i < options.queries; ++i) {
    HOURCELL_ASSIGN_OR_RETURN(const QuerySpec spec, queries.Next());
    HOURCELL_ASSIGN_OR_RETURN(const auto sentences, Ask(spec, a, b, &counts));
    if (!sentences.has_value()) {
      ++counts.too_large;
    } else if (sentences->empty()) {
      ++counts.same;
    } else {
      ++counts.different;
      PrintDifference(spec, *sentences, options.json, terminal);
    }
  }
  return counts;
}

absl::StatusOr<HttpUrl> UrlOfSide(const std::string& text, const TlsTrust& trust) {
  return ParseHttpUrl(text, text.starts_with("https://") ? trust : TlsTrust());
}

}  // namespace

std::vector<std::string> DifferencesOf(const std::vector<ResultSeries>& a,
                                       const std::vector<ResultSeries>& b) {
  const SeriesByName named_a = WithPoints(a);
  const SeriesByName named_b = WithPoints(b);
  std::vector<std::string> sentences;
  for (const auto& [name, series] : named_a) {
    const auto found = named_b.find(name);
    if (found == named_b.end()) {
      sentences.push_back(fmt::format("B lacks the series {}, of {}.", name,
                                      Counted(series->points.size(), "point")));
    } else {
      AddSeriesDifferences(name, *series, *found->second, &sentences);
    }
  }
  for (const auto& [name, series] : named_b) {
    if (named_a.contains(name)) continue;
    sentences.push_back(fmt::format("A lacks the series {}, of {}.", name,
                                    Counted(series->points.size(), "point")));
  }
  return sentences;
}

int RunCompare(const CompareOptions& options, Terminal& terminal) {
  absl::StatusOr<HttpUrl> url_a = UrlOfSide(options.url_a, options.trust);
  if (!url_a.ok()) return FailUsage(terminal, kCompareCommand, StatusText(url_a.status()));
  const absl::StatusOr<HttpUrl> url_b = UrlOfSide(options.url_b, options.trust);
  if (!url_b.ok()) return FailUsage(terminal, kCompareCommand, StatusText(url_b.status()));
  const int64_t now_ms = terminal.clock->NowMs();
  const absl::StatusOr<int64_t> start = ParseQueryTime(options.start, {}, now_ms);
  if (!start.ok()) return FailUsage(terminal, kCompareCommand, StatusText(start.status()));
  const absl::StatusOr<int64_t> end = ParseQueryTime(options.end, {}, now_ms);
  if (!end.ok()) return FailUsage(terminal, kCompareCommand, StatusText(end.status()));
  if (*start >= *end) return FailUsage(terminal, kCompareCommand, "--start is not before --end");

  url_a->token_variable = kSourceTokenVariable;
  OpenTsdbSource a(*url_a);
  OpenTsdbSource b(*url_b);
  const absl::StatusOr<CompareCounts> counts = CompareServers(
      options, {.start_ms = *start, .end_ms = *end, .queries = {}}, &a, &b, terminal);
  if (!counts.ok()) return Fail(terminal, kCompareCommand, counts.status());
  PrintCounts(*counts, options, terminal);
  if (counts->different > 0) return kExitFailure;
  if (counts->same > counts->empty) return kExitOk;
  return Fail(terminal, kCompareCommand,
              absl::NotFoundError("nothing was compared: no query found a point in the range from "
                                  "--start to --end; choose one that has points"));
}

int CompareMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("compare",
                   "Sends the same random queries to two servers and prints the differences.");
  CompareOptions options;
  line.AddWord("URL_A", &options.url_a, "a server; the queries use its metrics and tags");
  line.AddWord("URL_B", &options.url_b, "the server that is compared with it");
  line.AddOption("--start", &options.start, "TIME", "begin of the queries (default: 1d-ago)");
  line.AddOption("--end", &options.end, "TIME", "end of the queries (default: now)");
  line.AddOption("--queries", &options.queries, "N", "number of queries (default: 100)");
  line.AddOption("--seed", &options.seed, "N", "random seed (default: 1)");
  line.AddFlag("--json", &options.json, "print an object for each difference, and the counts");
  line.AddOption("--ca-file", &options.trust.ca_file, "FILE",
                 "trust the certificates of this file for https");
  line.AddFlag("--insecure", &options.trust.insecure, "do not verify certificates");
  line.set_footer(
      "The token of URL_A is that of the environment variable HOURCELL_SOURCE_TOKEN, that of\n"
      "URL_B of HOURCELL_TOKEN. Exit codes: 0 if all answers are the same and some have points,\n"
      "1 if one differs or none has points.\n"
      "\nExamples:\n"
      "  hourcell compare http://tsdb:4242 http://localhost:4242 --start 7d-ago --queries 1000\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunCompare(options, terminal);
}

}  // namespace hourcell
