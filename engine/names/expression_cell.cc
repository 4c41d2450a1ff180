#include "engine/names/expression_cell.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/crc32c.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr char kExpressionVersion = 1;
constexpr size_t kNumberBytes = 8;
constexpr size_t kChecksumBytes = 4;

constexpr uint8_t kHasDownsample = 1;
constexpr uint8_t kHasRate = 2;
constexpr uint8_t kIsCounter = 4;
constexpr uint8_t kDropsResets = 8;
constexpr uint8_t kAllFlags = 15;

void AppendText(std::string_view text, std::string* out) {
  AppendVarint(text.size(), out);
  out->append(text);
}

void AppendDouble(double value, std::string* out) {
  AppendBigEndian(std::bit_cast<uint64_t>(value), kNumberBytes, out);
}

uint8_t FlagsOfInput(const SubQuery& input) {
  uint8_t flags = input.downsample.has_value() ? kHasDownsample : 0;
  if (!input.rate.has_value()) return flags;
  flags |= kHasRate;
  if (input.rate->counter) flags |= kIsCounter;
  if (input.rate->drop_resets) flags |= kDropsResets;
  return flags;
}

void AppendInput(const Layout& layout,
                 const SubQuery& input,
                 const StoredExpression::Names& names,
                 std::string* out) {
  AppendText(AggregatorName(input.aggregator), out);
  AppendBigEndian(names.metric, layout.metric_width, out);
  out->push_back(static_cast<char>(FlagsOfInput(input)));
  if (input.downsample.has_value()) {
    AppendVarint(static_cast<uint64_t>(input.downsample->interval_ms), out);
    AppendText(AggregatorName(input.downsample->function), out);
    out->push_back(static_cast<char>(input.downsample->fill));
    AppendDouble(input.downsample->fill_value, out);
  }
  if (input.rate.has_value()) {
    AppendBigEndian(static_cast<uint64_t>(input.rate->counter_max), kNumberBytes, out);
    AppendBigEndian(static_cast<uint64_t>(input.rate->reset_value), kNumberBytes, out);
  }
  AppendVarint(input.filters.size(), out);
  for (size_t i = 0; i < input.filters.size(); ++i) {
    const TagFilterSpec& filter = input.filters[i];
    AppendBigEndian(names.tagks[i], layout.tagk_width, out);
    out->push_back(static_cast<char>(filter.type));
    out->push_back(filter.group_by ? 1 : 0);
    AppendText(filter.filter, out);
  }
}

// Takes fields off the front of the bytes. Every Take returns false if the bytes are not such a
// field; they are unusable then.
class ExpressionReader {
 public:
  ExpressionReader(const Layout& layout, std::string_view bytes) : layout_(layout), rest_(bytes) {}

  bool TakeExpression(StoredExpression* stored) {
    MetricExpression& expression = stored->expression;
    uint64_t inputs = 0;
    if (!TakeMissing(&expression.missing) || !TakeText(&expression.formula) ||
        !TakeCount(kExpressionInputsMax, &inputs) || inputs == 0) {
      return false;
    }
    for (uint64_t i = 0; i < inputs; ++i) {
      if (!TakeInput(&expression.inputs.emplace_back(), &stored->names.emplace_back()))
        return false;
    }
    return rest_.empty();
  }

 private:
  bool TakeByte(uint8_t max, uint8_t* byte) {
    if (rest_.empty() || static_cast<uint8_t>(rest_[0]) > max) return false;
    *byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return true;
  }

  bool TakeInteger(size_t width, uint64_t* value) {
    if (rest_.size() < width) return false;
    *value = LoadBigEndian(rest_.data(), width);
    rest_.remove_prefix(width);
    return true;
  }

  bool TakeFinite(double* value) {
    uint64_t bits = 0;
    if (!TakeInteger(kNumberBytes, &bits)) return false;
    *value = std::bit_cast<double>(bits);
    return std::isfinite(*value);
  }

  bool TakeCount(uint64_t max, uint64_t* count) {
    const absl::StatusOr<uint64_t> taken = TakeVarint(&rest_);
    if (!taken.ok() || *taken > max) return false;
    *count = *taken;
    return true;
  }

