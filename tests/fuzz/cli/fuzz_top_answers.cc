#include <string>
#include <string_view>

#include <simdjson.h>

#include "codec/base/check.h"
#include "server/cli/cluster/top_sample.h"
#include "server/cli/cluster/top_text.h"
#include "tests/fuzz/fuzz_input.h"

// Any bodies are answers or kDataLoss, and two answers give a snapshot of valid text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  const TopSize screen{.rows = TakeByte(&input), .width = TakeByte(&input)};
  const std::string_view text = input;
  const auto check = [](const absl::Status& status) {
    HOURCELL_CHECK(status.ok() || absl::IsDataLoss(status));
  };
  const TopSample before{.at_ms = 1000, .values = ParseTopMetrics(text.substr(text.size() / 2))};
  TopSample now{.at_ms = 2000, .values = ParseTopMetrics(text)};
  auto queries = ParseTopQueries(text);
  check(queries.status());
  if (queries.ok()) now.queries = *std::move(queries);
  auto regions = ParseTopRegions(text);
  check(regions.status());
  if (regions.ok()) now.regions = *std::move(regions);
  for (const TopSample* earlier : {static_cast<const TopSample*>(nullptr), &before}) {
    const TopView view = MakeTopView(earlier, now, "localhost:4242", 1'700'000'000'000);
    TopText(view, screen);
    const std::string json = TopJson(view);
    simdjson::dom::parser parser;
    HOURCELL_CHECK(!simdjson::validate_utf8(text) || parser.parse(json).error() == 0);
  }
  return 0;
}
