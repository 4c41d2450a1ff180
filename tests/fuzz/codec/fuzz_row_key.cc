#include <string>
#include <string_view>
#include <utility>

#include "codec/base/check.h"
#include "codec/rows/row_key.h"
#include "tests/fuzz/fuzz_input.h"

// Any key in any layout is refused with kDataLoss, or its parts append to a key that differs from
// it in nothing but the salt. The first two bytes choose the layout.
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
  const RowKeyCodec codec(layout);

  const auto view = codec.Parse(input);
  if (!view.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(view.status()));
    return 0;
  }
  std::string tsuid;
  RowKeyCodec::AppendTsuid(*view, &tsuid);
  std::string again;
  codec.Append(tsuid, view->base_time_s, &again);
  HOURCELL_CHECK(again.size() == input.size());
  HOURCELL_CHECK(codec.CompareIgnoringSalt(again, input) == 0);
  HOURCELL_CHECK(ParseTsuid(layout, tsuid).ok());
  return 0;
}
