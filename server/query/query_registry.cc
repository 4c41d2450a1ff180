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

uint64_t QueryRegistry::Begin(std::string text,
                              std::string_view remote,
                              std::shared_ptr<QueryControl> control,
                              std::string_view user) {
  if (text.size() > kListedTextBytesMax)
    text = fmt::format("{{\"bytesNotListed\":{}}}", text.size());
  Query entry{.id = 0,
              .text = std::move(text),
              .remote = std::string(remote),
              .user = std::string(user),
              .start_ms = clock_->NowMs(),
              .begun_ms = clock_->MonotonicMs(),
              .control = std::move(control),
              .end_ms = 0,
              .cost = {},
              .plans = {},
              .outcome = {}};
  MutexLock lock(&mutex_);
  entry.id = ++last_id_;
  running_.emplace(entry.id, std::move(entry));
  return last_id_;
}

void QueryRegistry::End(uint64_t id, QueryOutcome outcome) {
  MutexLock lock(&mutex_);
  const auto it = running_.find(id);
  HOURCELL_CHECK(it != running_.end());
  Query query = std::move(it->second);
  running_.erase(it);
  query.end_ms = clock_->NowMs();
  query.cost = query.control->cost();
  query.plans = query.control->plans();
  query.plans.resize(std::min(query.plans.size(), kListedPlansMax));
  query.control = nullptr;
  query.outcome = std::move(outcome);
  completed_.push_front(std::move(query));
  if (completed_.size() > kCompletedQueriesMax) completed_.pop_back();
}

void QueryRegistry::Forget(uint64_t id) {
  MutexLock lock(&mutex_);
  HOURCELL_CHECK(running_.erase(id) == 1);
}

absl::StatusOr<std::string> QueryRegistry::Cancel(uint64_t id) {
  MutexLock lock(&mutex_);
  const auto it = running_.find(id);
  if (it == running_.end()) {
    return absl::NotFoundError(fmt::format("No query of the id {} is running", id));
  }
  it->second.control->Cancel();
  std::string text;
  AppendRunning(it->second, clock_->MonotonicMs(), &text);
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
  for (const auto& [id, query] : running_) {
    if (text.back() != '[') text.push_back(',');
    AppendRunning(query, now_ms, &text);
  }
  return text + "]}";
}

void QueryRegistry::AppendRunning(const Query& query, int64_t now_ms, std::string* out) {
  AppendBegin(query.id, query.text, query.remote, query.user, query.start_ms, out);
  AppendStats(query.control->cost(), out);
  const std::vector<PlanReport> plans = query.control->plans();
  AppendListedPlans(std::span(plans).first(std::min(plans.size(), kListedPlansMax)), out);
  fmt::format_to(std::back_inserter(*out), ",\"elapsed\":{}}}", now_ms - query.begun_ms);
}

void QueryRegistry::AppendCompleted(const Query& query, std::string* out) {
  AppendBegin(query.id, query.text, query.remote, query.user, query.start_ms, out);
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
