#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "engine/regions/keys/distributor_spec.h"
#include "engine/regions/keys/key_distributor.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace hourcell;

// A stored key is in the interval of its range, once.
void CheckRange(const KeyDistributor& distributor, std::string_view key, std::string_view stored) {
  const std::string_view half = key.substr(0, key.size() / 2);
  const auto range = distributor.Intervals(half, "");
  HOURCELL_CHECK(range.ok());
  const auto holders = std::count_if(
      range->intervals.begin(), range->intervals.end(), [&](const BucketInterval& interval) {
        return stored >= interval.start && (interval.stop.empty() || stored < interval.stop);
      });
  HOURCELL_CHECK(holders == 1);
}

}  // namespace

// A part as specification, another as stored key, the rest as key: each part is refused, or an
// encoded key decodes to the same key.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input = InputText(data, size);
  const std::string_view spec = TakePart(&input);
  const std::string_view foreign = TakePart(&input);
  Layout layout;
  layout.salt_width = 1;
  const auto made = MakeKeyDistributor(spec, layout);
  if (!made.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(made.status()));
    return 0;
  }
  const KeyDistributor& distributor = **made;
  const auto again = MakeKeyDistributor(distributor.Spec(), layout);
  HOURCELL_CHECK(again.ok() && (*again)->Spec() == distributor.Spec());

  std::string scratch;
  const auto decoded = distributor.Decode(foreign, &scratch);
  HOURCELL_CHECK(decoded.ok() || absl::IsDataLoss(decoded.status()));
  std::string stored;
  if (!distributor.Encode(input, &stored).ok()) return 0;
  const auto key = distributor.Decode(stored, &scratch);
  HOURCELL_CHECK(key.ok() && *key == input);
  if (distributor.buckets() <= 1000) CheckRange(distributor, input, stored);
  return 0;
}
