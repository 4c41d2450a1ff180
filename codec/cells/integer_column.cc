#include "codec/cells/integer_column.h"

#include "codec/base/check.h"
#include "codec/cells/column_choice.h"
#include "codec/cells/column_stream.h"

namespace hourcell {
namespace {

void FillLine(uint64_t slope, std::span<uint64_t> values, IntegerTotals* totals) {
  uint64_t value = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    value += slope;
    values[i] = value;
    AddToTotals(value, totals);
  }
}

}  // namespace

bool IsLine(std::span<const uint64_t> values) {
  const uint64_t chord = ChordOf(values);
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != chord) return false;
  }
  return true;
}

void AppendIntegerColumn(ColumnVersion version,
                         std::span<const uint64_t> values,
                         std::string* out) {
  HOURCELL_CHECK(!values.empty());
  if (IsLine(values)) {
    out->push_back('\0');
    return;
  }
  const ColumnChoice choice = ChooseColumn(version, values);
  AppendColumnHead(version, choice.head, out);
  AppendColumnStream(version, choice.head, values.size(), choice.numbers, out);
}

const char* TakeIntegerColumn(ColumnVersion version,
                              std::string_view* bytes,
                              std::span<uint64_t> values,
                              IntegerTotals* totals) {
  const uint64_t first = values.front();
  const uint64_t last = values.back();
  *totals = {static_cast<int64_t>(first), static_cast<int64_t>(first), first};
  ColumnHead head;
  if (const char* fault = TakeColumnHead(version, bytes, values, &head); fault != nullptr) {
    return fault;
  }
  if (head.predictor == Predictor::kLine) {
    FillLine(head.slope, values, totals);
    return values.back() == last ? nullptr : "line that does not meet its last value";
  }
  if (version == ColumnVersion::kSecond && values.size() < 3) return "column that is always a line";
  const char* end = DecodeColumnStream(version, head, *bytes, values, totals);
  if (end == nullptr) return "column that does not add up";
  if (values.back() != last) return "column that does not meet its last value";
  bytes->remove_prefix(static_cast<size_t>(end - bytes->data()));
  return nullptr;
}

bool CanHoldColumn(size_t bytes, size_t values) {
  // The most frequent token of any model has 1,012 of 1,024 states and costs 0.017 bits; the first
  // state may save 10 bits.
  constexpr size_t kValuesPerByteMax = 480;
  return values / kValuesPerByteMax <= bytes + 2;
}

}  // namespace hourcell
