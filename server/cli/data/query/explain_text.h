// Formats the plans of a query's sub queries as a table for people.
//
//   query  method       series  of series  groups  hours    rows  expected  skipped   points ...
//       0  point reads       7        100       2     24     160       168        0     5760 ...
//
// Pure; thread-safe.

#pragma once

#include <span>
#include <string>

#include "engine/query.h"

namespace hourcell {

// Lines, each with its end; fields are aligned. Without plans: "No sub query was planned".
std::string ExplainText(std::span<const PlanReport> plans);

}  // namespace hourcell
