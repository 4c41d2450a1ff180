#include "server/telnet/line_protocol.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/put_line.h"
#include "server/config/version.h"
#include "server/histograms/histogram_line.h"
#include "server/rollups/rollup_line.h"

namespace hourcell {
namespace {

#ifdef __clang__
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

size_t IndexOf(PointErrorKind kind) {
  return static_cast<size_t>(kind);
}

// The kind of error that a client gets for points whose commit failed.
PointErrorKind KindOf(const absl::Status& failure) {
  return absl::IsResourceExhausted(failure) ? PointErrorKind::kThrottled : PointErrorKind::kStorage;
}

std::string ErrorText(std::string_view command, PointErrorKind kind, std::string_view text) {
  return fmt::format("{}: {}: {}\n", command, PointErrorTelnetClass(kind), text);
}

}  // namespace

TelnetCounters::TelnetCounters(Stats* stats)
    : lines(stats->counter("rpc.received", {{"type", "telnet"}})),
      puts(stats->counter("rpc.received", {{"type", "put"}})),
      rollups(stats->counter("rpc.received", {{"type", "rollup"}})),
      points(stats->counter("rpc.put.points")),
      unknown_command(stats->counter("rpc.errors", {{"type", "unknown_command"}})),
      unauthorized(stats->counter("rpc.errors", {{"type", "unauthorized"}})),
      line_too_long(stats->counter("rpc.errors", {{"type", "line_too_long"}})),
      line_unfinished(stats->counter("rpc.errors", {{"type", "line_unfinished"}})),
      replies_overflow(stats->counter("rpc.errors", {{"type", "replies_overflow"}})),
      replies_dropped(stats->counter("rpc.telnet.replies_dropped")) {
  for (const PointErrorKind kind : {PointErrorKind::kInvalidValue, PointErrorKind::kIllegalArgument,
                                    PointErrorKind::kUnknownName, PointErrorKind::kNoSuchRollup,
                                    PointErrorKind::kThrottled, PointErrorKind::kStorage}) {
    put_errors[IndexOf(kind)] =
        stats->counter("rpc.put.errors", {{"reason", std::string(PointErrorKindName(kind))}});
  }
}

struct LineProtocol::Batch {
  struct Rollup {
    size_t point;            // its index
    std::string_view words;  // of its line, without the command
    std::string text = {};   // storage of the point's names
  };

  // The rollup of a point; null: the point is of a put.
  const Rollup* RollupOf(size_t point) const {
    const auto found = std::ranges::lower_bound(rollups, point, {}, &Rollup::point);
    return found != rollups.end() && found->point == point ? &*found : nullptr;
  }

