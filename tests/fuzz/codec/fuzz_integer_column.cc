#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "codec/cells/integer_column.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

constexpr size_t kHeadSize = 19;

uint64_t WordAt(std::string_view bytes, size_t at) {
  uint64_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

void CheckTotals(std::span<const uint64_t> values, const IntegerTotals& totals) {
  int64_t min = static_cast<int64_t>(values.front());
  int64_t max = min;
  for (const uint64_t value : values) {
    min = std::min(min, static_cast<int64_t>(value));
    max = std::max(max, static_cast<int64_t>(value));
  }
  HOURCELL_CHECK(totals.min == min && totals.max == max);
  HOURCELL_CHECK(totals.sum == std::accumulate(values.begin(), values.end(), uint64_t{0}));
}

void CheckRoundTrip(ColumnVersion version, const std::vector<uint64_t>& values) {
  std::string column;
  AppendIntegerColumn(version, values, &column);
  HOURCELL_CHECK(IsLine(values) || CanHoldColumn(column.size(), values.size()));
  std::string_view rest = column;
  std::vector<uint64_t> decoded(values.size());
  decoded.front() = values.front();
  decoded.back() = values.back();
  IntegerTotals totals;
  HOURCELL_CHECK(TakeIntegerColumn(version, &rest, decoded, &totals) == nullptr);
  HOURCELL_CHECK(rest.empty() && decoded == values);
  CheckTotals(values, totals);
}

}  // namespace
}  // namespace hourcell

// Any bytes decode to values that either version gives back, or are refused. Input: a byte with the
// version, the count less 1 in two bytes, the first and last value, the column.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  if (input.size() < kHeadSize) return 0;
  const auto version = static_cast<ColumnVersion>(input[0] & 1);
  std::vector<uint64_t> values(1 + (WordAt(input, 0) >> 8 & 0xFFF));
  values.front() = WordAt(input, 3);
  values.back() = WordAt(input, 11);
  if (values.size() == 1 && WordAt(input, 3) != WordAt(input, 11)) return 0;
  input.remove_prefix(kHeadSize);
  IntegerTotals totals;
  if (TakeIntegerColumn(version, &input, values, &totals) != nullptr) return 0;
  CheckTotals(values, totals);
  CheckRoundTrip(ColumnVersion::kFirst, values);
  CheckRoundTrip(ColumnVersion::kSecond, values);
  return 0;
}
