// Lines of rollups, in OpenTSDB's line protocol and in files of an import:
//
//   rollup <spec> <metric> <timestamp> <value> <tagk=tagv> [<tagk=tagv> ...]
//   rollup 1h-sum:max cpu 1356998400 42 dc=x
//
// Pure; thread-safe, except for the parser passed in.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codec/point.h"
#include "codec/rollups/rollup_config.h"
#include "codec/text/point_error.h"
#include "codec/text/point_text.h"
#include "server/rollups/rollup_rules.h"

namespace hourcell {

// Whether an import line is a rollup, and not a point of a metric "rollup", whose second word is a
// time.
bool IsRollupLine(std::string_view line);

// Parses a line without its end and without "rollup ". The point is that of `parser`, as sent.
// Errors (kIllegalArgument): not enough arguments (need least 7, got N); an empty specification;
// those of PointText::Parse.
std::optional<PointError> ParseRollupWords(std::string_view words,
                                           PointSyntax syntax,
                                           const PointLimits& limits,
                                           PointText* parser,
                                           RollupTarget* target);

// The point of the level that such a point becomes. It points into `*text`. Errors: LevelPointOf's.
// REQUIRES: the point has a tag.
Parsed<LinePoint> LevelLineOf(const RollupRules& rules,
                              const RollupTarget& target,
                              const PointView& sent,
                              std::string* text);

}  // namespace hourcell
