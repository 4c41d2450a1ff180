#include "engine/simulate/key_template.h"

#include <algorithm>
#include <charconv>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/salt.h"
#include "engine/regions/md5.h"
#include "engine/regions/time_distributor.h"

namespace hourcell {
namespace {

constexpr uint64_t kDayS = 86'400;
constexpr size_t kFieldsMax = 16;

// Templates that have a name of their own; {} stands for the operand.
struct Preset {
  std::string_view name;
  std::string_view before;  // the operand
  std::string_view after;
};
constexpr Preset kPresets[] = {
    {"opentsdb", "metric+hour+tags", ""},          {"salted", "salt:", "+metric+hour+tags"},
    {"hash-prefix", "hash:", "+metric+hour+tags"}, {"reversed-metric", "metric~+hour+tags", ""},
    {"tags-first", "metric+tags+hour", ""},        {"time-first", "hour+metric+tags", ""},
    {"newest-first", "metric+hour~+tags", ""},     {"partition", "modulo:", "+id"},
};

absl::Status Refuse(std::string_view text, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("layout: {}: want {}", QuoteForMessage(text), want));
}

// The template that a name stands for; the text itself if it is none.
std::string Expand(std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  for (const Preset& preset : kPresets) {
    if (text.substr(0, colon) != preset.name) continue;
    const bool wants_operand = !preset.after.empty();
    if (wants_operand != (colon < text.size())) break;
    return fmt::format("{}{}{}", preset.before, text.substr(std::min(colon + 1, text.size())),
                       preset.after);
  }
  return std::string(text);
}

void AppendReversed(std::string_view bytes, std::string* out) {
  out->append(bytes.rbegin(), bytes.rend());
}

uint32_t SecondsOf(uint64_t time_ms, uint64_t unit_s) {
  const uint64_t seconds = time_ms / 1'000;
  return static_cast<uint32_t>(seconds - seconds % unit_s);
}

}  // namespace

struct KeyTemplate::FieldName {
  std::string_view name;
  FieldKind kind;
  uint64_t max;  // of the operand, from 1; 0 = there is none
};

