#include "server/inputs/statsd/statsd_input.h"

#include <malloc.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "server/inputs/input_writer.h"
#include "server/log/log.h"

namespace hourcell {
namespace {

// A flush of this size returns memory to the system.
constexpr size_t kReturnedBytes = size_t{8} << 20;
constexpr int64_t kSetBackS = 3600;

// Returns freed memory to the system, because glibc's allocator keeps it.
void ReturnFreedMemory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

std::string_view MetricOf(const StatsdSeries& series, std::string_view suffix, PointBatch* batch) {
  const std::string_view metric = series.metric();
  if (suffix.empty()) return metric;
  char* const begin = batch->Reserve(metric.size() + suffix.size());
  return batch->Keep(begin, std::ranges::copy(suffix, std::ranges::copy(metric, begin).out).out);
}

}  // namespace

StatsdInput::StatsdInput(Parts parts, InputSettings settings, StatsdSettings statsd)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      statsd_(std::move(statsd)),
      writer_(parts_.tsdb, parts_.append),
      counters_(&parts_.tsdb->stats(), "statsd"),
      no_series_(counters_.Dropped("series")),
      no_values_(counters_.Dropped("value")),
      no_memory_(counters_.Dropped("memory")),
      skipped_(counters_.Dropped("event")),
      log_(parts_.clock),
      aggregator_(parts_.names, &statsd_, &bytes_) {}

void StatsdInput::Take(std::string_view datagram) {
  MutexLock lock(&mutex_);
  while (!datagram.empty()) {
    const std::string_view line = datagram.substr(0, datagram.find('\n'));
    datagram.remove_prefix(std::min(line.size() + 1, datagram.size()));
    TakeLine(line);
  }
}

void StatsdInput::TakeLine(std::string_view text) {
  if (const std::string_view fault = ReadStatsdLine(text, &line_); !fault.empty()) {
    return RefuseLine(text, fault);
  }
  if (line_.is_skipped) {
    if (!text.empty()) skipped_->Add(1);
    return;
  }
  switch (aggregator_.Add(line_, settings_.default_tag, parts_.clock->MonotonicMs())) {
    case StatsdAggregator::Added::kAll:
      return;
    case StatsdAggregator::Added::kBadValue:
      return RefuseLine(text, "expected a number");
    case StatsdAggregator::Added::kBadSeries:
      return RefuseLine(text, "expected at most 2048 bytes of a name and its tags");
    case StatsdAggregator::Added::kOtherType:
      return RefuseLine(text, fmt::format("expected the type {} of this metric with these tags",
                                          aggregator_.other_type()));
    case StatsdAggregator::Added::kNoSeries:
      return no_series_->Add(1);
    case StatsdAggregator::Added::kNoMemory:
      return no_memory_->Add(1);
    case StatsdAggregator::Added::kSomeValues:
      return no_values_->Add(1);
  }
}

void StatsdInput::RefuseLine(std::string_view text, std::string_view want) {
  Refuse(fmt::format("{}, got {}", want, QuoteForMessage(text)));
}

void StatsdInput::Refuse(std::string_view why) {
  counters_.refused()->Add(1);
  Log(why, 1);
}

// The store may block this; samples that arrive meanwhile belong to the next interval.
int64_t StatsdInput::Flush() {
  MutexLock flushing(&flush_mutex_);
  const size_t held = bytes_.load(std::memory_order_relaxed);
  std::vector<StatsdEnded> ended;
  {
    MutexLock lock(&mutex_);
    ended = aggregator_.End(parts_.clock->MonotonicMs());
  }
  if (ended.empty()) return 0;
  const int64_t second = NextSecond();
  Write(ended, second);
  std::vector<StatsdEnded>().swap(ended);
  if (held >= kReturnedBytes) ReturnFreedMemory();
  return std::max<int64_t>(second * 1000 - parts_.clock->NowMs(), 0);
}

// A clock set back by more than an hour was wrong before: the new time is used.
int64_t StatsdInput::NextSecond() {
  const int64_t now = parts_.clock->NowMs() / 1000;
  const bool is_used = now <= flushed_second_ && flushed_second_ - now < kSetBackS;
  flushed_second_ = is_used ? flushed_second_ + 1 : now;
  return flushed_second_;
}

// Points borrow names of the series until their batch is handed on. After a failure the remaining
// points are only counted.
void StatsdInput::Write(std::span<StatsdEnded> ended, int64_t second) {
  InputWriter out(&writer_, /*may_wait=*/true);
  out.KeepItemsWhole();
  out.LimitNewSeries(parts_.new_series);
  const Timestamp time{.ms = second * 1000};
  size_t points = 0;
  size_t lost = 0;
  size_t written = 0;  // series already handed on
  bool has_room = true;
  for (size_t i = 0; i < ended.size(); ++i) {
    has_room = has_room && out.HasRoom();
    if (has_room && out.batch()->points().empty()) {
      for (; written < i; ++written)
        ReleaseStatsd(&ended[written], &bytes_);
    }
    const StatsdSeries& series = *ended[i].series;
    VisitStatsdPoints(ended[i], statsd_.percentiles, [&](std::string_view suffix, Value value) {
      ++points;
      if (!has_room) {
        ++lost;
        return;
      }
      out.batch()->Add({.metric = MetricOf(series, suffix, out.batch()),
                        .tags = series.tags(),
                        .timestamp = time,
                        .value = value},
                       i + 1);
    });
  }
  out.Finish();
  if (lost > 0) writer_.CountFailed(out.failure(), lost);
  counters_.Count(out);
  if (out.status() != 204) Log(out.FaultText("series"), points - out.written());
  for (; written < ended.size(); ++written)
    ReleaseStatsd(&ended[written], &bytes_);
}

void StatsdInput::Log(std::string_view text, size_t refused) {
  if (const auto line = log_.Note(text.substr(0, text.find('\n')), refused)) {
    LogWarning("statsd: {}", *line);
  }
}

}  // namespace hourcell
