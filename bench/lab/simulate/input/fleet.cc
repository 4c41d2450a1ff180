#include "bench/lab/simulate/input/fleet.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/rows/row_span.h"

namespace hourcell {
namespace {

constexpr uint64_t kDayMs = 86'400'000;
// Hourcell writes the rows of an hour within about this time after its end.
constexpr uint64_t kSealMs = 300'000;
constexpr uint64_t kDurationMsMax = 100 * 366 * kDayMs;

absl::Status RefuseField(std::string_view field, std::string_view got, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("fleet: {}: expected {}, got {}", field, want, QuoteForMessage(got)));
}

absl::Status ReadCount(
    std::string_view field, std::string_view text, uint64_t min, uint64_t max, uint64_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  if (error != std::errc() || end != text.data() + text.size() || *out < min || *out > max) {
    return RefuseField(field, text, fmt::format("a whole number from {} to {}", min, max));
  }
  return absl::OkStatus();
}

absl::Status ReadReal(std::string_view field, std::string_view text, double max, double* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  if (error != std::errc() || end != text.data() + text.size() || !(*out >= 0) || *out > max) {
    return RefuseField(field, text, fmt::format("a number from 0 to {}", max));
  }
  return absl::OkStatus();
}

absl::Status ReadSpan(std::string_view field, std::string_view text, uint64_t* out_ms) {
  const absl::StatusOr<uint64_t> span_ms = ParseSpanMs(text);
  if (!span_ms.ok() || *span_ms == 0)
    return RefuseField(field, text, "a time such as 10s, 15m, 2h, 7d");
  *out_ms = *span_ms;
  return absl::OkStatus();
}

absl::Status ReadTags(std::string_view text, std::vector<FleetSpec::Tag>* tags) {
  tags->clear();
  while (true) {
    const size_t end = std::min(text.find('/'), text.size());
    const std::string_view tag = text.substr(0, end);
    const size_t colon = std::min(tag.find(':'), tag.size());
    uint64_t values = 0;
    if (colon == 0 || colon == tag.size())
      return RefuseField("tags", tag, "name:values/name:values");
    HOURCELL_RETURN_IF_ERROR(ReadCount("tags", tag.substr(colon + 1), 1, kFleetSeriesMax, &values));
    tags->push_back({.name = std::string(tag.substr(0, colon)), .values = values});
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  if (tags->size() > kTagsMax) return RefuseField("tags", text, "64 tags at most");
  return absl::OkStatus();
}

absl::Status ReadLate(std::string_view text, FleetSpec* spec) {
  const size_t colon = std::min(text.find(':'), text.size());
  if (colon == text.size()) return RefuseField("late", text, "share:age, such as 0.01:6h");
  HOURCELL_RETURN_IF_ERROR(ReadReal("late", text.substr(0, colon), 1, &spec->late_share));
  return ReadSpan("late", text.substr(colon + 1), &spec->late_ms);
}

absl::Status ReadField(std::string_view name, std::string_view text, FleetSpec* spec) {
  if (name == "metrics") return ReadCount(name, text, 1, kFleetSeriesMax, &spec->metrics);
  if (name == "tags") return ReadTags(text, &spec->tags);
  if (name == "interval") return ReadSpan(name, text, &spec->interval_ms);
  if (name == "duration") return ReadSpan(name, text, &spec->duration_ms);
  if (name == "slice") return ReadSpan(name, text, &spec->slice_ms);
  if (name == "churn") return ReadReal(name, text, 100, &spec->churn_per_day);
  if (name == "skew") return ReadReal(name, text, 10, &spec->skew);
  if (name == "late") return ReadLate(text, spec);
  if (name == "start") return ReadCount(name, text, 0, UINT32_MAX, &spec->start_s);
  if (name == "uid") {
    uint64_t bytes = 0;
    HOURCELL_RETURN_IF_ERROR(ReadCount(name, text, kUidWidthMin, kUidWidthMax, &bytes));
    spec->uid_bytes = bytes;
    return absl::OkStatus();
  }
  return RefuseField(name, text,
                     "metrics, tags, interval, duration, start, slice, churn, skew, late or uid");
}

uint64_t GenerationsOf(const FleetSpec& spec) {
  const double days = static_cast<double>(spec.duration_ms) / static_cast<double>(kDayMs);
  return static_cast<uint64_t>(std::ceil(spec.churn_per_day * days)) + 1;
}

absl::Status CheckFleet(const FleetSpec& spec) {
  double series = static_cast<double>(spec.metrics);
  double values = 0;
  for (const FleetSpec::Tag& tag : spec.tags) {
    series *= static_cast<double>(tag.values);
    values += static_cast<double>(tag.values);
  }
  values += static_cast<double>(spec.tags[0].values) * static_cast<double>(GenerationsOf(spec));
  if (series > static_cast<double>(kFleetSeriesMax)) {
    return RefuseField("tags", fmt::format("{:.0f} series", series),
                       fmt::format("at most {}", kFleetSeriesMax));
  }
  const double uids = std::pow(256.0, static_cast<double>(spec.uid_bytes)) - 1;
  if (values > uids || static_cast<double>(spec.metrics) > uids) {
    return RefuseField("uid", fmt::format("{:.0f} names in {} bytes", values, spec.uid_bytes),
                       fmt::format("at most {:.0f}, or more bytes", uids));
  }
  if (spec.start_s % kHourSpan.seconds != 0) {
    return RefuseField("start", fmt::format("{}", spec.start_s), "a whole hour");
  }
  if (spec.duration_ms > kDurationMsMax) {
    return RefuseField("duration", fmt::format("{} ms", spec.duration_ms),
                       "a hundred years at most");
  }
  if (kHourSpan.ms() % spec.slice_ms != 0) {
    return RefuseField("slice", fmt::format("{} ms", spec.slice_ms), "a part of an hour");
  }
  return absl::OkStatus();
}

// Sum of 1 / k^skew for k = 1..n: term by term while they differ much, then the integral.
double ZipfSum(uint64_t n, double skew) {
  constexpr uint64_t kTermsMax = 100'000;
  const uint64_t terms = std::min(n, kTermsMax);
  double sum = 0;
  for (uint64_t k = terms; k > 0; --k)
    sum += std::pow(static_cast<double>(k), -skew);
  if (terms == n) return sum;
  const double from = static_cast<double>(terms) + 0.5;
  const double to = static_cast<double>(n) + 0.5;
  if (std::abs(skew - 1) < 1e-9) return sum + std::log(to / from);
  return sum + (std::pow(to, 1 - skew) - std::pow(from, 1 - skew)) / (1 - skew);
}

class FleetPutSource final : public PutSource {
 public:
  FleetPutSource(const FleetSpec& spec, FleetSteps steps, uint64_t seed)
      : spec_(spec),
        steps_(steps),
        seed_(seed),
        slice_ms_(steps == FleetSteps::kRows ? kHourSpan.ms() : spec.slice_ms),
        series_(spec.series()),
        random_(seed) {
    uint64_t base = 1;
    for (const FleetSpec::Tag& tag : spec.tags) {
      tag_base_.push_back(base);
      base += tag.values;
    }
    churn_base_ = base;
    if (spec.skew > 0) {
      points_per_ms_ = static_cast<double>(series_) / static_cast<double>(spec.interval_ms) /
                       ZipfSum(series_, spec.skew);
    }
  }

  uint64_t start_ms() const override { return spec_.start_s * 1'000; }
  uint64_t duration_ms() const override {
    return spec_.duration_ms + (steps_ == FleetSteps::kRows ? kSealMs : 0);
  }

  absl::StatusOr<bool> Next(SourcePut* put) override {
    while (slice_begin_ms_ < spec_.duration_ms) {
      if (next_series_ == series_) {
        next_series_ = 0;
        slice_begin_ms_ += slice_ms_;
        continue;
      }
      const uint64_t series = next_series_++;
      const uint64_t end_ms = std::min(slice_begin_ms_ + slice_ms_, spec_.duration_ms);
      const uint64_t before = PointsUntil(series, slice_begin_ms_);
      const uint64_t points = PointsUntil(series, end_ms) - before;
      if (points == 0) continue;
      const uint64_t hour_ms = slice_begin_ms_ - slice_begin_ms_ % kHourSpan.ms();
      Fill(series, points, before == PointsUntil(series, hour_ms), put);
      return true;
    }
    return false;
  }

 private:
  // The number of points that the series sent in the first `ms`.
  uint64_t PointsUntil(uint64_t series, uint64_t ms) const {
    if (points_per_ms_ > 0) {
      // Otherwise all slow series would send their first points in the same slice.
      const double phase = Random(seed_ ^ ((series + 1) * 0xBF58476D1CE4E5B9)).Fraction();
      const double rate = points_per_ms_ * std::pow(static_cast<double>(series + 1), -spec_.skew);
      return static_cast<uint64_t>(phase + rate * static_cast<double>(ms));
    }
    // Series send one after the other within an interval.
    const uint64_t phase_ms = series % 1'009 * spec_.interval_ms / 1'009;
    return (ms + spec_.interval_ms - 1 - phase_ms) / spec_.interval_ms;
  }

  void Fill(uint64_t series, uint64_t points, bool begins_row, SourcePut* put) {
    const uint64_t begin_ms = start_ms() + slice_begin_ms_;
    put->now_ms = begin_ms;
    if (steps_ == FleetSteps::kRows) {
      put->now_ms = begin_ms + kHourSpan.ms() + series * kSealMs / series_;
    }
    uint64_t time_ms = begin_ms;
    const bool is_late = spec_.late_share > 0 && random_.Fraction() < spec_.late_share;
    if (is_late) time_ms -= std::min(time_ms, random_.Below(spec_.late_ms + 1));
    put->puts = points;
    put->begins_row = is_late || begins_row;
    put->is_hour = steps_ == FleetSteps::kRows;
    MakeTsuid(series, time_ms);
    put->parts = {
        .tsuid = tsuid_, .metric_bytes = spec_.uid_bytes, .number = series, .time_ms = time_ms};
  }

  void MakeTsuid(uint64_t series, uint64_t time_ms) {
    uint64_t rest = series;
    values_.resize(spec_.tags.size());
    for (size_t i = spec_.tags.size(); i-- > 0;) {
      values_[i] = rest % spec_.tags[i].values;
      rest /= spec_.tags[i].values;
    }
    tsuid_.clear();
    AppendBigEndian(rest + 1, spec_.uid_bytes, &tsuid_);
    for (size_t i = 0; i < values_.size(); ++i) {
      AppendBigEndian(i + 1, spec_.uid_bytes, &tsuid_);
      AppendBigEndian(i == 0 ? ChurnedUid(values_[0], time_ms) : tag_base_[i] + values_[i],
                      spec_.uid_bytes, &tsuid_);
    }
  }

  // The UID of a value of the first tag; a new one replaces it every day / churn.
  uint64_t ChurnedUid(uint64_t value, uint64_t time_ms) const {
    if (spec_.churn_per_day <= 0) return tag_base_[0] + value;
    const double life_ms = static_cast<double>(kDayMs) / spec_.churn_per_day;
    const double phase = Random(seed_ ^ (value * 0x9E3779B97F4A7C15)).Fraction();
    const uint64_t since_ms = time_ms - std::min(time_ms, start_ms());
    const auto generation = static_cast<uint64_t>(static_cast<double>(since_ms) / life_ms + phase);
    if (generation == 0) return tag_base_[0] + value;
    return churn_base_ + (generation - 1) * spec_.tags[0].values + value;
  }

  const FleetSpec spec_;
  const FleetSteps steps_;
  const uint64_t seed_;
  const uint64_t slice_ms_;
  const uint64_t series_;
  Random random_;
  std::vector<uint64_t> tag_base_;  // UID of each tag's first value
  uint64_t churn_base_ = 0;
  double points_per_ms_ = 0;  // of the first series, if they are skewed
  uint64_t slice_begin_ms_ = 0;
  uint64_t next_series_ = 0;
  std::vector<uint64_t> values_;
  std::string tsuid_;
};

}  // namespace

uint64_t FleetSpec::series() const {
  uint64_t series = metrics;
  for (const Tag& tag : tags)
    series *= tag.values;
  return series;
}

double FleetSpec::points() const {
  return static_cast<double>(series()) * static_cast<double>(duration_ms) /
         static_cast<double>(interval_ms);
}

absl::StatusOr<FleetSpec> ParseFleet(std::string_view text) {
  FleetSpec spec;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view field = text.substr(0, end);
    const size_t equals = std::min(field.find('='), field.size());
    HOURCELL_RETURN_IF_ERROR(ReadField(field.substr(0, equals),
                                       field.substr(std::min(equals + 1, field.size())), &spec));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  HOURCELL_RETURN_IF_ERROR(CheckFleet(spec));
  return spec;
}

absl::StatusOr<uint64_t> ParseSpanMs(std::string_view text) {
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  constexpr std::pair<std::string_view, uint64_t> kUnits[] = {
      {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", kDayMs}};
  for (const auto& [name, ms] : kUnits) {
    if (error == std::errc() && unit == name && count <= kDurationMsMax / ms) return count * ms;
  }
  return absl::InvalidArgumentError(
      fmt::format("expected a time such as 10s, 15m, 2h, 7d, got {}", QuoteForMessage(text)));
}

std::unique_ptr<PutSource> MakeFleet(const FleetSpec& spec, FleetSteps steps, uint64_t seed) {
  return std::make_unique<FleetPutSource>(spec, steps, seed);
}

}  // namespace hourcell
