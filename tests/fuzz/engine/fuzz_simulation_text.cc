#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "bench/lab/simulate/design_text.h"
#include "bench/lab/simulate/input/fleet.h"
#include "bench/lab/simulate/input/trace_source.h"
#include "codec/base/check.h"
#include "engine/regions/keys/key_template.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace hourcell;

template <typename Result>
void CheckRefusal(const Result& result) {
  HOURCELL_CHECK(result.ok() || absl::IsInvalidArgument(result.status()));
}

// Keys ascend in length with nothing but the template.
void CheckTemplate(std::string_view text) {
  const auto layout = KeyTemplate::Parse(text);
  CheckRefusal(layout);
  if (!layout.ok()) return;
  const auto again = KeyTemplate::Parse(layout->text());
  HOURCELL_CHECK(again.ok() && again->text() == layout->text());
  const KeyParts parts{.tsuid = "mmmkkkvvv", .metric_bytes = 3, .number = 1, .time_ms = 1};
  std::string key;
  layout->Append(parts, &key);
  std::string key_again;
  again->Append(parts, &key_again);
  HOURCELL_CHECK(key == key_again && !key.empty());
}

// Puts of a trace come in the order of their times.
void CheckTrace(std::string_view text, TraceForm form) {
  std::string_view rest = text;
  auto trace = MakeTrace(
      [&rest](std::string_view* line) -> absl::StatusOr<bool> {
        if (rest.empty()) return false;
        const size_t end = std::min(rest.find('\n'), rest.size());
        *line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        return true;
      },
      {.form = form, .rows_remembered = 256});
  CheckRefusal(trace);
  if (!trace.ok()) return;
  SourcePut put;
  uint64_t last_ms = 0;
  while (true) {
    const auto more = (*trace)->Next(&put);
    CheckRefusal(more);
    if (!more.ok() || !*more) return;
    HOURCELL_CHECK(put.now_ms >= last_ms);
    HOURCELL_CHECK(!put.key.empty() || !put.parts.tsuid.empty());
    last_ms = put.now_ms;
  }
}

// Each slice visits every series, even without points. These limits bound the cost of a fleet.
constexpr uint64_t kFleetSeriesTried = 64;
constexpr uint64_t kSlicesTried = 16;
constexpr int kPutsTried = 32;
constexpr size_t kInputBytesMax = 1'024;

void CheckFleet(std::string_view text) {
  const auto fleet = ParseFleet(text);
  CheckRefusal(fleet);
  if (!fleet.ok() || fleet->series() > kFleetSeriesTried) return;
  if (fleet->interval_ms > kSlicesTried * fleet->slice_ms) return;
  const auto source = MakeFleet(*fleet, FleetSteps::kPoints, 1);
  SourcePut put;
  for (int i = 0; i < kPutsTried; ++i) {
    const auto more = source->Next(&put);
    HOURCELL_CHECK(more.ok());
    if (!*more) return;
    HOURCELL_CHECK(put.puts > 0);
  }
}

}  // namespace

// Any text is refused as a layout, fleet, design or trace, or read and within its limits.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = InputText(data, std::min<size_t>(size, kInputBytesMax));
  CheckTemplate(text);
  CheckTrace(text, TraceForm::kPuts);
  CheckTrace(text, TraceForm::kKeys);
  CheckRefusal(ParseDesign(text, {}));
  CheckFleet(text);
  return 0;
}
