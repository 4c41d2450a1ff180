#include "server/query/query_registry.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "server/http/http_response.h"
#include "server/query/query_echo.h"
#include "server/query/query_writer.h"
#include "server/text/json_text.h"

// Why small requests are kept and not their texts: the text of a request of one series took a fifth
// of the instructions of its answer, and the list is printed for one request in thousands.

namespace hourcell {

std::string ListedQueryText(const QueryRequest& query) {
  const QuerySpec& spec = query.spec;
  std::string text =
      fmt::format("{{\"start\":{},\"end\":{},\"msResolution\":{},\"showTSUIDs\":{},\"queries\":[",
                  spec.start_ms, spec.end_ms, query.printing.ms, query.printing.show_tsuids);
  constexpr size_t kUsualBytes = 1024;
  text.reserve(kUsualBytes);
  size_t listed = 0;
  for (; listed < spec.queries.size() && text.size() < kListedQueryBytesMax; ++listed) {
    if (listed > 0) text.push_back(',');
    AppendSubQueryJson(spec.queries[listed], listed, &text);
  }
  text.push_back(']');
  if (listed < spec.queries.size()) {
    fmt::format_to(std::back_inserter(text), ",\"queriesNotListed\":{}",
                   spec.queries.size() - listed);
  }
  text.push_back('}');
  return text;
}

namespace {

std::string WithinBounds(std::string text) {
  if (text.size() <= kListedTextBytesMax) return text;
  return fmt::format("{{\"bytesNotListed\":{}}}", text.size());
}

// True if the request takes little memory: a hundred are kept, and a request may have a megabyte of
// filters.
bool IsSmall(const QuerySpec& spec) {
  constexpr size_t kKeptSubQueriesMax = 16;
  if (spec.queries.size() > kKeptSubQueriesMax) return false;
  size_t bytes = 0;
  for (const SubQuery& query : spec.queries) {
    bytes += query.metric.size() + query.percentiles.size() * sizeof(double);
    bytes += query.functions.size() * sizeof(FunctionSpec);
    for (const std::string& tsuid : query.tsuids)
      bytes += sizeof(tsuid) + tsuid.size();
    for (const TagFilterSpec& filter : query.filters)
      bytes += sizeof(filter) + filter.tagk.size() + filter.filter.size();
  }
  return bytes <= kListedQueryBytesMax;
}

}  // namespace

ListedQuery::ListedQuery(std::string text) : text_(WithinBounds(std::move(text))) {}

ListedQuery::ListedQuery(std::shared_ptr<const QueryRequest> request) {
  if (IsSmall(request->spec)) {
    request_ = std::move(request);
  } else {
    text_ = WithinBounds(ListedQueryText(*request));
  }
}

std::string ListedQuery::Text() const {
  return request_ == nullptr ? text_ : WithinBounds(ListedQueryText(*request_));
}

namespace {

void AppendStats(const QueryCost& cost, std::string* out) {
  fmt::format_to(std::back_inserter(*out),
                 ",\"stats\":{{\"series\":{},\"rows\":{},\"rowsSkipped\":{},\"points\":{},"
                 "\"bytes\":{},\"memory\":{}}}",
                 cost.series, cost.rows, cost.rows_skipped, cost.points, cost.bytes, cost.memory);
}

void AppendListedPlans(std::span<const PlanReport> plans, std::string* out) {
  out->append(",\"explain\":");
  AppendPlans(plans, out);
}

// The fields with which an object of either list begins.
void AppendBegin(uint64_t id,
                 std::string_view text,
                 std::string_view remote,
                 std::string_view user,
                 int64_t start_ms,
                 std::string* out) {
  fmt::format_to(std::back_inserter(*out), "{{\"queryId\":{},\"query\":{},\"remote\":", id, text);
  AppendJsonString(remote, out);
  if (!user.empty()) {
    out->push_back(',');
    AppendJsonPair("user", user, out);
  }
  fmt::format_to(std::back_inserter(*out), ",\"queryStartTimestamp\":{}", start_ms);
}

}  // namespace

uint64_t QueryRegistry::Begin(ListedQuery query,
                              std::string_view remote,
                              std::shared_ptr<QueryControl> control,
                              std::string_view user) {
  Query entry{.id = 0,
              .query = std::move(query),
              .remote = std::string(remote),
              .user = std::string(user),
              .start_ms = clock_->NowMs(),
              .begun_ms = clock_->MonotonicMs(),
              .control = std::move(control),
              .end_ms = 0,
              .took_ms = 0,
              .cost = {},
              .plans = {},
              .outcome = {}};
  MutexLock lock(&mutex_);
  entry.id = ++last_id_;
  running_.push_back(std::move(entry));
  return last_id_;
}

std::list<QueryRegistry::Query>::iterator QueryRegistry::FindRunning(uint64_t id) {
  return std::ranges::find(running_, id, &Query::id);
}

void QueryRegistry::End(uint64_t id, QueryOutcome outcome) {
  MutexLock lock(&mutex_);
  const auto it = FindRunning(id);
  HOURCELL_CHECK(it != running_.end());
  const int64_t took_ms = clock_->MonotonicMs() - it->begun_ms;
  if (outcome.background && outcome.exception.empty() && took_ms < kQuickBackgroundMs) {
    running_.erase(it);
    return;
  }
  completed_.splice(completed_.begin(), running_, it);
  Query& query = completed_.front();
  query.end_ms = clock_->NowMs();
  query.took_ms = took_ms;
  query.cost = query.control->cost();
  query.plans = query.control->TakePlans();
  query.plans.resize(std::min(query.plans.size(), kListedPlansMax));
  query.control = nullptr;
  query.outcome = std::move(outcome);
  if (completed_.size() > kCompletedQueriesMax) PassOnOldest();
}

void QueryRegistry::PassOnOldest() {
  const int64_t now_ms = clock_->NowMs();
  // Not each time: most queries are quick, and pass by.
  if (now_ms - slow_swept_ms_ > kSlowQueriesKeptMs / 24) {
    slow_swept_ms_ = now_ms;
    slow_.remove_if(
        [now_ms](const Query& query) { return now_ms - query.end_ms > kSlowQueriesKeptMs; });
  }
  const Query& oldest = completed_.back();
  if (slow_.size() >= kSlowQueriesMax && slow_.back().took_ms >= oldest.took_ms) {
    completed_.pop_back();
    return;
  }
  const auto place = std::ranges::find_if(
      slow_, [&oldest](const Query& query) { return query.took_ms < oldest.took_ms; });
  slow_.splice(place, completed_, std::prev(completed_.end()));
  if (slow_.size() > kSlowQueriesMax) slow_.pop_back();
}

void QueryRegistry::Forget(uint64_t id) {
  MutexLock lock(&mutex_);
  const auto it = FindRunning(id);
  HOURCELL_CHECK(it != running_.end());
  running_.erase(it);
}

absl::StatusOr<std::string> QueryRegistry::Cancel(uint64_t id) {
  MutexLock lock(&mutex_);
  const auto it = FindRunning(id);
  if (it == running_.end()) {
    return absl::NotFoundError(fmt::format("No query of the id {} is running", id));
  }
  it->control->Cancel();
  std::string text;
  AppendRunning(*it, clock_->MonotonicMs(), &text);
  return text;
}

std::string QueryRegistry::Json() const {
  MutexLock lock(&mutex_);
  std::string text = "{\"completed\":[";
  for (const Query& query : completed_) {
    if (text.back() != '[') text.push_back(',');
    AppendCompleted(query, &text);
  }
  text += "],\"running\":[";
  const int64_t now_ms = clock_->MonotonicMs();
  for (const Query& query : running_) {
    if (text.back() != '[') text.push_back(',');
    AppendRunning(query, now_ms, &text);
  }
  if (slow_.empty()) return text + "]}";
  text += "],\"slow\":[";
  for (const Query& query : slow_) {
    if (text.back() != '[') text.push_back(',');
    AppendCompleted(query, &text);
  }
  return text + "]}";
}

void QueryRegistry::AppendRunning(const Query& query, int64_t now_ms, std::string* out) {
  AppendBegin(query.id, query.query.Text(), query.remote, query.user, query.start_ms, out);
  AppendStats(query.control->cost(), out);
  const std::vector<PlanReport> plans = query.control->plans();
  AppendListedPlans(std::span(plans).first(std::min(plans.size(), kListedPlansMax)), out);
  fmt::format_to(std::back_inserter(*out), ",\"elapsed\":{}}}", now_ms - query.begun_ms);
}

void QueryRegistry::AppendCompleted(const Query& query, std::string* out) {
  AppendBegin(query.id, query.query.Text(), query.remote, query.user, query.start_ms, out);
  AppendStats(query.cost, out);
  AppendListedPlans(query.plans, out);
  fmt::format_to(std::back_inserter(*out),
                 ",\"queryCompletedTimestamp\":{},\"httpResponse\":{{\"code\":{},"
                 "\"reasonPhrase\":\"{}\"}},\"exception\":",
                 query.end_ms, query.outcome.status, ReasonPhrase(query.outcome.status));
  if (query.outcome.exception.empty()) {
    out->append("null");
  } else {
    AppendJsonString(query.outcome.exception, out);
  }
  fmt::format_to(std::back_inserter(*out), ",\"sentToClient\":{}}}", query.outcome.sent);
}

}  // namespace hourcell
