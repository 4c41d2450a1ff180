#include "server/telnet_session.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/limits.h"
#include "server/version.h"

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

}  // namespace

TelnetCounters::TelnetCounters(Stats* stats)
    : lines(stats->counter("rpc.received", {{"type", "telnet"}})),
      puts(stats->counter("rpc.received", {{"type", "put"}})),
      points(stats->counter("rpc.put.points")),
      unknown_command(stats->counter("rpc.errors", {{"type", "unknown_command"}})),
      line_too_long(stats->counter("rpc.errors", {{"type", "line_too_long"}})),
      line_unfinished(stats->counter("rpc.errors", {{"type", "line_unfinished"}})),
      replies_overflow(stats->counter("rpc.errors", {{"type", "replies_overflow"}})),
      replies_dropped(stats->counter("rpc.telnet.replies_dropped")) {
  for (const PointErrorKind kind :
       {PointErrorKind::kInvalidValue, PointErrorKind::kIllegalArgument,
        PointErrorKind::kUnknownName, PointErrorKind::kThrottled, PointErrorKind::kStorage}) {
    put_errors[IndexOf(kind)] =
        stats->counter("rpc.put.errors", {{"reason", std::string(PointErrorKindName(kind))}});
  }
}

TelnetSession::TelnetSession(Tsdb* tsdb,
                             const TelnetSettings* settings,
                             const TelnetCounters* counters)
    : tsdb_(tsdb), settings_(settings), counters_(counters) {}

void TelnetSession::Take(std::string_view bytes, size_t queued_bytes, std::string* replies) {
  Work work{.queued_bytes = queued_bytes, .replies = replies};
  size_t end = closed_ ? std::string_view::npos : bytes.find('\n');
  if (!partial_.empty() && !closed_) {
    partial_.append(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end, bytes.size()));
    if (end == std::string_view::npos) {
      if (partial_.size() > kLineBytesMax) RefuseLongLine(&work);
      return;
    }
    // `partial_` stays as it is until the commit: points of the batch view it.
    bytes.remove_prefix(1);
    HandleLine(partial_, &work);
    end = bytes.find('\n');
  }
  while (!closed_ && end != std::string_view::npos) {
    HandleLine(bytes.substr(0, end), &work);
    bytes.remove_prefix(end + 1);
    end = bytes.find('\n');
  }
  if (!closed_ && bytes.size() > kLineBytesMax) RefuseLongLine(&work);
  Commit(&work);
  partial_.assign(closed_ ? std::string_view() : bytes);
}

void TelnetSession::Finish() {
  if (!partial_.empty() && !closed_) counters_->line_unfinished->Add(1);
  partial_.clear();
  closed_ = true;
}

void TelnetSession::HandleLine(std::string_view line, Work* work) {
  if (line.size() > kLineBytesMax) {
    RefuseLongLine(work);
    return;
  }
  ++work->next_order;
  counters_->lines->Add(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::string_view command = line.substr(0, line.find(' '));
  if (command == "put" && settings_->puts_allowed) {
    line.remove_prefix(std::min(command.size() + 1, line.size()));
    HandlePut(line, work);
  } else {
    HandleCommand(command, work);
  }
}

void TelnetSession::HandlePut(std::string_view words, Work* work) {
  counters_->puts->Add(1);
  const std::optional<PointError> error =
      parser_.Parse(words, PointSyntax::kTelnet, settings_->point_limits);
  if (error.has_value()) {
    RefusePoint(*error, work->next_order, work);
    return;
  }
  work->batch.Add(parser_.point(), words);
  work->batch_orders.push_back(work->next_order);
  if (work->batch.size() == kAppendPointsMax) Commit(work);
}

void TelnetSession::HandleCommand(std::string_view command, Work* work) {
  if (command == "version") {
    Commit(work);
    Reply(fmt::format("hourcell {} built for OpenTSDB 2.4 clients\nBuilt with {}\n",
                      kHourcellVersion, kCompiler),
          work);
  } else if (command == "stats") {
    Commit(work);
    std::string lines;
    AppendStatLines(tsdb_->stats(), settings_->clock->NowMs() / 1000, settings_->origin, &lines);
    Reply(lines, work);
  } else if (command == "help") {
    Commit(work);
    Reply(settings_->puts_allowed ? "available commands: dropcaches exit help put stats version \n"
                                  : "available commands: dropcaches exit help stats version \n",
          work);
  } else if (command == "dropcaches") {
    Commit(work);
    tsdb_->DropCaches();
    Reply("Caches dropped.\n", work);
  } else if (command == "exit") {
    Commit(work);
    closed_ = true;
  } else {
    counters_->unknown_command->Add(1);
    work->errors.push_back({.order = work->next_order,
                            .text = fmt::format("unknown command: {}.  Try `help'.\n", command)});
  }
}

void TelnetSession::RefuseLongLine(Work* work) {
  counters_->line_too_long->Add(1);
  closed_ = true;
  work->errors.push_back(
      {.order = work->next_order + 1,
       .text =
           fmt::format("line too long: more than {} bytes without a line end\n", kLineBytesMax)});
  Commit(work);
}

void TelnetSession::RefusePoint(const PointError& error, size_t order, Work* work) {
  counters_->put_errors[IndexOf(error.kind)]->Add(1);
  if (!settings_->return_errors) return;
  work->errors.push_back(
      {.order = order,
       .text = fmt::format("put: {}: {}\n", PointErrorTelnetClass(error.kind), error.text)});
}

void TelnetSession::AppendBatch(Work* work) {
  std::vector<RefusedPoint> refused;
  const absl::Status committed = tsdb_->Append(work->batch.points(), &refused).Wait();
  if (!committed.ok()) {
    // None is acknowledged: those that were not refused failed with the whole.
    const PointError error{
        .kind = PointErrorKind::kStorage,
        .text = std::string(committed.message().data(), committed.message().size())};
    std::vector<RefusedPoint> all(work->batch.size());
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = {.index = i, .error = error};
    for (RefusedPoint& point : refused)
      all[point.index].error = std::move(point.error);
    refused = std::move(all);
  }
  counters_->points->Add(work->batch.size() - refused.size());
  for (const RefusedPoint& point : refused) {
    RefusePoint(point.error, work->batch_orders[point.index], work);
  }
}

void TelnetSession::Commit(Work* work) {
  if (!work->batch.empty()) {
    AppendBatch(work);
    work->batch.Clear();
    work->batch_orders.clear();
  }
  std::ranges::stable_sort(work->errors, {}, &ErrorLine::order);
  for (const ErrorLine& error : work->errors) {
    if (work->queued_bytes + work->replies->size() + error.text.size() > kErrorBytesQueuedMax) {
      counters_->replies_dropped->Add(1);
    } else {
      work->replies->append(error.text);
    }
  }
  work->errors.clear();
}

void TelnetSession::Reply(std::string_view text, Work* work) {
  if (work->queued_bytes + work->replies->size() + text.size() > kReplyBytesQueuedMax) {
    counters_->replies_overflow->Add(1);
    closed_ = true;
    return;
  }
  work->replies->append(text);
}

}  // namespace hourcell
