#include "server/inputs/graphite/graphite_input.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/number.h"
#include "server/log/log.h"

namespace hourcell {
namespace {

// Stands for the server's time, as in carbon.
constexpr std::string_view kNow = "-1";

std::optional<Timestamp> GraphiteTime(std::string_view word, int64_t now_ms) {
  if (word == kNow) return TimestampOfMs(now_ms / 1000 * 1000);
  const std::optional<uint64_t> seconds = ParseUnsigned(word);
  if (!seconds || *seconds == 0 || *seconds > kTimestampMsMax / 1000) return std::nullopt;
  return Timestamp{.ms = static_cast<int64_t>(*seconds) * 1000, .is_ms = false};
}

}  // namespace

GraphiteInput::GraphiteInput(Parts parts, InputSettings settings)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      writer_(parts_.tsdb, parts_.append),
      counters_(&parts_.tsdb->stats(), "graphite"),
      not_finite_(counters_.Dropped("not_finite")),
      log_(parts_.clock) {}

GraphiteInput::Outcome GraphiteInput::Write(std::string_view lines, bool may_wait) const {
  InputWriter out(&writer_, may_wait);
  out.LimitNewSeries(parts_.new_series);
  GraphiteLine line;
  size_t number = 0;
  while (!lines.empty() && out.HasRoom()) {
    const size_t end = std::min(lines.find('\n'), lines.size() - 1);
    AddLine(lines.substr(0, end), ++number, &line, &out);
    lines.remove_prefix(end + 1);
  }
  out.Finish();
  if (out.must_wait()) return Outcome::kMustWait;
  counters_.Count(out);
  if (out.is_for_later()) return Outcome::kLater;
  const int status = out.status();
  if (status != 204) Log(out.FaultText("line"), out.refused());
  return status >= 500 ? Outcome::kLost : Outcome::kDone;
}

void GraphiteInput::AddLine(std::string_view text,
                            size_t number,
                            GraphiteLine* line,
                            InputWriter* out) const {
  if (const std::string_view fault = ReadGraphiteLine(text, line); !fault.empty()) {
    if (!out->wants_faults()) return out->Refuse(number, "");
    return out->Refuse(number, fmt::format("{}, got {}", fault, QuoteForMessage(line->wrong)));
  }
  if (!line->has_point()) return;
  if (line->name.empty()) {
    return out->Refuse(number, fmt::format("expected a name, got {}", QuoteForMessage(text)));
  }
  const auto refuse = [&](std::string_view word, std::string_view what, std::string_view want) {
    if (!out->wants_faults()) return out->Refuse(number, "");
    out->Refuse(number, fmt::format("expected {}, got {} as the {} of {}", want,
                                    QuoteForMessage(word), what, QuoteForMessage(line->name)));
  };
  const std::optional<Value> value = GraphiteValue(line->value);
  if (!value) return refuse(line->value, "value", "a number");
  const std::optional<Timestamp> timestamp = GraphiteTime(line->time, parts_.clock->NowMs());
  if (!timestamp) return refuse(line->time, "time", "seconds since 1970");
  if (!value->is_integer() && !std::isfinite(value->floating())) return not_finite_->Add(1);
  AddPoint(*line, *timestamp, *value, number, out);
}

void GraphiteInput::AddPoint(const GraphiteLine& line,
                             Timestamp timestamp,
                             Value value,
                             size_t number,
                             InputWriter* out) const {
  PointBatch* const batch = out->batch();
  const std::string_view tags = line.tags.empty() ? std::string_view(settings_.default_tag)
                                                  : KeepTags(*parts_.names, line.tags, batch);
  char* const begin = batch->Reserve(line.name.size() + kNameSuffixBytes);
  const std::string_view metric = batch->Keep(begin, parts_.names->Write(line.name, begin));
  batch->Add({.metric = metric, .tags = tags, .timestamp = timestamp, .value = value}, number);
}

void GraphiteInput::Refuse(std::string_view why) const {
  counters_.refused()->Add(1);
  Log(why, 1);
}

void GraphiteInput::Log(std::string_view text, size_t refused) const {
  if (const auto line = log_.Note(text.substr(0, text.find('\n')), refused)) {
    LogWarning("graphite: {}", *line);
  }
}

}  // namespace hourcell
