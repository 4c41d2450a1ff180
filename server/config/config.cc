#include "server/config/config.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/config/ignored_settings.h"
#include "server/config/properties.h"
#include "server/config/setting.h"
#include "server/config/setting_table.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

// REQUIRES: `key` is known and of that type.
const Setting& SettingOf(std::string_view key, Setting::Type type) {
  const Setting* const setting = FindSetting(key);
  HOURCELL_CHECK(setting != nullptr);
  HOURCELL_CHECK(setting->type == type);
  return *setting;
}

}  // namespace

absl::Status Config::LoadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(
        fmt::format("{}: cannot be read: {}", path, std::generic_category().message(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return LoadText(text, path);
}

absl::Status Config::LoadText(std::string_view text, std::string_view source_name) {
  PropertiesReader reader(text);
  while (const std::optional<Property> property = reader.Next()) {
    if (const absl::Status status = Set(property->key, property->value); !status.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: {}", source_name, property->line,
                      std::string_view(status.message().data(), status.message().size())));
    }
  }
  return absl::OkStatus();
}

absl::Status Config::Set(std::string_view key, std::string_view value) {
  if (const Setting* const setting = FindSetting(key); setting != nullptr) {
    HOURCELL_RETURN_IF_ERROR(setting->Check(value));
    // A number without its suffix, so that clients of /api/config read it as OpenTSDB's.
    const bool is_number = setting->type == Setting::Type::kInteger;
    values_.insert_or_assign(std::string(key), is_number
                                                   ? fmt::format("{}", *setting->NumberOf(value))
                                                   : std::string(value));
    return absl::OkStatus();
  }
  if (IsRegionSetting(key)) {
    region_values_.insert_or_assign(std::string(key), std::string(value));
    return absl::OkStatus();
  }
  if (!IsIgnoredSetting(key)) {
    const std::string_view nearest = NearestSetting(key);
    return absl::InvalidArgumentError(fmt::format(
        "{}: no such setting; {}{}", QuoteForMessage(key),
        nearest.empty() ? "hourcell serve --help-settings lists all" : "the closest one is ",
        nearest));
  }
  if (std::ranges::find(ignored_, key) == ignored_.end()) ignored_.emplace_back(key);
  return absl::OkStatus();
}

std::string Config::text(std::string_view key) const {
  const Setting& setting = SettingOf(key, Setting::Type::kText);
  const auto it = values_.find(key);
  return it == values_.end() ? std::string(setting.default_value) : it->second;
}

bool Config::boolean(std::string_view key) const {
  const Setting& setting = SettingOf(key, Setting::Type::kBool);
  const auto it = values_.find(key);
  const std::optional<bool> value =
      ParseSettingBool(it == values_.end() ? setting.default_value : it->second);
  HOURCELL_CHECK(value.has_value());  // Set checked it
  return *value;
}

int64_t Config::integer(std::string_view key) const {
  const Setting& setting = SettingOf(key, Setting::Type::kInteger);
  const auto it = values_.find(key);
  const std::optional<int64_t> value =
      ParseSettingInteger(it == values_.end() ? setting.default_value : it->second);
  HOURCELL_CHECK(value.has_value());  // Set checked it
  return *value;
}

std::map<std::string, std::string> Config::Describe() const {
  std::map<std::string, std::string> described;
  for (const Setting& setting : SettingTable()) {
    described.emplace(setting.key, setting.default_value);
  }
  for (const SettingMap* const values : {&values_, &region_values_}) {
    for (const auto& [key, value] : *values)
      described[key] = value;
  }
  for (auto& [key, value] : described) {
    if (LowerCase(key).find("pass") != std::string::npos) value = "********";
  }
  return described;
}

}  // namespace hourcell