  bool TakeText(std::string* text) {
    uint64_t size = 0;
    if (!TakeCount(kExpressionFormulaBytesMax, &size) || size > rest_.size()) return false;
    *text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  bool TakeAggregator(Aggregator* aggregator) {
    std::string name;
    if (!TakeText(&name)) return false;
    const absl::StatusOr<Aggregator> parsed = ParseAggregator(name);
    if (parsed.ok()) *aggregator = *parsed;
    return parsed.ok();
  }

  bool TakeMissing(std::optional<double>* missing) {
    uint8_t is_set = 0;
    if (!TakeByte(1, &is_set)) return false;
    return is_set == 0 || TakeFinite(&missing->emplace());
  }

  bool TakeDownsample(DownsampleSpec* downsample) {
    uint64_t interval_ms = 0;
    uint8_t fill = 0;
    if (!TakeCount(INT64_MAX, &interval_ms) || interval_ms == 0 ||
        !TakeAggregator(&downsample->function) || downsample->function == Aggregator::kNone ||
        !TakeByte(static_cast<uint8_t>(FillPolicy::kZero), &fill) ||
        !TakeFinite(&downsample->fill_value)) {
      return false;
    }
    downsample->interval_ms = static_cast<int64_t>(interval_ms);
    downsample->fill = static_cast<FillPolicy>(fill);
    return true;
  }

  bool TakeRate(uint8_t flags, RateSpec* rate) {
    uint64_t counter_max = 0;
    uint64_t reset_value = 0;
    if (!TakeInteger(kNumberBytes, &counter_max) || !TakeInteger(kNumberBytes, &reset_value))
      return false;
    *rate = {.counter = (flags & kIsCounter) != 0,
             .counter_max = static_cast<int64_t>(counter_max),
             .reset_value = static_cast<int64_t>(reset_value),
             .drop_resets = (flags & kDropsResets) != 0};
    return true;
  }

  bool TakeFilter(TagFilterSpec* filter, Uid* tagk) {
    uint8_t type = 0;
    uint8_t groups = 0;
    if (!TakeInteger(layout_.tagk_width, tagk) ||
        !TakeByte(static_cast<uint8_t>(FilterType::kNotKey), &type) || !TakeByte(1, &groups) ||
        !TakeText(&filter->filter)) {
      return false;
    }
    filter->type = static_cast<FilterType>(type);
    filter->group_by = groups != 0;
    return true;
  }

  bool TakeInput(SubQuery* input, StoredExpression::Names* names) {
    uint8_t flags = 0;
    uint64_t filters = 0;
    if (!TakeAggregator(&input->aggregator) || !TakeInteger(layout_.metric_width, &names->metric) ||
        !TakeByte(kAllFlags, &flags)) {
      return false;
    }
    const bool has_rate = (flags & kHasRate) != 0;
    if (!has_rate && (flags & (kIsCounter | kDropsResets)) != 0) return false;
    if ((flags & kHasDownsample) != 0 && !TakeDownsample(&input->downsample.emplace()))
      return false;
    if (has_rate && !TakeRate(flags, &input->rate.emplace())) return false;
    // Each filter takes more than a byte.
    if (!TakeCount(rest_.size(), &filters)) return false;
    for (uint64_t i = 0; i < filters; ++i) {
      if (!TakeFilter(&input->filters.emplace_back(), &names->tagks.emplace_back())) return false;
    }
    return true;
  }

  const Layout& layout_;
  std::string_view rest_;
};

}  // namespace

std::string EncodeExpression(const Layout& layout, const StoredExpression& stored) {
  const MetricExpression& expression = stored.expression;
  HOURCELL_DCHECK(expression.inputs.size() == stored.names.size());
  std::string bytes(1, kExpressionVersion);
  bytes.push_back(expression.missing.has_value() ? 1 : 0);
  if (expression.missing.has_value()) AppendDouble(*expression.missing, &bytes);
  AppendText(expression.formula, &bytes);
  AppendVarint(expression.inputs.size(), &bytes);
  for (size_t i = 0; i < expression.inputs.size(); ++i) {
    HOURCELL_DCHECK(expression.inputs[i].filters.size() == stored.names[i].tagks.size());
    AppendInput(layout, expression.inputs[i], stored.names[i], &bytes);
  }
  AppendBigEndian(Crc32c(bytes), kChecksumBytes, &bytes);
  return bytes;
}

absl::StatusOr<StoredExpression> DecodeExpression(const Layout& layout, std::string_view bytes) {
  if (!bytes.empty() && bytes[0] > kExpressionVersion) {
    return absl::DataLossError(
        NewerFormatMessage(fmt::format("expression format {}", static_cast<int>(bytes[0])), "1"));
  }
  StoredExpression stored;
  if (bytes.size() > kChecksumBytes && bytes[0] == kExpressionVersion) {
    const std::string_view fields = bytes.substr(0, bytes.size() - kChecksumBytes);
    const bool is_whole =
        LoadBigEndian(bytes.data() + fields.size(), kChecksumBytes) == Crc32c(fields);
    if (is_whole && ExpressionReader(layout, fields.substr(1)).TakeExpression(&stored)) {
      return stored;
    }
  }
  return absl::DataLossError(fmt::format("expression: {} bytes do not decode", bytes.size()));
}

}  // namespace hourcell