  std::array<LinePoint, kAppendPointsMax> points;
  std::array<size_t, kAppendPointsMax> orders;  // of each point: its line's place in the Take
  size_t size = 0;
  std::vector<RefusedPoint> refused;  // of the last Append
  std::deque<Rollup> rollups;         // ascending by point; a deque keeps the texts in place
};

// One per thread, not per session: a server has few threads and may have thousands of idle
// sessions.
LineProtocol::Batch* LineProtocol::ThreadBatch() {
  thread_local const auto batch = std::make_unique<Batch>();
  return batch.get();
}

LineProtocol::LineProtocol(Tsdb* tsdb,
                           const TelnetSettings* settings,
                           const TelnetCounters* counters,
                           AccessRights rights,
                           NewSeriesQuota new_series)
    : tsdb_(tsdb),
      settings_(settings),
      counters_(counters),
      connection_rights_(rights),
      rights_(rights),
      new_series_(std::move(new_series)) {}

void LineProtocol::Take(std::string_view bytes, size_t queued_bytes, std::string* replies) {
  HOURCELL_CHECK(need_ == Need::kInput);
  if (closed_ || ending_) return;
  Work work{.queued_bytes = queued_bytes, .replies = replies, .batch = ThreadBatch()};
  size_t handled_of_rest = 0;
  if (!rest_.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view line_end =
        bytes.substr(0, end == std::string_view::npos ? end : end + 1);
    rest_.append(line_end);
    bytes.remove_prefix(line_end.size());
    if (end == std::string_view::npos && rest_.size() <= kLineBytesMax) return;
    handled_of_rest = HandleLines(rest_, &work);
  }
  const size_t handled = HandleLines(bytes, &work);
  // The batch views `rest_` and `bytes` until it is in the store.
  AppendBatch(&work);
  rest_.erase(0, handled_of_rest);
  rest_.append(bytes.substr(handled));
  rest_.insert(0, work.throttled);
  EndTake(&work);
}

void LineProtocol::EndTake(Work* work) {
  AppendErrors(work);
  CountLines(work);
  if (closed_ || ending_) rest_.clear();
  if (need_ != Need::kInput || closed_) return;
  if (ending_ || !histograms_.empty() || commits_.size() > kCommitsUnderWayMax) {
    NeedCommits(ending_ ? commits_.size() : commits_.size() / 2);
  }
}

void LineProtocol::NeedCommits(size_t count) {
  commits_needed_ = count;
  if (count > 0 || !histograms_.empty()) {
    need_ = Need::kCommit;
  } else {
    closed_ = closed_ || ending_;
  }
}

void LineProtocol::Finish() {
  HOURCELL_CHECK(need_ == Need::kInput);
  if (!rest_.empty() && !closed_) counters_->line_unfinished->Add(1);
  rest_.clear();
  ending_ = true;
  NeedCommits(commits_.size());
}

void LineProtocol::Settle() {
  HOURCELL_CHECK(need_ == Need::kInput);
  NeedCommits(commits_.size());
}

void LineProtocol::Abandon() {
  rest_.clear();
  ending_ = true;
  need_ = Need::kInput;
  NeedCommits(commits_.size());
}

void LineProtocol::WaitForCommits() {
  HOURCELL_CHECK(need_ == Need::kCommit);
  for (size_t i = 0; i < commits_needed_; ++i)
    commits_[i].status = commits_[i].ticket.Wait();
  if (!histograms_.empty()) AppendHistograms();
}

void LineProtocol::CheckLogin(std::string_view remote) {
  HOURCELL_CHECK(need_ == Need::kLogin);
  login_answer_ = settings_->authenticator->Check(*login_, remote);
}

void LineProtocol::Resume(size_t queued_bytes, std::string* replies) {
  HOURCELL_CHECK(need_ != Need::kInput);
  Work work{.queued_bytes = queued_bytes, .replies = replies, .batch = ThreadBatch()};
  if (need_ == Need::kCommit) {
    ReportCommits(&work);
    ReportHistograms(&work);
  }
  if (need_ == Need::kLogin) EndLogin(login_answer_, &work);
  AppendErrors(&work);
  need_ = Need::kInput;
  if (closed_) return;
  if (ending_) {
    NeedCommits(commits_.size());
    return;
  }
  const std::string rest = std::exchange(rest_, {});
  Take(rest, queued_bytes, replies);
}

size_t LineProtocol::HandleLines(std::string_view bytes, Work* work) {
  const size_t size = bytes.size();
  Batch* const batch = work->batch;
  while (TakesLines()) {
    if (MayPut()) {
      const size_t length = ScanPutLine(bytes, &batch->points[batch->size]);
      if (length > 0) {
        bytes.remove_prefix(length);
        ++work->lines;
        ++work->puts;
        AddPoint(work);
        continue;
      }
    }
    const size_t end = bytes.find('\n');
    if (std::min(end, bytes.size()) > kLineBytesMax) RefuseLongLine(work);
    if (!TakesLines() || end == std::string_view::npos) break;
    if (!HandleLine(bytes.substr(0, end), work)) break;
    bytes.remove_prefix(end + 1);
  }
  return size - bytes.size();
}

bool LineProtocol::HandleLine(std::string_view line, Work* work) {
  ++work->lines;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.ends_with(" HTTP/1.1")) {
    RefuseHttp(work);
    return true;
  }
  const std::string_view command = line.substr(0, line.find(' '));
  if (command == "put" && settings_->puts_allowed) {
    line.remove_prefix(std::min(command.size() + 1, line.size()));
    if (RefuseCommand(command, work)) return true;
    HandlePut(line, work);
    return true;
  }
  if (command == "histogram" && settings_->puts_allowed) {
    line.remove_prefix(std::min(command.size() + 1, line.size()));
    if (!RefuseCommand(command, work)) HandleHistogram(line, work);
    return true;
  }
  if (command == "rollup" && settings_->puts_allowed) {
    line.remove_prefix(std::min(command.size() + 1, line.size()));
    if (!RefuseCommand(command, work)) HandleRollup(line, work);
    return true;
  }
  for (const std::string_view known :
       {"version", "stats", "status", "help", "dropcaches", "exit"}) {
    if (command == known) return RefuseCommand(command, work) || HandleBarrier(command, work);
  }
  if (command == "auth" && settings_->authenticator != nullptr) return HandleBarrier(line, work);
  counters_->unknown_command->Add(1);
  work->errors.push_back(
      {.order = work->next_order++,
       .text = fmt::format("unknown command: {}.  Try `help'.\n", TextForMessage(command))});
  return true;
}

