#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <absl/strings/ascii.h>

#include "codec/base/check.h"
#include "server/rollups/rollup_line.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/server/rollups/rollup_test_rules.h"

namespace hourcell {
namespace {

// The level's point has the metric, the value and the tags of the point that was sent, a time of
// its interval, and the tag of its group-by aggregator.
void CheckLevel(const RollupTarget& target, const PointView& sent, const LinePoint& level) {
  HOURCELL_CHECK(SummarizedMetric(level.metric) == sent.metric);
  HOURCELL_CHECK(level.value == sent.value);
  const int64_t before_ms = sent.timestamp.ms - level.timestamp.ms;
  HOURCELL_CHECK(before_ms >= 0 && before_ms < (target.interval.empty() ? 1 : 3'600'000));
  PointText text;
  HOURCELL_CHECK(!text.ParseSeries(level, {.tags_max = kTagsMax}));
  const std::string aggregate = absl::AsciiStrToUpper(target.group_by);
  bool has_aggregate = aggregate.empty();
  for (const TagView& tag : text.point().tags) {
    const bool is_aggregate = tag.key == "_aggregate";
    HOURCELL_CHECK(is_aggregate ? tag.value == aggregate
                                : std::ranges::find(sent.tags, tag) != sent.tags.end());
    has_aggregate = has_aggregate || is_aggregate;
  }
  HOURCELL_CHECK(has_aggregate);
}

}  // namespace
}  // namespace hourcell

// Any words are refused in words, or give a point of a level. The first byte selects the syntax.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  static const RollupRules rules = MakeTestRules();
  std::string_view words = InputText(data, size);
  const PointSyntax syntax =
      TakeByte(&words) % 2 == 0 ? PointSyntax::kTelnet : PointSyntax::kImport;
  PointText parser;
  RollupTarget target;
  if (const auto error = ParseRollupWords(words, syntax, PointLimits{}, &parser, &target)) {
    HOURCELL_CHECK(!error->text.empty());
    return 0;
  }
  std::string text;
  const Parsed<LinePoint> level = LevelLineOf(rules, target, parser.point(), &text);
  if (level.ok()) {
    CheckLevel(target, parser.point(), *level);
  } else {
    HOURCELL_CHECK(!level.error().text.empty());
  }
  return 0;
}
