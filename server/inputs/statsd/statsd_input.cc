#include "server/inputs/statsd/statsd_input.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "server/inputs/input_writer.h"
#include "server/log/log.h"

namespace hourcell {

StatsdInput::StatsdInput(Parts parts, InputSettings settings, StatsdSettings statsd)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      statsd_(std::move(statsd)),
      writer_(parts_.tsdb, parts_.append),
      counters_(&parts_.tsdb->stats(), "statsd"),
      no_series_(counters_.Dropped("series")),
      no_values_(counters_.Dropped("value")),
      skipped_(counters_.Dropped("event")),
      log_(parts_.clock),
      aggregator_(parts_.names, &statsd_) {}

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
      return RefuseLine(text, "want a number");
    case StatsdAggregator::Added::kBadSeries:
      return RefuseLine(text, "want at most 2048 bytes of a name and its tags");
    case StatsdAggregator::Added::kNoSeries:
      return no_series_->Add(1);
    case StatsdAggregator::Added::kSomeValues:
      return no_values_->Add(1);
  }
}

void StatsdInput::RefuseLine(std::string_view text, std::string_view want) {
  Refuse(fmt::format("got {}; {}", QuoteForMessage(text), want));
}

void StatsdInput::Refuse(std::string_view why) {
  counters_.refused()->Add(1);
  Log(why, 1);
}

// The store may make it wait: what comes meanwhile is gathered for the next interval.
void StatsdInput::Flush() {
  std::vector<StatsdPoint> points;
  {
    MutexLock lock(&mutex_);
    points = aggregator_.Flush(parts_.clock->MonotonicMs());
  }
  if (points.empty()) return;
  const Timestamp now = TimestampOfMs(parts_.clock->NowMs() / 1000 * 1000);
  InputWriter out(&writer_, /*may_wait=*/true);
  for (size_t i = 0; i < points.size() && out.HasRoom(); ++i) {
    out.batch()->Add({.metric = points[i].metric,
                      .tags = points[i].tags,
                      .timestamp = now,
                      .value = points[i].value},
                     i + 1);
  }
  out.Finish();
  counters_.Count(out);
  if (out.status() != 204) Log(out.FaultText("point"), points.size() - out.written());
}

void StatsdInput::Log(std::string_view text, size_t refused) {
  if (const auto line = log_.Note(text.substr(0, text.find('\n')), refused)) {
    LogWarning("statsd: {}", *line);
  }
}

}  // namespace hourcell
