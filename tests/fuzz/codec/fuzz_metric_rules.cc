#include <string_view>

#include "codec/base/check.h"
#include "codec/rollups/metric_rules.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

void CheckRule(const MetricRule& rule) {
  HOURCELL_CHECK(!rule.pattern.empty());
  HOURCELL_CHECK(rule.levels.size() <= kRuleLevelsMax);
  HOURCELL_CHECK(rule.raw_ttl_s >= 0);
  int64_t before_s = 0;
  for (const RuleLevel& level : rule.levels) {
    HOURCELL_CHECK(level.seconds > before_s);
    HOURCELL_CHECK(86'400 % level.seconds == 0);
    HOURCELL_CHECK(!level.aggregates.empty());
    HOURCELL_CHECK(level.ttl_s >= 0);
    before_s = level.seconds;
  }
  HOURCELL_CHECK(rule.Fingerprint().empty() == (rule.levels.empty() && rule.tags.empty()));
}

}  // namespace
}  // namespace hourcell

// The parser refuses a text with a message, or gives rules within the limits of the header.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view text = InputText(data, size);
  const absl::StatusOr<MetricRules> rules = MetricRules::Parse(text);
  if (!rules.ok()) {
    HOURCELL_CHECK(!rules.status().message().empty());
    return 0;
  }
  HOURCELL_CHECK(!rules->rules().empty() && rules->rules().size() <= kMetricRulesMax);
  for (const MetricRule& rule : rules->rules())
    CheckRule(rule);
  rules->RuleOf(text);
  return 0;
}
