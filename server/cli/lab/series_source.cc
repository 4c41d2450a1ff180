#include "server/cli/lab/series_source.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "bench/lab/simulate/input/fleet.h"
#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/point_text.h"
#include "server/cli/data/import/line_reader.h"

// Why UIDs by first use, not those of the server: a file lacks UIDs, and keys with salt, or with
// UIDs of other widths, would need the server's layout. The order of names in a file is that of
// their creation, and that order decides where the keys of new series go.

namespace hourcell {
namespace {

using layouts::GivenFleet;
using layouts::WorkloadSeries;

constexpr int64_t kHourMs = 3'600'000;
constexpr double kIntervalMostS = 3'600;
constexpr double kUnknownIntervalS = 60;

uint32_t IntervalS(double seconds) {
  return static_cast<uint32_t>(std::lround(std::clamp(seconds, 1.0, kIntervalMostS)));
}

std::string SampleUid(uint64_t number) {
  std::string uid;
  AppendBigEndian(number, layouts::kMetricBytes, &uid);
  return uid;
}

// The factor of Zipf's law that keeps the number of all points.
double SkewScale(const FleetSpec& spec) {
  if (spec.skew == 0) return 1;
  double sum = 0;
  for (uint64_t k = 1; k <= spec.series(); ++k)
    sum += std::pow(static_cast<double>(k), -spec.skew);
  return static_cast<double>(spec.series()) / sum;
}

// Series number `index` of a fleet, metrics first, as its hosts would create them.
WorkloadSeries SeriesAt(const FleetSpec& spec, uint64_t index, double scale) {
  WorkloadSeries series{.metric = SampleUid(1 + index % spec.metrics),
                        .is_gauge = index % spec.metrics % 2 == 1};
  uint64_t rest = index / spec.metrics;
  uint64_t first_value = 1;
  uint64_t tag_number = 0;
  for (const FleetSpec::Tag& tag : spec.tags) {
    series.tags += SampleUid(++tag_number) + SampleUid(first_value + rest % tag.values);
    first_value += tag.values;
    rest /= tag.values;
  }
  const double rate = scale * std::pow(static_cast<double>(index + 1), -spec.skew);
  series.interval_s = IntervalS(static_cast<double>(spec.interval_ms) / 1e3 / rate);
  return series;
}

}  // namespace

absl::Status SeriesTally::Add(std::string_view metric,
                              std::span<const TagView> tags,
                              const Timestamp& time,
                              const Value& value) {
  HOURCELL_ASSIGN_OR_RETURN(const TraceNames::Series found, names_.Find(metric, tags));
  if (found.number >= series_.size()) {
    series_.resize(found.number + 1);
    series_[found.number] = {
        .tsuid = std::string(found.tsuid), .first_ms = time.ms, .last_ms = time.ms};
  }
  Series& series = series_[found.number];
  series.first_ms = std::min(series.first_ms, time.ms);
  series.last_ms = std::max(series.last_ms, time.ms);
  ++series.points;
  if (!value.is_integer()) series.is_gauge = true;
  return absl::OkStatus();
}

GivenFleet SeriesTally::Fleet(std::string_view source) const {
  GivenFleet fleet;
  std::set<std::string_view> metrics;
  for (const Series& series : series_) {
    const std::string_view tsuid = series.tsuid;
    const auto span_s = static_cast<double>(series.last_ms - series.first_ms) / 1e3;
    const double interval_s =
        series.points < 2 ? kUnknownIntervalS : span_s / static_cast<double>(series.points - 1);
    metrics.insert(tsuid.substr(0, names_.metric_bytes()));
    fleet.series.push_back({.metric = std::string(tsuid.substr(0, names_.metric_bytes())),
                            .tags = std::string(tsuid.substr(names_.metric_bytes())),
                            .interval_s = IntervalS(interval_s),
                            .is_gauge = series.is_gauge});
  }
  fleet.text = fmt::format("{} series of {} metrics {}", series_.size(), metrics.size(), source);
  return fleet;
}

absl::StatusOr<GivenFleet> SeriesOfFleet(std::string_view text, uint64_t seed) {
  HOURCELL_ASSIGN_OR_RETURN(const FleetSpec spec, ParseFleet(text));
  const uint64_t all = spec.series();
  const uint64_t step = (all + kGivenSeriesMax - 1) / kGivenSeriesMax;
  const double scale = SkewScale(spec);
  GivenFleet fleet{.text = fmt::format("the fleet {}, {} series", text, all)};
  Random random(seed);
  for (uint64_t begin = 0; begin < all; begin += step) {
    const uint64_t index = begin + random.Below(std::min(step, all - begin));
    fleet.series.push_back(SeriesAt(spec, index, scale));
  }
  return fleet;
}

absl::StatusOr<GivenFleet> SeriesOfFile(const std::string& path) {
  constexpr std::string_view kPutWord = "put ";
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<LineReader> reader, LineReader::Open(path));
  SeriesTally tally;
  PointText parser;
  Line line;
  uint64_t lines = 0;
  while (lines < kSampleLinesMax) {
    HOURCELL_ASSIGN_OR_RETURN(const bool more, reader->Next(&line));
    if (!more) break;
    if (line.text.empty()) continue;
    const bool is_put = line.text.starts_with(kPutWord);
    const std::optional<PointError> error =
        parser.Parse(is_put ? line.text.substr(kPutWord.size()) : line.text,
                     is_put ? PointSyntax::kTelnet : PointSyntax::kImport, {});
    if (error.has_value()) {
      return absl::InvalidArgumentError(fmt::format("{}:{}: {}: {}", reader->name(), line.number,
                                                    error->text, QuoteForMessage(line.text)));
    }
    const PointView& point = parser.point();
    HOURCELL_RETURN_IF_ERROR(tally.Add(point.metric, point.tags, point.timestamp, point.value));
    ++lines;
  }
  if (tally.series() == 0) {
    return absl::InvalidArgumentError(fmt::format("{}: no points; expected some", path));
  }
  return tally.Fleet(fmt::format("in {} lines of {}", lines, path));
}

absl::StatusOr<GivenFleet> SeriesOfServer(const RowSourceOptions& server, int64_t now_ms) {
  HOURCELL_ASSIGN_OR_RETURN(
      const VisitRows visit_rows,
      OpenRows({.metric = "", .start_ms = now_ms - 2 * kHourMs, .end_ms = now_ms}, server));
  SeriesTally tally;
  uint64_t rows = 0;
  absl::Status added;
  const auto take = [&](const ScannedRow& row) {
    for (size_t i = 0; i < row.times.size() && added.ok(); ++i)
      added = tally.Add(row.metric, row.tags, row.times[i], row.point_values[i]);
    return added.ok() && ++rows < kSampleRowsMax;
  };
  HOURCELL_RETURN_IF_ERROR(visit_rows(take));
  HOURCELL_RETURN_IF_ERROR(added);
  if (tally.series() == 0) {
    return absl::NotFoundError(
        fmt::format("{}: no points in the last two hours; expected some", server.url));
  }
  return tally.Fleet(fmt::format("in {} rows of {}", rows, server.url));
}

}  // namespace hourcell
