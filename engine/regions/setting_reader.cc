#include "engine/regions/setting_reader.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "codec/base/strings.h"

// Why several names for one setting, and the first error kept: settings come from HBase's files
// and from ours, and an operator who moves a table should not have to translate them. The first
// error is the one to repair; the later ones may follow from it.

namespace hourcell {
namespace {

constexpr auto kUnits = std::to_array<std::pair<std::string_view, uint64_t>>(
    {{"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}, {"TiB", 1ULL << 40}});

std::optional<uint64_t> ParseDigits(std::string_view text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// `count` times `unit` if the product is in the bounds.
std::optional<uint64_t> ScaleWithin(std::optional<uint64_t> count,
                                    uint64_t unit,
                                    SettingReader::Bounds bounds) {
  if (!count.has_value() || *count > bounds.max / unit) return std::nullopt;
  const uint64_t value = *count * unit;
  if (value < bounds.min) return std::nullopt;
  return value;
}

}  // namespace

std::optional<SettingReader::Setting> SettingReader::Find(Names names) {
  std::optional<Setting> found;
  for (const std::string_view name : names) {
    asked_.emplace(name);
    const auto it = settings_.find(name);
    if (!found.has_value() && it != settings_.end()) {
      found = Setting{.name = name, .text = it->second};
    }
  }
  return found;
}

void SettingReader::Refuse(const Setting& setting, std::string_view want) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError(
      fmt::format("{}: expected {}, got {}", setting.name, want, QuoteForMessage(setting.text)));
}

void SettingReader::ReadBytes(Names names, Bounds bounds, uint64_t* out) {
  const auto setting = Find(names);
  if (!setting.has_value()) return;
  std::string_view digits = setting->text;
  uint64_t unit = 1;
  for (const auto& [suffix, bytes] : kUnits) {
    if (!digits.ends_with(suffix)) continue;
    digits.remove_suffix(suffix.size());
    unit = bytes;
    break;
  }
  const auto value = ScaleWithin(ParseDigits(digits), unit, bounds);
  if (value.has_value()) {
    *out = *value;
  } else {
    Refuse(*setting, fmt::format("bytes from {} to {}, as digits, or with KiB, MiB, GiB or TiB",
                                 bounds.min, bounds.max));
  }
}

void SettingReader::ReadUnits(Names names, uint64_t unit, Bounds bounds, uint64_t* out) {
  const auto setting = Find(names);
  if (!setting.has_value()) return;
  const auto value = ScaleWithin(ParseDigits(setting->text), unit, bounds);
  if (value.has_value()) {
    *out = *value;
  } else {
    Refuse(*setting, fmt::format("a whole number from {} to {}", (bounds.min + unit - 1) / unit,
                                 bounds.max / unit));
  }
}

void SettingReader::ReadFraction(Names names, double min, double max, double* out) {
  const auto setting = Find(names);
  if (!setting.has_value()) return;
  double value = 0;
  const char* const end = setting->text.data() + setting->text.size();
  const auto [stop, error] = std::from_chars(setting->text.data(), end, value);
  // Written so that NaN is refused.
  if (error == std::errc() && stop == end && value >= min && value <= max) {
    *out = value;
  } else {
    Refuse(*setting, fmt::format("a number from {} to {}", min, max));
  }
}

void SettingReader::ReadBool(Names names, bool* out) {
  ReadChoice<bool>(names, {{"true", true}, {"false", false}}, out);
}

void SettingReader::ReadText(Names names, std::string* out) {
  const auto setting = Find(names);
  if (setting.has_value()) *out = setting->text;
}

void SettingReader::RefuseUnknown(std::string_view prefix) {
  for (auto it = settings_.lower_bound(prefix);
       it != settings_.end() && it->first.starts_with(prefix); ++it) {
    if (asked_.contains(it->first)) continue;
    std::string known;
    for (auto name = asked_.lower_bound(prefix); name != asked_.end() && name->starts_with(prefix);
         ++name) {
      known.append(known.empty() ? "" : ", ").append(*name);
    }
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(
          fmt::format("{}: no such setting; expected one of {}", it->first, known));
    }
    return;
  }
}

}  // namespace hourcell
