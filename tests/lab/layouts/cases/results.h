// Results of cases that were never run, with figures that are easy to recognise.

#pragma once

#include <string_view>
#include <vector>

#include "bench/lab/layouts/cases/case_result.h"

namespace hourcell::layouts {

inline CaseResult MadeUpResult(std::string_view layout,
                               const CellForm& cell = {},
                               SplitRule rule = SplitRule::kIncreasing) {
  CaseResult result{.spec = {.layout = *FindLayout(layout), .cell = cell, .rule = rule, .seed = 77},
                    .series = 10,
                    .points = 1'000,
                    .write_cpu_us_per_kpoint = 321,
                    .write_instructions = 654,
                    .write_points_per_s = 123'456,
                    .pause_max_ms = 9.5,
                    .stored_bytes_per_point = 2.25,
                    .file_bytes_per_point = 1.5,
                    .regions = 2,
                    .splits = 1,
                    .hot_share = 0.5,
                    .hot_share_late = 0.25,
                    .gini = 0.125};
  result.windows = {{.hottest_share = 1, .gini = 0, .regions = 1},
                    {.hottest_share = 0.25, .gini = 0.25, .regions = 2}};
  result.load = {.starts = {"", "k"}, .rows = {{500, 0}, {0, 500}}};
  for (ReadFigures& read : result.reads)
    read = {.cpu_us = 30,
            .instructions = 4'500,
            .p50_us = 40,
            .p99_us = 80,
            .accesses = 6,
            .blocks = 12,
            .rows_per_point = 0.5,
            .bytes_per_point = 3};
  return result;
}

}  // namespace hourcell::layouts
