#include "bench/lab/simulate/input/key_words.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <absl/status/statusor.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/rows/day_field.h"
#include "codec/rows/layout.h"
#include "engine/regions/keys/distributor_spec.h"
#include "engine/regions/region_name.h"

namespace hourcell {
namespace {

constexpr uint64_t kSecondsMax = uint64_t{1} << 33;  // beyond it, not a time

std::string TimeWords(uint64_t seconds) {
  if (seconds > kSecondsMax) return fmt::format("time {}", seconds);
  return fmt::format("{:%Y-%m-%d %H:%M}Z", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

// The bytes that a distributor puts before a key; empty if it changes the key.
std::optional<size_t> PrefixBytesOf(std::string_view spec) {
  const absl::StatusOr<std::unique_ptr<KeyDistributor>> made = MakeKeyDistributor(spec, Layout());
  if (!made.ok()) return std::nullopt;
  // As long as a key of a few fields, and different from its reverse.
  const std::string key("\x00\x00\x01\x50\xE2\x27\x00\x00\x00\x02\x00\x00\x03", 13);
  std::string stored;
  if (!(*made)->Encode(key, &stored).ok() || !stored.ends_with(key)) return std::nullopt;
  return stored.size() - key.size();
}

std::string BucketWords(std::string_view bytes) {
  const bool is_text = std::ranges::all_of(bytes, [](char c) { return c > ' ' && c < 0x7F; });
  if (is_text || bytes.size() > 2) return fmt::format("prefix {}", ToStringBinary(bytes));
  return fmt::format("bucket {}", LoadBigEndian(bytes.data(), bytes.size()));
}

}  // namespace

// Reads one key, field by field.
class KeyWords::Reader {
 public:
  Reader(const KeyWords& words, std::string_view key) : words_(words), rest_(key) {}

  std::string Read() {
    if (words_.prefix_bytes_ > 0) ReadPrefix();
    for (size_t i = 0; i < words_.fields_.size() && !rest_.empty(); ++i) {
      if (!ReadField(words_.fields_[i])) break;
    }
    if (!rest_.empty()) Add(ToStringBinary(rest_));
    return text_;
  }

 private:
  void Add(std::string_view words) {
    if (!text_.empty()) text_ += ", ";
    text_ += words;
  }

  void ReadPrefix() {
    const size_t bytes = std::min(words_.prefix_bytes_, rest_.size());
    Add(BucketWords(rest_.substr(0, bytes)));
    rest_.remove_prefix(bytes);
  }

  // The next bytes; empty if fewer remain.
  std::optional<std::string> Take(size_t bytes) {
    if (rest_.size() < bytes) return std::nullopt;
    std::string taken(rest_.substr(0, bytes));
    rest_.remove_prefix(bytes);
    return taken;
  }
  std::optional<uint64_t> TakeNumber(size_t bytes, bool is_reversed = false) {
    std::optional<std::string> taken = Take(bytes);
    if (!taken.has_value()) return std::nullopt;
    if (is_reversed) std::ranges::reverse(*taken);
    return LoadBigEndian(taken->data(), bytes);
  }
  // A number in words; false if it is cut.
  bool AddNumber(std::string_view name, std::optional<uint64_t> number) {
    if (number.has_value()) Add(fmt::format("{} {}", name, *number));
    return number.has_value();
  }
  bool AddTime(std::optional<uint64_t> seconds) {
    if (seconds.has_value()) Add(TimeWords(*seconds));
    return seconds.has_value();
  }
  // The base time of an hour, or the field of a day in its place.
  bool AddHour(std::optional<uint64_t> field) {
    if (!field.has_value() || !IsDayField(static_cast<uint32_t>(*field))) return AddTime(field);
    Add("day of " + TimeWords(DayOfField(static_cast<uint32_t>(*field))));
    return true;
  }
  bool AddMs(std::optional<uint64_t> ms) {
    if (ms.has_value()) Add(TimeWords(*ms / 1'000));
    return ms.has_value();
  }

  bool ReadTags() {
    const size_t tags = words_.names_.tags.size();
    for (size_t i = 0; (tags == 0 || i < tags) && !rest_.empty(); ++i) {
      const std::optional<uint64_t> key = TakeNumber(words_.names_.uid_bytes);
      if (!key.has_value()) return false;
      std::string words =
          *key >= 1 && *key <= tags ? words_.names_.tags[*key - 1] : fmt::format("tag {}", *key);
      const std::optional<uint64_t> value = TakeNumber(words_.names_.uid_bytes);
      if (value.has_value()) words += fmt::format("={}", *value);
      Add(words);
      if (!value.has_value()) return false;
    }
    return true;
  }

  bool AddText(std::string_view name, std::optional<std::string> bytes) {
    if (bytes.has_value()) Add(fmt::format("{} {}", name, ToStringBinary(*bytes)));
    return bytes.has_value();
  }

  // False: the field is incomplete.
  bool ReadField(const KeyField& field) {
    constexpr size_t kTimeBytes = 4;
    constexpr size_t kLongBytes = 8;
    constexpr uint64_t kSaltOneByte = 256;
    const size_t uid_bytes = words_.names_.uid_bytes;
    switch (field.kind) {
      case KeyFieldKind::kMetric:
        return AddNumber("metric", TakeNumber(uid_bytes));
      case KeyFieldKind::kMetricReversed:
        return AddNumber("metric", TakeNumber(uid_bytes, /*is_reversed=*/true));
      case KeyFieldKind::kTags:
        return ReadTags();
      case KeyFieldKind::kHour:
        return AddHour(TakeNumber(kTimeBytes));
      case KeyFieldKind::kDay:
        return AddTime(TakeNumber(kTimeBytes));
      case KeyFieldKind::kHourReversed:
        return AddTime(Less(std::numeric_limits<uint32_t>::max(), TakeNumber(kTimeBytes)));
      case KeyFieldKind::kMs:
        return AddMs(TakeNumber(kLongBytes));
      case KeyFieldKind::kMsReversed:
        return AddMs(Less(std::numeric_limits<int64_t>::max(), TakeNumber(kLongBytes)));
      case KeyFieldKind::kSalt:
        return AddNumber("bucket", TakeNumber(field.number <= kSaltOneByte ? 1 : 2));
      case KeyFieldKind::kHash:
      case KeyFieldKind::kHex:
        return AddText("hash", Take(field.number));
      case KeyFieldKind::kId:
        return AddNumber("id", TakeNumber(kLongBytes));
      case KeyFieldKind::kModulo:
        return AddNumber("partition", TakeNumber(kLongBytes));
      case KeyFieldKind::kText:
        break;
    }
    return Take(field.text.size()).has_value();
  }

  // `from` minus the stored number.
  static std::optional<uint64_t> Less(uint64_t from, std::optional<uint64_t> number) {
    if (!number.has_value() || *number > from) return std::nullopt;
    return from - *number;
  }

  const KeyWords& words_;
  std::string_view rest_;
  std::string text_;
};

KeyWords KeyWords::Make(std::string_view layout, std::string_view distributor, KeyNames names) {
  KeyWords words;
  const absl::StatusOr<KeyTemplate> parsed = KeyTemplate::Parse(layout);
  const std::optional<size_t> prefix = PrefixBytesOf(distributor);
  if (!parsed.ok() || !prefix.has_value()) return words;
  words.knows_ = true;
  words.prefix_bytes_ = *prefix;
  words.names_ = std::move(names);
  words.fields_.assign(parsed->fields().begin(), parsed->fields().end());
  return words;
}

std::string KeyWords::Of(std::string_view key) const {
  return knows_ && !key.empty() ? Reader(*this, key).Read() : std::string();
}

}  // namespace hourcell