// A web page may send a request with an invented method, such as "help", to a host name that it
// controls; the page controls all bytes after the request line.
void LineProtocol::RefuseHttp(Work* work) {
  counters_->unknown_command->Add(1);
  ending_ = true;
  work->errors.push_back({.order = work->next_order++,
                          .text = "unknown HTTP method: expected GET, POST, PUT or DELETE\n"});
}

void LineProtocol::HandlePut(std::string_view words, Work* work) {
  ++work->puts;
  const std::optional<PointError> error =
      ParsePointLine(words, PointSyntax::kTelnet, settings_->point_limits, &parser_,
                     &work->batch->points[work->batch->size]);
  if (error.has_value()) {
    RefusePoint("put", *error, work->next_order++, work);
  } else {
    AddPoint(work);
  }
}

void LineProtocol::HandleHistogram(std::string_view words, Work* work) {
  Parsed<SentHistogram> sent = ParseHistogramLine(settings_->histograms, words,
                                                  PointSyntax::kTelnet, settings_->point_limits);
  if (sent.ok()) {
    histograms_.push_back(*std::move(sent));
  } else {
    RefusePoint("histogram", sent.error(), work->next_order++, work);
  }
}

void LineProtocol::AppendHistograms() {
  const HistogramPoints points(histograms_);
  const bool is_limited = new_series_ != nullptr && !is_logged_in_;
  histograms_stored_ = tsdb_->points().AppendHistograms(
      points.points(), &refused_histograms_, {.new_series = is_limited ? &new_series_ : nullptr});
}

void LineProtocol::ReportHistograms(Work* work) {
  if (histograms_.empty()) return;
  histograms_.clear();
  for (const RefusedPoint& refused : refused_histograms_)
    RefusePoint("histogram", refused.error, work->next_order++, work);
  refused_histograms_.clear();
  if (histograms_stored_.ok()) return;
  const PointError failure{.kind = KindOf(histograms_stored_),
                           .text = std::string(MessageOf(histograms_stored_))};
  RefusePoint("histogram", failure, work->next_order++, work);
}

void LineProtocol::HandleRollup(std::string_view words, Work* work) {
  ++work->rollups;
  Batch* const batch = work->batch;
  RollupTarget target;
  std::optional<PointError> error =
      ParseRollupWords(words, PointSyntax::kTelnet, settings_->point_limits, &parser_, &target);
  if (!error.has_value()) {
    Batch::Rollup& rollup =
        batch->rollups.emplace_back(Batch::Rollup{.point = batch->size, .words = words});
    const Parsed<LinePoint> point =
        LevelLineOf(settings_->rollups, target, parser_.point(), &rollup.text);
    if (point.ok()) {
      batch->points[batch->size] = *point;
      AddPoint(work);
      return;
    }
    batch->rollups.pop_back();
    error = point.error();
  }
  RefusePoint("rollup", *error, work->next_order++, work);
}

// Answers a command that this client may not use, and returns true.
bool LineProtocol::RefuseCommand(std::string_view command, Work* work) {
  AccessRights needs;
  const bool is_write = command == "put" || command == "histogram" || command == "rollup";
  if (is_write) needs = AccessRights::Write();
  if (command == "stats") needs = AccessRights::Read();
  if (command == "dropcaches") needs = AccessRights::Admin();
  if (rights_.Covers(needs)) return false;
  counters_->unauthorized->Add(1);
  if (!is_write || settings_->return_errors) {
    work->errors.push_back(
        {.order = work->next_order++,
         .text = fmt::format("{}: permission denied: this needs the role {}; this client has {}\n",
                             command, needs.role(), rights_.role())});
  }
  return true;
}

