#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/limits.h"
#include "engine/spool/spool_block.h"
#include "tests/fuzz/fuzz_input.h"

// A block is damage, or points that are written and read again alike, with the servers that have
// forwarded them; a position is refused, or has these bytes, or is of an earlier version.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view input = InputText(data, size);
  if (const auto position = DecodeSpoolPosition(input); position.has_value()) {
    constexpr size_t kOldBytes = 20;
    const std::string again = EncodeSpoolPosition(*position);
    HOURCELL_CHECK(again == input ||
                   (input.size() == kOldBytes && again.starts_with(input.substr(0, 16))));
  }
  SpooledPoints found;
  if (!DecodeSpoolBlock(input, &found).ok()) return 0;
  std::string again(kSpoolBlockHeaderBytes, '\0');
  const std::string_view via = SpoolViaOf(input);
  HOURCELL_CHECK(IsVia(via));
  AppendSpoolVia(via, &again);
  AppendSpooledPoints(found.points, &again, found.cells);
  SetSpoolBlockHeader(DecodeSpoolBlockHeader(input).value(), !via.empty(), &again);
  HOURCELL_CHECK(SpoolViaOf(again) == via);
  SpooledPoints reread;
  HOURCELL_CHECK(DecodeSpoolBlock(again, &reread).ok());
  HOURCELL_CHECK(reread.points.size() == found.points.size());
  HOURCELL_CHECK(reread.cells == found.cells && found.cells.size() == found.points.size());
  for (size_t i = 0; i < found.points.size(); ++i) {
    const PointView& point = found.points[i];
    HOURCELL_CHECK(point.timestamp.ms >= 0 && point.timestamp.ms <= kTimestampMsMax);
    HOURCELL_CHECK(point.value.is_integer() || std::isfinite(point.value.floating()));
    HOURCELL_CHECK(point.metric == reread.points[i].metric);
    HOURCELL_CHECK(std::ranges::equal(point.tags, reread.points[i].tags));
    HOURCELL_CHECK(point.timestamp == reread.points[i].timestamp);
    HOURCELL_CHECK(point.value == reread.points[i].value);
  }
  return 0;
}
