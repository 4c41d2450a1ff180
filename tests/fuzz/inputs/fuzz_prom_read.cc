#include <string>
#include <vector>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "codec/rows/layout.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/prometheus/prom_labels.h"
#include "server/inputs/prometheus/prom_read_request.h"
#include "server/inputs/prometheus/prom_selection.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

void CheckQuery(const NameRule& rule, const PromReadQuery& query) {
  HOURCELL_CHECK(query.matchers.size() <= kPromMatchersMax);
  static const PromLabels labels({.default_tag_key = "host", .default_tag_value = "unknown"});
  const auto selection = PromSelection::Create(query.matchers, rule, &labels);
  if (!selection.ok()) {
    HOURCELL_CHECK(IsUtf8(MessageOf(selection.status())));
    return;
  }
  const auto filters = selection->FiltersOf(
      [](const std::string& label) { return std::vector<std::string>{label, label + "."}; },
      [](const std::string& value) { return value.size() % 2 == 0; });
  HOURCELL_CHECK(filters.ok() && !filters->empty() && filters->size() <= 2);
  for (const PromSelection::Filters& list : *filters)
    HOURCELL_CHECK(list.size() <= 2 * query.matchers.size());
  selection->TakesMetric("up");
  selection->TakesTags({});
}

}  // namespace
}  // namespace hourcell

// Any message is refused, or its queries are within their bounds and run.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  static const NameRule rule(NameEncoding::kLatin1, "");
  const auto queries = ParsePromRead(InputText(data, size));
  if (!queries.ok()) {
    HOURCELL_CHECK(!queries.status().message().empty());
    return 0;
  }
  HOURCELL_CHECK(queries->size() <= kPromQueriesMax);
  for (const PromReadQuery& query : *queries)
    CheckQuery(rule, query);
  return 0;
}