bool LineProtocol::HandleBarrier(std::string_view line, Work* work) {
  AppendBatch(work);
  if (need_ == Need::kInput) NeedCommits(commits_.size());
  if (need_ != Need::kInput) {
    --work->lines;  // it will be handled again
    return false;
  }
  AppendErrors(work);
  CountLines(work);
  const std::string_view command = line.substr(0, line.find(' '));
  if (command == "exit" || failed_in_silence_) {
    closed_ = true;
  } else if (command == "auth") {
    StartLogin(line, work);
  } else {
    Answer(command, work);
  }
  return true;
}

void LineProtocol::Answer(std::string_view command, Work* work) {
  if (command == "version") {
    Reply(fmt::format("hourcell {} built for OpenTSDB 2.4 clients\nBuilt with {}\n",
                      kHourcellVersion, kCompiler),
          work);
  } else if (command == "stats") {
    std::string lines;
    AppendStatLines(tsdb_->stats(), settings_->clock->NowMs() / 1000, settings_->origin, &lines);
    Reply(lines, work);
  } else if (command == "status") {
    Reply(fmt::format("{}\n", settings_->status()), work);
  } else if (command == "help") {
    Reply(fmt::format("available commands: {}dropcaches exit help {}stats status version \n",
                      settings_->authenticator != nullptr ? "auth " : "",
                      settings_->puts_allowed ? "histogram put rollup " : ""),
          work);
  } else if (command == "dropcaches" && !settings_->dropcaches_allowed) {
    Reply("dropcaches: not enabled (tsd.rpc.allow_dropcaches=false)\n", work);
  } else if (command == "dropcaches") {
    tsdb_->maintenance().DropCaches();
    Reply("Caches dropped.\n", work);
  }
}

// "auth user secret"; "auth basic user secret", as in OpenTSDB's plug-in; or "auth token".
void LineProtocol::StartLogin(std::string_view line, Work* work) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at != std::string_view::npos;) {
    const size_t end = line.find(' ', at);
    if (end != at) words.push_back(line.substr(at, end - at));
    at = end == std::string_view::npos ? end : end + 1;
  }
  if (words.size() == 4 && words[1] == "basic") words.erase(words.begin() + 1);
  login_ = std::nullopt;
  if (words.size() == 2) login_ = ParseToken(words[1]);
  if (words.size() == 3) login_ = MakeLogin(words[1], words[2]);
  const LoginAnswer known =
      login_.has_value() ? settings_->authenticator->Recall(*login_) : LoginAnswer::Refused();
  if (known.kind == LoginAnswer::Kind::kUnknown) {
    need_ = Need::kLogin;
  } else {
    EndLogin(known, work);
  }
}

// The replies are OpenTSDB's.
void LineProtocol::EndLogin(const LoginAnswer& answer, Work* work) {
  login_ = std::nullopt;
  is_logged_in_ = answer.kind == LoginAnswer::Kind::kGranted;
  if (is_logged_in_) {
    rights_ = connection_rights_ | answer.rights;
    Reply("AUTH_SUCCESS\r\n", work);
    return;
  }
  rights_ = connection_rights_;
  counters_->unauthorized->Add(1);
  Reply("AUTH_FAIL\r\n", work);
  if (++logins_refused_ == kLoginsRefusedMax) ending_ = true;
}

void LineProtocol::RefuseLongLine(Work* work) {
  AppendBatch(work);
  if (need_ != Need::kInput) return;  // it will be handled again
  counters_->line_too_long->Add(1);
  ending_ = true;
  work->errors.push_back(
      {.order = work->next_order++,
       .text =
           fmt::format("line too long: more than {} bytes without a line end\n", kLineBytesMax)});
}

void LineProtocol::AddPoint(Work* work) {
  Batch* const batch = work->batch;
  batch->orders[batch->size] = work->next_order++;
  if (++batch->size == kAppendPointsMax) AppendBatch(work);
}

