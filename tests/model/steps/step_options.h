// StepOptions: how the store of a list of steps is opened, drawn at random, as a few small numbers;
// and StepCase, such options with steps. As text both are C++, to be pasted into a test.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/random.h"
#include "engine/options.h"
#include "tests/model/steps/model_step.h"

namespace hourcell {

struct StepOptions {
  uint32_t metric_width = 3;
  uint32_t tagk_width = 3;
  uint32_t tagv_width = 3;
  uint32_t salt_width = 0;
  uint32_t salt_buckets = 1;
  uint32_t time_first = 0;     // 1: the base time before the metric
  uint32_t utf8 = 0;           // a NameEncoding
  uint32_t opentsdb = 0;       // cells in OpenTSDB's bytes
  uint32_t day_points = 200;   // hours with fewer share the row of their day
  uint32_t sync = 0;           // Durability
  uint32_t budgets = 0;        // 0 normal, 1 small, 2 as small as may be
  uint32_t lanes = 1;          // 0: by the processors
  uint32_t cuts = 0;           // keys the data table is cut at from the start
  uint32_t ttl_s = 0;          // of the store
  uint32_t metric_ttls = 0;    // 1: metrics get TTLs
  uint32_t background = 0;     // 1: seals, drops and splits in the background
  uint32_t query_threads = 1;  // 0: by the processors
  uint32_t no_new_names = 0;   // 1: of metrics, 2: of tag values
  uint32_t seal_grace_s = 600;
  uint32_t active_from = 256;  // series from which on a plan looks for active ones
  uint32_t keep_empty = 0;     // 1: series stay after all points expired

  friend bool operator==(const StepOptions&, const StepOptions&) = default;
};

// Of any, each about as often as the others; valid.
StepOptions DrawStepOptions(Random* random);

// Each with one field as by default that `options` has otherwise. All fields are valid together.
std::vector<StepOptions> SimplerThan(const StepOptions& options);

// But for the path, the clock and the Env.
Options ToOptions(const StepOptions& options);

// "{.salt_width = 1, .sync = 2}": the options that differ from the defaults.
std::string ToCode(const StepOptions& options);

struct StepCase {
  StepOptions options;
  std::vector<ModelStep> steps;
};

// Steps that suit the options, by the weights of their kinds.
std::vector<ModelStep> RandomSteps(const StepOptions& options, size_t count, Random* random);

// A whole test of that name.
std::string ToTest(const StepCase& failing, std::string_view name);

}  // namespace hourcell
