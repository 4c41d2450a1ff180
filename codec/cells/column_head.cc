#include "codec/cells/column_head.h"

#include <absl/status/statusor.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/cells/token_model.h"

namespace hourcell {
namespace {

constexpr uint32_t kPredictorShift = 5;
constexpr uint8_t kModelMask = 0x1F;
constexpr uint8_t kShiftMask = 0x3F;
constexpr uint8_t kDivisorFlag = 0x40;
constexpr uint8_t kZeroModelFlag = 0x80;  // of the second version
constexpr uint8_t kUnsignedLead = 0x1F;   // of the second version

const char* TakeByte(std::string_view* bytes, uint8_t* out) {
  if (bytes->empty()) return "column cut short";
  *out = static_cast<uint8_t>(bytes->front());
  bytes->remove_prefix(1);
  return nullptr;
}

bool IsSmallDelta(const ColumnHead& head) {
  return head.predictor == Predictor::kDelta && head.is_small() && head.model < kPlainModels;
}

// The lead byte of a delta with its shift in place of a model; 0 if it does not have one.
uint8_t ShortLead(const ColumnHead& head) {
  if (head.predictor != Predictor::kDelta || head.divisor != 1 || head.is_unsigned) return 0;
  if (head.shift == 0 || head.shift > kShortShiftMax) return 0;
  for (uint8_t i = 0; i < kShortHeadModels.size(); ++i) {
    if (head.model == kShortHeadModels[i]) return static_cast<uint8_t>(2 * head.shift - 1 + i);
  }
  return 0;
}

// Decodes a lead byte of predictor 0 that is neither a line nor kUnsignedLead.
void SetShortDelta(uint8_t lead, ColumnHead* out) {
  out->predictor = Predictor::kDelta;
  out->shift = (lead + 1U) / 2;
  out->model = kShortHeadModels[(lead + 1U) % 2];
}

// Takes the bytes after the lead byte.
const char* TakeScale(ColumnVersion version, std::string_view* bytes, ColumnHead* out) {
  uint8_t scale = 0;
  if (const char* fault = TakeByte(bytes, &scale); fault != nullptr) return fault;
  out->shift = scale & kShiftMask;
  if ((scale & kZeroModelFlag) != 0) {
    if (version == ColumnVersion::kFirst) return "unknown scale";
    out->model += kPlainModels;
  }
  if ((scale & kDivisorFlag) != 0) {
    const absl::StatusOr<uint64_t> divisor = TakeVarint(bytes);
    if (!divisor.ok() || *divisor > (uint64_t{1} << 63) - 3) return "unreadable divisor";
    out->divisor = *divisor + 2;
  }
  if (HasCentre(out->predictor)) {
    const absl::StatusOr<uint64_t> centre = TakeVarint(bytes);
    if (!centre.ok()) return "unreadable centre";
    out->centre = UnZigZag(*centre);
  }
  return nullptr;
}

}  // namespace

uint64_t ChordOf(std::span<const uint64_t> values) {
  if (values.size() < 2) return 0;
  const auto steps = static_cast<int64_t>(values.size() - 1);
  const auto rise = static_cast<int64_t>(values.back() - values.front());
  const int64_t rest = rise % steps;
  const int64_t up = rest >= steps - rest ? 1 : rest <= -steps - rest ? -1 : 0;
  return static_cast<uint64_t>(rise / steps + up);
}

uint64_t SlopeOf(std::span<const uint64_t> values, uint64_t divisor) {
  const auto chord = static_cast<int64_t>(ChordOf(values));
  return static_cast<uint64_t>(chord - chord % static_cast<int64_t>(divisor));
}

void AppendColumnHead(ColumnVersion version, const ColumnHead& head, std::string* out) {
  const bool is_second = version == ColumnVersion::kSecond;
  HOURCELL_DCHECK(is_second || (head.model < kPlainModels && !head.is_unsigned));
  if (const uint8_t lead = ShortLead(head); is_second && lead != 0) {
    out->push_back(static_cast<char>(lead));
    return;
  }
  if (head.is_unsigned) out->push_back(static_cast<char>(kUnsignedLead));
  const bool is_small = IsSmallDelta(head);
  const Predictor stored = is_small ? Predictor::kSmallDelta : head.predictor;
  out->push_back(static_cast<char>(static_cast<uint32_t>(stored) << kPredictorShift |
                                   (head.model & kModelMask)));
  if (is_small) return;
  out->push_back(static_cast<char>(head.shift | (head.divisor == 1 ? 0U : kDivisorFlag) |
                                   (head.model < kPlainModels ? 0U : kZeroModelFlag)));
  if (head.divisor != 1) AppendVarint(head.divisor - 2, out);
  if (HasCentre(stored)) AppendVarint(ZigZag(head.centre), out);
}

const char* TakeColumnHead(ColumnVersion version,
                           std::string_view* bytes,
                           std::span<const uint64_t> values,
                           ColumnHead* out) {
  uint8_t lead = 0;
  if (const char* fault = TakeByte(bytes, &lead); fault != nullptr) return fault;
  const bool is_second = version == ColumnVersion::kSecond;
  if (is_second && lead == kUnsignedLead) {
    out->is_unsigned = true;
    if (const char* fault = TakeByte(bytes, &lead); fault != nullptr) return fault;
  }
  out->predictor = static_cast<Predictor>(lead >> kPredictorShift);
  out->model = lead & kModelMask;
  if (out->is_unsigned &&
      (out->predictor == Predictor::kLine || out->predictor == Predictor::kSmallDelta)) {
    return "unsigned column without a scale";
  }
  if (out->predictor == Predictor::kLine) {
    out->slope = ChordOf(values);
    if (lead == 0) return nullptr;
    if (!is_second) return "line with a model";
    out->slope = 0;
    SetShortDelta(lead, out);
    return nullptr;
  }
  if (out->predictor == Predictor::kSmallDelta) return nullptr;
  if (const char* fault = TakeScale(version, bytes, out); fault != nullptr) return fault;
  if (HasSlope(out->predictor)) out->slope = SlopeOf(values, out->divisor);
  return nullptr;
}

}  // namespace hourcell
