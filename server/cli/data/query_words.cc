#include "server/cli/data/query_words.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query.h"
#include "engine/query/query_time.h"
#include "engine/tsdb.h"
#include "server/query/query_request.h"
#include "server/query/query_string.h"

namespace hourcell {
namespace {

absl::Status BadWord(std::string_view what, std::string_view got, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("{}: expected {}, got {}", what, want, QuoteForMessage(got)));
}

// Reads the words one by one.
class WordCursor {
 public:
  explicit WordCursor(std::span<const std::string> words) : words_(words) {}

  bool done() const { return words_.empty(); }
  // REQUIRES: !done().
  std::string_view peek() const { return words_.front(); }
  bool has_after(size_t n) const { return words_.size() > n; }

  std::string_view Take() {
    const std::string_view word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  bool TakeIf(std::string_view word) {
    if (done() || peek() != word) return false;
    words_ = words_.subspan(1);
    return true;
  }
  absl::StatusOr<std::string_view> Want(std::string_view what) {
    if (done()) return absl::InvalidArgumentError(fmt::format("{} is missing", what));
    return Take();
  }

 private:
  std::span<const std::string> words_;
};

bool IsTime(std::string_view word, int64_t now_ms) {
  return ParseQueryTime(word, "UTC", now_ms).ok();
}

bool IsTag(std::string_view word) {
  return word.find('=') != std::string_view::npos;
}

// START [END]; an absent time is empty.
QueryTimes TakeTimes(WordCursor& words, int64_t now_ms) {
  QueryTimes times;
  if (!words.done()) times.start = words.Take();
  if (!words.done() && IsTime(words.peek(), now_ms)) times.end = words.Take();
  return times;
}

absl::StatusOr<std::vector<TagFilterSpec>> TakeTags(WordCursor& words, bool group_by) {
  std::vector<TagFilterSpec> filters;
  while (!words.done() && IsTag(words.peek())) {
    const std::string_view word = words.Take();
    const size_t equals = word.find('=');
    if (equals == 0 || equals + 1 == word.size()) return BadWord("tag", word, "tagk=tagv");
    HOURCELL_ASSIGN_OR_RETURN(
        TagFilterSpec filter,
        ParseTagValueFilter(word.substr(0, equals), word.substr(equals + 1), group_by));
    filters.push_back(std::move(filter));
  }
  return filters;
}

absl::Status ParseCounterPart(std::string_view text, int64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  if (error == std::errc() && end == text.data() + text.size()) return absl::OkStatus();
  return BadWord("counter", text, "counter[,max[,reset]] with integers");
}

// "counter[,max[,reset]]"
absl::StatusOr<RateSpec> ParseCounter(std::string_view word) {
  RateSpec rate{.counter = true};
  const size_t max_begin = word.find(',');
  if (max_begin == std::string_view::npos) return rate;
  word.remove_prefix(max_begin + 1);
  const size_t comma = word.find(',');
  HOURCELL_RETURN_IF_ERROR(ParseCounterPart(word.substr(0, comma), &rate.counter_max));
  if (comma == std::string_view::npos) return rate;
  HOURCELL_RETURN_IF_ERROR(ParseCounterPart(word.substr(comma + 1), &rate.reset_value));
  return rate;
}

// "N FUNC" after the word downsample.
absl::StatusOr<DownsampleSpec> TakeDownsample(WordCursor& words) {
  HOURCELL_ASSIGN_OR_RETURN(const std::string_view interval, words.Want("downsample interval"));
  HOURCELL_ASSIGN_OR_RETURN(const std::string_view function, words.Want("downsample function"));
  const bool is_number = interval.find_first_not_of("0123456789") == std::string_view::npos;
  return ParseDownsampleSpec(fmt::format("{}{}-{}", interval, is_number ? "ms" : "", function));
}

absl::StatusOr<SubQuery> TakeSubQuery(WordCursor& words) {
  SubQuery query;
  if (words.peek().find(':') != std::string_view::npos) {
    return absl::InvalidArgumentError(
        fmt::format("query: expected AGG metric [tagk=tagv ...], got {}; with colons, use -m '{}'",
                    QuoteForMessage(words.peek()), words.peek()));
  }
  HOURCELL_ASSIGN_OR_RETURN(query.aggregator, ParseAggregator(words.Take()));
  if (words.TakeIf("rate")) {
    query.rate.emplace();
    if (!words.done() && (words.peek() == "counter" || words.peek().starts_with("counter,"))) {
      HOURCELL_ASSIGN_OR_RETURN(query.rate, ParseCounter(words.Take()));
    }
  }
  if (words.TakeIf("downsample")) {
    HOURCELL_ASSIGN_OR_RETURN(query.downsample, TakeDownsample(words));
  }
  HOURCELL_ASSIGN_OR_RETURN(query.metric, words.Want("metric"));
  if (IsTag(query.metric)) return BadWord("metric", query.metric, "a metric before its tags");
  HOURCELL_ASSIGN_OR_RETURN(query.filters, TakeTags(words, /*group_by=*/true));
  return query;
}

absl::StatusOr<std::vector<SubQuery>> TakeSubQueries(WordCursor& words,
                                                     std::span<const std::string> m_texts) {
  std::vector<SubQuery> queries;
  for (const std::string& m : m_texts) {
    HOURCELL_ASSIGN_OR_RETURN(SubQuery query, ParseSubQueryText(m));
    queries.push_back(std::move(query));
  }
  if (!m_texts.empty() && !words.done())
    return BadWord("time", words.peek(), "only START [END] with -m");
  while (!words.done()) {
    HOURCELL_ASSIGN_OR_RETURN(SubQuery query, TakeSubQuery(words));
    queries.push_back(std::move(query));
  }
  return queries;
}

}  // namespace

absl::StatusOr<QuerySpec> ParseQueryWords(std::span<const std::string> words_in,
                                          std::span<const std::string> m_texts,
                                          int64_t now_ms) {
  for (const std::string& word : words_in) {
    if (word.starts_with('+'))
      return BadWord("query", word, "no gnuplot options, because no graph is drawn");
  }
  WordCursor words(words_in);
  if (words.done()) return absl::InvalidArgumentError("START is missing");
  const QueryTimes times = TakeTimes(words, now_ms);
  QueryRequest request;
  HOURCELL_ASSIGN_OR_RETURN(request.spec.queries, TakeSubQueries(words, m_texts));
  if (request.spec.queries.empty()) {
    return absl::InvalidArgumentError(
        "the query is missing; give AGG metric [tagk=tagv ...], or -m");
  }
  HOURCELL_RETURN_IF_ERROR(CompleteQueryRequest(times, /*use_calendar=*/false, now_ms, &request));
  return std::move(request.spec);
}

absl::StatusOr<QuerySpec> ParseDeletionWords(std::span<const std::string> words_in,
                                             std::span<const std::string> m_texts,
                                             int64_t now_ms) {
  WordCursor words(words_in);
  if (words.done()) return absl::InvalidArgumentError("START is missing");
  const QueryTimes times = TakeTimes(words, now_ms);
  if (!words.done()) return BadWord("time", words.peek(), "only START [END]");
  QueryRequest request;
  for (const std::string& m : m_texts) {
    HOURCELL_ASSIGN_OR_RETURN(SubQuery query, ParseDeletionText(m));
    request.spec.queries.push_back(std::move(query));
  }
  if (m_texts.empty()) return absl::InvalidArgumentError("the selection is missing; give -m");
  HOURCELL_RETURN_IF_ERROR(CompleteQueryRequest(times, /*use_calendar=*/false, now_ms, &request));
  return std::move(request.spec);
}

absl::StatusOr<ScanSpec> ParseScanWords(std::span<const std::string> words_in, int64_t now_ms) {
  ScanSpec spec;
  WordCursor words(words_in);
  if (words.done()) return spec;

  const QueryTimes times = TakeTimes(words, now_ms);
  HOURCELL_ASSIGN_OR_RETURN(spec.start_ms, ParseQueryTime(times.start, "UTC", now_ms));
  if (!times.end.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(spec.end_ms, ParseQueryTime(times.end, "UTC", now_ms));
  }
  if (spec.end_ms < spec.start_ms)
    return BadWord("END", times.end, "a time that is not before START");
  if (words.done()) return spec;

  // OpenTSDB requires an aggregator here and ignores it.
  if (words.has_after(1) && ParseAggregator(words.peek()).ok()) {
    WordCursor rest = words;
    rest.Take();
    if (!IsTag(rest.peek())) words = rest;
  }
  spec.metric = words.Take();
  if (IsTag(spec.metric)) return BadWord("metric", spec.metric, "a metric before its tags");
  HOURCELL_ASSIGN_OR_RETURN(spec.filters, TakeTags(words, /*group_by=*/false));
  if (!words.done()) return BadWord("scan", words.peek(), "one metric and its tags");
  return spec;
}

}  // namespace hourcell
