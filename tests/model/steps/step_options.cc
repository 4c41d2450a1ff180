#include "tests/model/steps/step_options.h"

#include <initializer_list>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "tests/support/builders.h"

namespace hourcell {
namespace {

struct OptionField {
  std::string_view name;
  uint32_t StepOptions::* member;
};

constexpr OptionField kFields[] = {
    {"metric_width", &StepOptions::metric_width},
    {"tagk_width", &StepOptions::tagk_width},
    {"tagv_width", &StepOptions::tagv_width},
    {"salt_width", &StepOptions::salt_width},
    {"salt_buckets", &StepOptions::salt_buckets},
    {"time_first", &StepOptions::time_first},
    {"utf8", &StepOptions::utf8},
    {"opentsdb", &StepOptions::opentsdb},
    {"day_points", &StepOptions::day_points},
    {"sync", &StepOptions::sync},
    {"budgets", &StepOptions::budgets},
    {"lanes", &StepOptions::lanes},
    {"cuts", &StepOptions::cuts},
    {"ttl_s", &StepOptions::ttl_s},
    {"metric_ttls", &StepOptions::metric_ttls},
    {"background", &StepOptions::background},
    {"query_threads", &StepOptions::query_threads},
    {"no_new_names", &StepOptions::no_new_names},
    {"seal_grace_s", &StepOptions::seal_grace_s},
    {"active_from", &StepOptions::active_from},
    {"keep_empty", &StepOptions::keep_empty},
};
static_assert(sizeof(StepOptions) == std::size(kFields) * sizeof(uint32_t));

uint32_t OneOf(std::initializer_list<uint32_t> choices, Random* random) {
  return choices.begin()[random->Below(choices.size())];
}

void SetBudgets(uint32_t budgets, Options* options) {
  // Segments are written to their end beforehand: large ones are slow to begin.
  options->journal_segment_bytes = 256 << 10;
  options->journal_bytes = 4 << 20;
  if (budgets == 0) return;
  options->series_cache_bytes = 16 << 10;
  options->uid_cache_names_max = 8;
  options->open_hours_bytes = 128 << 10;
  options->journal_segment_bytes = 16 << 10;
  options->journal_bytes = 128 << 10;
  if (budgets == 1) return;
  options->series_cache_bytes = 1 << 10;
  options->uid_cache_names_max = 1;
  options->open_hours_bytes = 64 << 10;
  options->journal_segment_bytes = 4 << 10;
  options->journal_bytes = 32 << 10;
  options->block_cache_bytes = 64 << 10;
}

}  // namespace

StepOptions DrawStepOptions(Random* random) {
  StepOptions drawn;
  drawn.metric_width = OneOf({1, 3, 3, 3, 8}, random);
  drawn.tagk_width = OneOf({1, 3, 3, 3, 8}, random);
  drawn.tagv_width = OneOf({1, 2, 3, 3, 8}, random);
  drawn.salt_width = OneOf({0, 1, 1, 2}, random);
  if (drawn.salt_width > 0) drawn.salt_buckets = OneOf({1, 4, 20}, random);
  drawn.time_first = OneOf({0, 0, 0, 1}, random);
  drawn.utf8 = OneOf({0, 1, 2}, random);
  drawn.opentsdb = OneOf({0, 1}, random);
  drawn.sync = OneOf({0, 1, 2}, random);
  drawn.budgets = OneOf({0, 1, 2}, random);
  drawn.lanes = OneOf({0, 1, 2, 5}, random);
  drawn.cuts = OneOf({0, 0, 1, 4}, random);
  drawn.ttl_s = OneOf({0, 0, 0, 4 * 3600, 12 * 3600}, random);
  drawn.metric_ttls = OneOf({0, 0, 1}, random);
  drawn.background = OneOf({0, 0, 1}, random);
  drawn.query_threads = OneOf({1, 1, 0, 3}, random);
  drawn.no_new_names = OneOf({0, 0, 0, 1, 2}, random);
  drawn.seal_grace_s = OneOf({0, 600, 600, 7200}, random);
  drawn.active_from = OneOf({0, 1, 256}, random);
  drawn.keep_empty = OneOf({0, 0, 1}, random);
  drawn.day_points = OneOf({200, 200, 0, 3}, random);
  return drawn;
}

std::vector<StepOptions> SimplerThan(const StepOptions& options) {
  const StepOptions defaults;
  std::vector<StepOptions> simpler;
  for (const OptionField& field : kFields) {
    if (options.*field.member == defaults.*field.member) continue;
    StepOptions one = options;
    one.*field.member = defaults.*field.member;
    simpler.push_back(one);
  }
  return simpler;
}

Options ToOptions(const StepOptions& options) {
  Options made = TinyOptions("");
  made.layout.metric_width = options.metric_width;
  made.layout.tagk_width = options.tagk_width;
  made.layout.tagv_width = options.tagv_width;
  made.layout.salt_width = options.salt_width;
  made.layout.salt_buckets = options.salt_width == 0 ? 1 : options.salt_buckets;
  if (options.time_first != 0) {
    made.layout.fields = {RowField::kSalt, RowField::kBaseTime, RowField::kMetric, RowField::kTags};
  }
  made.layout.names = static_cast<NameEncoding>(options.utf8);
  if (options.opentsdb != 0) made.cell_encoding = CellEncoding::kOpenTsdb;
  made.day_row_points = options.day_points;
  made.sync = static_cast<Durability>(options.sync);
  SetBudgets(options.budgets, &made);
  made.lanes = options.lanes;
  made.ttl_s = options.ttl_s;
  made.seal_in_background = options.background != 0;
  made.query_threads = options.query_threads;
  made.auto_create_metrics = options.no_new_names != 1;
  made.auto_create_tagvs = options.no_new_names != 2;
  made.seal_grace_s = options.seal_grace_s;
  made.active_from_series = options.active_from;
  made.drop_empty_series = options.keep_empty == 0;
  return made;
}

std::string ToCode(const StepOptions& options) {
  const StepOptions defaults;
  std::string code;
  for (const OptionField& field : kFields) {
    if (options.*field.member == defaults.*field.member) continue;
    code += fmt::format("{}.{} = {}", code.empty() ? "" : ", ", field.name, options.*field.member);
  }
  return "{" + code + "}";
}

std::vector<ModelStep> RandomSteps(const StepOptions& options, size_t count, Random* random) {
  std::vector<const StepKindFacts*> drawn;  // each as often as its weight
  for (const StepKindFacts& facts : AllStepKinds()) {
    if (facts.kind == StepKind::kTtl && options.metric_ttls == 0) continue;
    if (facts.kind == StepKind::kSalt && options.salt_width == 0) continue;
    drawn.insert(drawn.end(), facts.weight, &facts);
  }
  std::vector<ModelStep> steps;
  while (steps.size() < count) {
    const StepKindFacts& facts = *drawn[random->Below(drawn.size())];
    ModelStep& step = steps.emplace_back();
    step.kind = facts.kind;
    for (size_t i = 0; i < step.n.size() && facts.bounds[i] > 0; ++i)
      step.n[i] = static_cast<uint32_t>(random->Below(facts.bounds[i]));
  }
  return steps;
}

std::string ToTest(const StepCase& failing, std::string_view name) {
  std::string test = fmt::format("TEST(StepCaseTest, {}) {{\n", name);
  test += fmt::format("  const StepOptions options = {};\n", ToCode(failing.options));
  test += "  const std::vector<ModelStep> steps = {\n";
  for (const ModelStep& step : failing.steps)
    test += fmt::format("      {},\n", ToCode(step));
  test += "  };\n  EXPECT_EQ(RunSteps({options, steps}).fault, \"\");\n}\n";
  return test;
}

}  // namespace hourcell
