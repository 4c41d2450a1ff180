#include "engine/query/functions/combination.h"

#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

using CombinedKind = FunctionSpec::Kind;

double CombinedValue(CombinedKind kind, double a, double b) {
  switch (kind) {
    case CombinedKind::kSumSeries:
      return a + b;
    case CombinedKind::kDiffSeries:
      return a - b;
    case CombinedKind::kMultiplySeries:
      return a * b;
    case CombinedKind::kDivideSeries:
      return DivideOrZero(a, b);
    default:
      HOURCELL_CHECK(false);
  }
}

bool HasSmallerTsuid(const KeptSeries& a, const KeptSeries& b) {
  if (a.tsuids().empty() || b.tsuids().empty()) return b.tsuids().empty() && !a.tsuids().empty();
  return a.tsuids().front() < b.tsuids().front();
}

}  // namespace

Combination::Combination(FunctionSpec::Kind kind, size_t inputs, MemoryAccount* memory)
    : kind_(kind), memory_(memory), inputs_(inputs) {
  HOURCELL_CHECK(kind >= CombinedKind::kSumSeries && kind <= CombinedKind::kDivideSeries);
}

absl::Status Combination::Add(size_t input, const SeriesView& series, QuerySink* /*out*/) {
  HOURCELL_CHECK(input < inputs_.size());
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<KeptSeries> kept, KeptSeries::CopyOf(series, memory_));
  inputs_[input].push_back(std::move(kept));
  return absl::OkStatus();
}

Span Combination::Combine(const std::vector<const Span*>& of_input) const {
  std::vector<const Span*> present;
  for (const Span* const span : of_input)
    if (span != nullptr) present.push_back(span);
  Span combined;
  combined.t = UnionOfTimes(present);
  const Span none;
  std::vector<double> result;
  for (size_t i = 0; i < of_input.size(); ++i) {
    const std::vector<double> values =
        ValuesAt(combined.t, of_input[i] != nullptr ? *of_input[i] : none, {});
    if (i == 0) {
      result = values;
      continue;
    }
    for (size_t at = 0; at < values.size(); ++at)
      result[at] = CombinedValue(kind_, result[at], values[at]);
  }
  combined.is_float.assign(result.size(), 1);
  for (const double value : result)
    combined.v.push_back(std::bit_cast<uint64_t>(value));
  return combined;
}

absl::Status Combination::Give(const JoinedSeries& joined, QuerySink* out) const {
  const KeptSeries* named = nullptr;
  size_t points = 0;
  bool nan_as_null = false;
  std::vector<const Span*> of_input(joined.size(), nullptr);
  for (size_t input = 0; input < joined.size(); ++input) {
    if (joined[input] == kNoSeries) continue;
    const KeptSeries& series = *inputs_[input][joined[input]];
    of_input[input] = &series.points();
    points += series.points().size();
    nan_as_null |= series.nan_as_null();
    if (named == nullptr || HasSmallerTsuid(series, *named)) named = &series;
  }
  HOURCELL_CHECK(named != nullptr);
  MemoryHold hold(memory_);
  constexpr size_t kBytesOfResult = 2 * (kSpanPointBytes + 2 * sizeof(double));
  HOURCELL_RETURN_IF_ERROR(hold.Take(BytesOfUnion(points) + points * kBytesOfResult));
  const Span combined = Combine(of_input);
  const std::vector<std::pair<std::string_view, std::string_view>> tags(named->tags().begin(),
                                                                        named->tags().end());
  const std::vector<std::string_view> aggregated(named->aggregate_tags().begin(),
                                                 named->aggregate_tags().end());
  SeriesView view;
  view.query_index = named->query_index();
  view.metric = named->metric();
  view.tags = tags;
  view.aggregate_tags = aggregated;
  view.nan_as_null = nan_as_null;
  view.points = {.t = combined.t, .v = combined.v, .is_float = combined.is_float};
  return out->OnSeries(view);
}

absl::Status Combination::Finish(QuerySink* out) {
  MemoryHold hold(memory_);
  std::vector<std::vector<std::string>> keys(inputs_.size());
  for (size_t input = 0; input < inputs_.size(); ++input) {
    for (const std::unique_ptr<KeptSeries>& series : inputs_[input]) {
      keys[input].push_back(JoinKey(series->tags(), {}));
      // A node of the map, and the result.
      constexpr size_t kBytesOfNode = 128;
      HOURCELL_RETURN_IF_ERROR(hold.Take(sizeof(std::string) + keys[input].back().size() +
                                         kBytesOfNode + 2 * inputs_.size() * sizeof(size_t)));
    }
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<JoinedSeries> results,
                            JoinByKey(keys, JoinSet::kUnion));
  for (const JoinedSeries& joined : results)
    HOURCELL_RETURN_IF_ERROR(Give(joined, out));
  inputs_.clear();
  return absl::OkStatus();
}

}  // namespace hourcell