const KeyTemplate::FieldName KeyTemplate::kFieldNames[] = {
    {"metric", FieldKind::kMetric, 0},
    {"metric~", FieldKind::kMetricReversed, 0},
    {"tags", FieldKind::kTags, 0},
    {"hour", FieldKind::kHour, 0},
    {"hour~", FieldKind::kHourReversed, 0},
    {"day", FieldKind::kDay, 0},
    {"ms", FieldKind::kMs, 0},
    {"ms~", FieldKind::kMsReversed, 0},
    {"id", FieldKind::kId, 0},
    {"salt", FieldKind::kSalt, 65'536},
    {"hash", FieldKind::kHash, 16},
    {"hex", FieldKind::kHex, 32},
    {"modulo", FieldKind::kModulo, 65'536},
};

absl::StatusOr<KeyTemplate> KeyTemplate::Parse(std::string_view text) {
  KeyTemplate parsed;
  parsed.text_ = Expand(text);
  std::string_view rest = parsed.text_;
  while (true) {
    const size_t end = std::min(rest.find('+'), rest.size());
    HOURCELL_RETURN_IF_ERROR(parsed.AddField(rest.substr(0, end)));
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (parsed.fields_.size() > kFieldsMax) {
    return Refuse(text, fmt::format("at most {} fields", kFieldsMax));
  }
  return parsed;
}

absl::Status KeyTemplate::AddField(std::string_view word) {
  const size_t colon = std::min(word.find(':'), word.size());
  const std::string_view name = word.substr(0, colon);
  const std::string_view operand = word.substr(std::min(colon + 1, word.size()));
  if (name == "text" && !operand.empty()) {
    fields_.push_back({.kind = FieldKind::kText, .text = std::string(operand)});
    return absl::OkStatus();
  }
  const auto known = std::find_if(std::begin(kFieldNames), std::end(kFieldNames),
                                  [&](const FieldName& field) { return field.name == name; });
  if (known == std::end(kFieldNames)) {
    return Refuse(word,
                  "fields joined by '+', of metric, metric~, tags, hour, hour~, day, ms, ms~, id, "
                  "salt:N, hash:N, hex:N, modulo:N, text:T; or opentsdb, salted:N, hash-prefix:N, "
                  "reversed-metric, tags-first, time-first, newest-first, partition:N");
  }
  Field field{.kind = known->kind};
  if (known->max == 0 && colon < word.size()) return Refuse(word, "no operand");
  if (known->max > 0) {
    const auto [end, error] =
        std::from_chars(operand.data(), operand.data() + operand.size(), field.number);
    const bool is_number = error == std::errc() && end == operand.data() + operand.size();
    if (!is_number || field.number < 1 || field.number > known->max) {
      return Refuse(word, fmt::format("a number from 1 to {} behind the colon", known->max));
    }
  }
  if (field.kind == FieldKind::kSalt) {
    salt_layout_.salt_width = field.number <= 256 ? 1 : 2;
    salt_layout_.salt_buckets = static_cast<uint32_t>(field.number);
  }
  fields_.push_back(std::move(field));
  return absl::OkStatus();
}

void KeyTemplate::Append(const KeyParts& parts, std::string* out) const {
  for (const Field& field : fields_)
    AppendField(field, parts, out);
}

void KeyTemplate::AppendField(const Field& field, const KeyParts& parts, std::string* out) const {
  const std::string_view metric = parts.tsuid.substr(0, parts.metric_bytes);
  switch (field.kind) {
    case FieldKind::kMetric:
      out->append(metric);
      return;
    case FieldKind::kMetricReversed:
      AppendReversed(metric, out);
      return;
    case FieldKind::kTags:
      out->append(parts.tsuid.substr(parts.metric_bytes));
      return;
    case FieldKind::kHour:
      AppendBigEndian(SecondsOf(parts.time_ms, kRowSpanS), 4, out);
      return;
    case FieldKind::kHourReversed:
      AppendBigEndian(UINT32_MAX - SecondsOf(parts.time_ms, kRowSpanS), 4, out);
      return;
    case FieldKind::kDay:
      AppendBigEndian(SecondsOf(parts.time_ms, kDayS), 4, out);
      return;
    case FieldKind::kMs:
      AppendBigEndian(parts.time_ms, 8, out);
      return;
    case FieldKind::kMsReversed:
      AppendBigEndian(ReverseTime(parts.time_ms), 8, out);
      return;
    case FieldKind::kSalt:
      AppendSalt(salt_layout_, SaltBucket(salt_layout_, parts.tsuid), out);
      return;
    case FieldKind::kHash: {
      const auto digest = Md5(parts.tsuid);
      out->append(digest.begin(), digest.begin() + static_cast<std::ptrdiff_t>(field.number));
      return;
    }
    case FieldKind::kHex:
      out->append(Md5Hex(parts.tsuid), 0, field.number);
      return;
    case FieldKind::kId:
      AppendBigEndian(parts.number, 8, out);
      return;
    case FieldKind::kModulo:
      AppendBigEndian(parts.number % field.number, 8, out);
      return;
    case FieldKind::kText:
      out->append(field.text);
      return;
  }
  HOURCELL_CHECK(false);
}

uint64_t KeyTemplate::salt_buckets() const {
  for (const Field& field : fields_) {
    if (field.kind == FieldKind::kSalt) return field.number;
  }
  return 0;
}

size_t KeyTemplate::salt_bytes() const {
  return salt_layout_.salt_width;
}

bool KeyTemplate::begins_with_time() const {
  for (const Field& field : fields_) {
    if (field.kind == FieldKind::kText) continue;
    return field.kind == FieldKind::kHour || field.kind == FieldKind::kDay ||
           field.kind == FieldKind::kMs || field.kind == FieldKind::kHourReversed ||
           field.kind == FieldKind::kMsReversed;
  }
  return false;
}

uint64_t KeyTemplate::ranges_of_scan() const {
  uint64_t ranges = 1;
  for (const Field& field : fields_) {
    switch (field.kind) {
      case FieldKind::kMetric:
      case FieldKind::kMetricReversed:
        return ranges;
      case FieldKind::kSalt:
      case FieldKind::kModulo:
        ranges *= field.number;
        break;
      case FieldKind::kHash:
        ranges = field.number < 3 ? ranges << (8 * field.number) : 0;
        break;
      case FieldKind::kHex:
        ranges = field.number < 5 ? ranges << (4 * field.number) : 0;
        break;
      case FieldKind::kText:
      case FieldKind::kHour:
      case FieldKind::kHourReversed:
      case FieldKind::kDay:
        break;
      default:
        return 0;
    }
    if (ranges == 0) return 0;
  }
  return 0;
}

}  // namespace hourcell
