#include <string>
#include <string_view>
#include <utility>

#include "codec/base/check.h"
#include "engine/rows/annotation_key.h"
#include "tests/fuzz/fuzz_input.h"

// Any key in any layout is refused with kDataLoss, or its decoded fields give the same key again.
// The first two bytes choose the layout.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  const uint8_t widths = TakeByte(&input);
  const uint8_t more = TakeByte(&input);
  Layout layout{.metric_width = 1U + (widths & 7U),
                .tagk_width = 1U + (widths >> 3 & 7U),
                .tagv_width = 1U + (more & 7U),
                .salt_width = more >> 3 & 7U};
  if ((more & 0x40) != 0) std::swap(layout.fields[0], layout.fields[1]);
  if ((more & 0x80) != 0) std::swap(layout.fields[1], layout.fields[2]);
  const RowKeyCodec row_keys(layout);

  const auto view = ParseAnnotationKey(row_keys, input);
  if (!view.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(view.status()));
    return 0;
  }
  const std::string tsuid = std::string(view->metric) + std::string(view->tags);
  const Timestamp start{.ms = view->start_ms, .is_ms = view->start_ms % 1000 != 0};
  // Base times wrap nowhere: the last hour there is holds instants that cannot be written.
  if (start.ms > kTimestampMsMax) return 0;
  std::string key;
  if (view->is_annotation()) {
    AppendAnnotationKey(row_keys, tsuid, start, &key);
  } else {
    AppendHistogramKey(row_keys, tsuid, start.ms, &key);
  }
  // A tagv of zero, which no store has, can be read in two ways if it is a byte.
  if (layout.pair_width() == 2 && view->tags.find('\0') != std::string_view::npos) return 0;
  const auto again = ParseAnnotationKey(row_keys, key);
  HOURCELL_CHECK(again.ok());
  HOURCELL_CHECK(again->start_ms == view->start_ms && again->is_global() == view->is_global());
  HOURCELL_CHECK(again->type == view->type);
  HOURCELL_CHECK(again->tags == view->tags && again->metric == view->metric);
  return 0;
}