void LineProtocol::AppendBatch(Work* work) {
  Batch* const batch = work->batch;
  if (batch->size == 0) return;
  const std::span<const LinePoint> points(batch->points.data(), batch->size);
  batch->refused.clear();
  const bool is_limited = new_series_ != nullptr && !is_logged_in_;
  CommitTicket ticket =
      settings_->append ? settings_->append(points, &batch->refused)
                        : tsdb_->points().Append(
                              points, &batch->refused,
                              {.wait_ms = 0, .new_series = is_limited ? &new_series_ : nullptr});
  if (!settings_->append && ticket.took_nothing() && absl::IsUnavailable(ticket.Wait())) {
    // The store is full: the session reads no more until it has room.
    for (size_t i = 0; i < points.size(); ++i) {
      batch->refused.push_back({.index = i, .error = {PointErrorKind::kThrottled, {}}});
    }
  }
  batch->size = 0;
  if (batch->refused.size() < points.size()) {
    commits_.push_back({.ticket = std::move(ticket),
                        .points = points.size() - batch->refused.size(),
                        .status = absl::OkStatus()});
  }
  for (const RefusedPoint& point : batch->refused) {
    if (point.error.kind == PointErrorKind::kThrottled) {
      KeepThrottled(point.index, work);
    } else {
      const bool is_rollup = batch->RollupOf(point.index) != nullptr;
      RefusePoint(is_rollup ? "rollup" : "put", point.error, batch->orders[point.index], work);
    }
  }
  batch->rollups.clear();
}

void LineProtocol::KeepThrottled(size_t index, Work* work) {
  need_ = Need::kPause;
  --work->lines;
  if (const Batch::Rollup* const rollup = work->batch->RollupOf(index)) {
    --work->rollups;
    work->throttled.append("rollup ").append(rollup->words).append("\n");
    return;
  }
  --work->puts;
  // The line's words in the input.
  const LinePoint& point = work->batch->points[index];
  const char* const begin = point.metric.data();
  const char* const end = point.tags.data() + point.tags.size();
  work->throttled.append("put ").append(begin, end).append("\n");
}

void LineProtocol::ReportCommits(Work* work) {
  uint64_t stored = 0;
  uint64_t lost = 0;
  absl::Status failure;  // the last one
  const auto needed_end = commits_.begin() + static_cast<ptrdiff_t>(commits_needed_);
  for (auto commit = commits_.begin(); commit != needed_end; ++commit) {
    if (commit->status.ok()) {
      stored += commit->points;
      continue;
    }
    counters_->put_errors[IndexOf(KindOf(commit->status))]->Add(commit->points);
    lost += commit->points;
    failure = commit->status;
  }
  commits_.erase(commits_.begin(), needed_end);
  counters_->points->Add(stored);
  if (lost == 0) return;
  if (!settings_->return_errors) {
    failed_in_silence_ = true;
    return;
  }
  std::string text(failure.message().data(), failure.message().size());
  if (lost > 1) fmt::format_to(std::back_inserter(text), ": {} lines not stored", lost);
  work->errors.push_back({.order = work->next_order++,
                          .text = ErrorText("put", KindOf(failure), text),
                          .is_loss = true});
}

void LineProtocol::RefusePoint(std::string_view command,
                               const PointError& error,
                               size_t order,
                               Work* work) {
  counters_->put_errors[IndexOf(error.kind)]->Add(1);
  const bool is_loss = error.kind == PointErrorKind::kStorage;
  if (settings_->return_errors) {
    work->errors.push_back(
        {.order = order, .text = ErrorText(command, error.kind, error.text), .is_loss = is_loss});
  } else if (is_loss) {
    failed_in_silence_ = true;
  }
}

void LineProtocol::AppendErrors(Work* work) {
  std::ranges::sort(work->errors, {}, &ErrorLine::order);
  for (const ErrorLine& error : work->errors) {
    if (work->queued_bytes + work->replies->size() + error.text.size() > kErrorBytesQueuedMax) {
      counters_->replies_dropped->Add(1);
      failed_in_silence_ = failed_in_silence_ || error.is_loss;
    } else {
      work->replies->append(error.text);
    }
  }
  work->errors.clear();
}

void LineProtocol::CountLines(Work* work) {
  counters_->lines->Add(std::exchange(work->lines, 0));
  counters_->puts->Add(std::exchange(work->puts, 0));
  counters_->rollups->Add(std::exchange(work->rollups, 0));
}

void LineProtocol::Reply(std::string_view text, Work* work) {
  if (work->queued_bytes + work->replies->size() + text.size() > kReplyBytesQueuedMax) {
    counters_->replies_overflow->Add(1);
    closed_ = true;
    return;
  }
  work->replies->append(text);
}

}  // namespace hourcell
