#include "server/rollups/rollup_line.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::string_view kRollupCommand = "rollup ";

// The specification, metric, timestamp, value and one tag.
constexpr std::ptrdiff_t kRollupWordsMin = 5;

std::ptrdiff_t WordCount(std::string_view line) {
  return line.empty() ? 0 : 1 + std::ranges::count(line, ' ');
}

}  // namespace

bool IsRollupLine(std::string_view line) {
  if (!line.starts_with(kRollupCommand)) return false;
  line.remove_prefix(kRollupCommand.size());
  return !ParseTimestampText(line.substr(0, line.find(' ')), PointSyntax::kImport).ok();
}

std::optional<PointError> ParseRollupWords(std::string_view words,
                                           PointSyntax syntax,
                                           const PointLimits& limits,
                                           PointText* parser,
                                           RollupTarget* target) {
  // OpenTSDB's text has this number, but it accepts one word less.
  if (const std::ptrdiff_t count = WordCount(words); count < kRollupWordsMin) {
    return PointError{.text = fmt::format("not enough arguments (need least 7, got {})", count)};
  }
  const size_t blank = words.find(' ');
  absl::StatusOr<RollupTarget> parsed = ParseRollupTarget(words.substr(0, blank));
  if (!parsed.ok()) return PointError{.text = std::string(MessageOf(parsed.status()))};
  *target = *std::move(parsed);
  return parser->Parse(words.substr(blank + 1), syntax, limits);
}

Parsed<LinePoint> LevelLineOf(const RollupRules& rules,
                              const RollupTarget& target,
                              const PointView& sent,
                              std::string* text) {
  const Parsed<LevelPoint> level = LevelPointOf(rules, target, sent);
  if (!level.ok()) return level.error();
  HOURCELL_DCHECK(!sent.tags.empty());
  *text = level->metric;
  for (const TagView& tag : sent.tags) {
    if (tag.key != rules.aggregate_tagk)
      text->append(" ").append(tag.key).append("=").append(tag.value);
  }
  if (!level->aggregate.empty()) {
    text->append(" ").append(rules.aggregate_tagk).append("=").append(level->aggregate);
  }
  const std::string_view line = *text;
  return LinePoint{.metric = line.substr(0, level->metric.size()),
                   .tags = line.substr(level->metric.size() + 1),
                   .timestamp = level->timestamp,
                   .value = sent.value};
}

}  // namespace hourcell
