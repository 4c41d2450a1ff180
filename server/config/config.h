// Config: OpenTSDB's tsd.* settings, from a Java properties file and from flags, with defaults.
//
// Known settings are a table (setting_table.h): key, type, default, one line of help. OpenTSDB's
// keys without effect here (ignored_settings.h) are accepted and named in a warning; any other key
// is refused with the nearest known one. engine_options.h makes the engine's Options from a Config.
// Thread-compatible; immutable once the server runs.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "engine/options.h"

namespace hourcell {

class Config {
 public:
  // Reads a properties file: key=value, key: value or key value; # and ! comments; \ continues a
  // line. kNotFound, kInvalidArgument "FILE:LINE: ...".
  absl::Status LoadFile(const std::string& path);
  absl::Status LoadText(std::string_view text, std::string_view source_name);

  // Sets one; a number may have a suffix (setting.h). kInvalidArgument: unknown key, or a value of
  // the wrong type. EngineOptionsOf checks the values of the settings of regions (docs/regions.md).
  absl::Status Set(std::string_view key, std::string_view value);

  // REQUIRES: a known key of that type. true = 1, true, yes in any case, as in OpenTSDB.
  std::string text(std::string_view key) const;
  bool boolean(std::string_view key) const;
  int64_t integer(std::string_view key) const;

  // Whether the key was set, even to its default. Not for keys of region_values().
  bool is_set(std::string_view key) const { return values_.contains(key); }

  // All settings with their values, sorted by key; keys with PASS are masked. For /api/config.
  std::map<std::string, std::string> Describe() const;

  // Accepted keys without effect, in the order they were set.
  const std::vector<std::string>& ignored() const { return ignored_; }

  // The settings of regions that were set, unchecked.
  const SettingMap& region_values() const { return region_values_; }

 private:
  SettingMap values_;
  SettingMap region_values_;
  std::vector<std::string> ignored_;
};

}  // namespace hourcell
