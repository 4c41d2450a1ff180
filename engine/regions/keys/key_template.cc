#include "engine/regions/keys/key_template.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/row_span.h"
#include "codec/rows/salt.h"
#include "engine/regions/keys/time_distributor.h"
#include "engine/regions/md5.h"

// Why row keys by template: the simulator and the layout benchmark must speak of the same keys,
// and both had code for each order of fields once. A template is parsed once, and a key then
// costs its fields.

namespace hourcell {
namespace {

constexpr uint64_t kDayS = 86'400;
constexpr size_t kFieldsMax = 16;

// Named templates; the operand goes between `before` and `after`.
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

absl::Status RefuseTemplate(std::string_view text, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("layout: {}: expected {}", QuoteForMessage(text), want));
}

// The template with this name; the text itself if it is not a name.
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

uint32_t SecondsOf(uint64_t time_ms, uint64_t unit_s) {
  const uint64_t seconds = time_ms / 1'000;
  return static_cast<uint32_t>(seconds - seconds % unit_s);
}

struct FieldName {
  std::string_view name;
  KeyFieldKind kind;
  uint64_t max = 0;  // of the operand, from 1; 0 = without an operand
};
constexpr FieldName kFieldNames[] = {
    {"metric", KeyFieldKind::kMetric},
    {"metric~", KeyFieldKind::kMetricReversed},
    {"reversed-metric", KeyFieldKind::kMetricReversed},
    {"tags", KeyFieldKind::kTags},
    {"hour", KeyFieldKind::kHour},
    {"time", KeyFieldKind::kHour},
    {"hour~", KeyFieldKind::kHourReversed},
    {"reversed-time", KeyFieldKind::kHourReversed},
    {"day", KeyFieldKind::kDay},
    {"ms", KeyFieldKind::kMs},
    {"ms~", KeyFieldKind::kMsReversed},
    {"id", KeyFieldKind::kId},
    {"salt", KeyFieldKind::kSalt, 65'536},
    {"hash", KeyFieldKind::kHash, 16},
    {"hex", KeyFieldKind::kHex, 32},
    {"modulo", KeyFieldKind::kModulo, 65'536},
};
constexpr std::string_view kTextField = "text";
constexpr std::string_view kSeparators = "+,";

const FieldName* FindField(std::string_view name) {
  const auto known = std::find_if(std::begin(kFieldNames), std::end(kFieldNames),
                                  [&](const FieldName& field) { return field.name == name; });
  return known == std::end(kFieldNames) ? nullptr : known;
}

// Whether the field is the time alone.
bool IsTime(KeyFieldKind kind) {
  switch (kind) {
    case KeyFieldKind::kHour:
    case KeyFieldKind::kHourReversed:
    case KeyFieldKind::kDay:
    case KeyFieldKind::kMs:
    case KeyFieldKind::kMsReversed:
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::StatusOr<KeyTemplate> KeyTemplate::Parse(std::string_view text) {
  KeyTemplate parsed;
  parsed.text_ = Expand(text);
  std::string_view rest = parsed.text_;
  while (true) {
    const size_t end = std::min(rest.find_first_of(kSeparators), rest.size());
    HOURCELL_RETURN_IF_ERROR(parsed.AddField(rest.substr(0, end)));
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (parsed.fields_.size() > kFieldsMax) {
    return RefuseTemplate(text, fmt::format("at most {} fields", kFieldsMax));
  }
  return parsed;
}

absl::Status KeyTemplate::AddField(std::string_view word) {
  const size_t colon = std::min(word.find(':'), word.size());
  const std::string_view name = word.substr(0, colon);
  const std::string_view operand = word.substr(std::min(colon + 1, word.size()));
  if (name == kTextField && !operand.empty()) {
    fields_.push_back({.kind = KeyFieldKind::kText, .text = std::string(operand)});
    return absl::OkStatus();
  }
  const FieldName* const known = FindField(name);
  if (known == nullptr) {
    return RefuseTemplate(
        word,
        "fields joined by '+' or ',', of metric, metric~, tags, hour, hour~, day, ms, ms~, id, "
        "salt:N, hash:N, hex:N, modulo:N, text:T; or opentsdb, salted:N, hash-prefix:N, "
        "reversed-metric, tags-first, time-first, newest-first, partition:N");
  }
  KeyField field{.kind = known->kind};
  if (known->max == 0 && colon < word.size()) return RefuseTemplate(word, "no operand");
  if (known->max > 0) {
    const auto [end, error] =
        std::from_chars(operand.data(), operand.data() + operand.size(), field.number);
    const bool is_number = error == std::errc() && end == operand.data() + operand.size();
    if (!is_number || field.number < 1 || field.number > known->max) {
      return RefuseTemplate(word, fmt::format("a number from 1 to {} after the colon", known->max));
    }
  }
  if (field.kind == KeyFieldKind::kSalt) {
    salt_layout_.salt_width = field.number <= 256 ? 1 : 2;
    salt_layout_.salt_buckets = static_cast<uint32_t>(field.number);
  }
  fields_.push_back(std::move(field));
  return absl::OkStatus();
}

bool KeyTemplate::IsField(std::string_view word) {
  const std::string_view name = word.substr(0, word.find(':'));
  return name == kTextField || FindField(name) != nullptr;
}

bool KeyTemplate::has_md5() const {
  return std::any_of(fields_.begin(), fields_.end(), [](const KeyField& field) {
    return field.kind == KeyFieldKind::kHash || field.kind == KeyFieldKind::kHex;
  });
}

void AppendHexDigits(const std::array<uint8_t, 16>& digest, size_t digits, std::string* out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (size_t i = 0; i < digits; ++i) {
    const uint8_t byte = digest[i / 2];
    *out += kDigits[i % 2 == 0 ? byte >> 4 : byte & 0xF];
  }
}

void AppendRowField(KeyFieldKind kind,
                    std::string_view metric,
                    std::string_view tags,
                    uint64_t time_ms,
                    std::string* out) {
  switch (kind) {
    case KeyFieldKind::kMetric:
      out->append(metric);
      return;
    case KeyFieldKind::kMetricReversed:
      out->append(metric.rbegin(), metric.rend());
      return;
    case KeyFieldKind::kTags:
      out->append(tags);
      return;
    case KeyFieldKind::kHour:
      AppendBigEndian(SecondsOf(time_ms, kHourSpan.seconds), 4, out);
      return;
    case KeyFieldKind::kHourReversed:
      AppendBigEndian(UINT32_MAX - SecondsOf(time_ms, kHourSpan.seconds), 4, out);
      return;
    case KeyFieldKind::kDay:
      AppendBigEndian(SecondsOf(time_ms, kDayS), 4, out);
      return;
    case KeyFieldKind::kMs:
      AppendBigEndian(time_ms, 8, out);
      return;
    case KeyFieldKind::kMsReversed:
      AppendBigEndian(ReverseTime(time_ms), 8, out);
      return;
    default:
      HOURCELL_CHECK(false);
  }
}

void KeyTemplate::Append(const KeyParts& parts, std::string* out) const {
  for (const KeyField& field : fields_)
    AppendField(field, parts, out);
}

void KeyTemplate::AppendField(const KeyField& field,
                              const KeyParts& parts,
                              std::string* out) const {
  switch (field.kind) {
    case KeyFieldKind::kSalt:
      AppendSalt(salt_layout_, SaltBucket(salt_layout_, parts.tsuid), out);
      return;
    case KeyFieldKind::kHash:
    case KeyFieldKind::kHex: {
      const std::array<uint8_t, 16> digest = parts.md5 != nullptr ? *parts.md5 : Md5(parts.tsuid);
      if (field.kind == KeyFieldKind::kHash) {
        out->append(digest.begin(), digest.begin() + static_cast<std::ptrdiff_t>(field.number));
      } else {
        AppendHexDigits(digest, field.number, out);
      }
      return;
    }
    case KeyFieldKind::kId:
      AppendBigEndian(parts.number, 8, out);
      return;
    case KeyFieldKind::kModulo:
      AppendBigEndian(parts.number % field.number, 8, out);
      return;
    case KeyFieldKind::kText:
      out->append(field.text);
      return;
    default:
      AppendRowField(field.kind, parts.tsuid.substr(0, parts.metric_bytes),
                     parts.tsuid.substr(parts.metric_bytes), parts.time_ms, out);
  }
}

uint64_t KeyTemplate::salt_buckets() const {
  for (const KeyField& field : fields_) {
    if (field.kind == KeyFieldKind::kSalt) return field.number;
  }
  return 0;
}

size_t KeyTemplate::salt_bytes() const {
  return salt_layout_.salt_width;
}

bool KeyTemplate::begins_with_time() const {
  for (const KeyField& field : fields_) {
    if (field.kind != KeyFieldKind::kText) return IsTime(field.kind);
  }
  return false;
}

uint64_t KeyTemplate::ranges_of_scan() const {
  uint64_t ranges = 1;
  for (const KeyField& field : fields_) {
    switch (field.kind) {
      case KeyFieldKind::kMetric:
      case KeyFieldKind::kMetricReversed:
        return ranges;
      case KeyFieldKind::kSalt:
      case KeyFieldKind::kModulo:
        ranges *= field.number;
        break;
      case KeyFieldKind::kHash:
        ranges = field.number < 3 ? ranges << (8 * field.number) : 0;
        break;
      case KeyFieldKind::kHex:
        ranges = field.number < 5 ? ranges << (4 * field.number) : 0;
        break;
      case KeyFieldKind::kText:
      case KeyFieldKind::kHour:
      case KeyFieldKind::kHourReversed:
      case KeyFieldKind::kDay:
        break;
      default:
        return 0;
    }
    if (ranges == 0) return 0;
  }
  return 0;
}

}  // namespace hourcell
