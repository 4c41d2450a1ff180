// Config: OpenTSDB's tsd.* settings, from a Java properties file and from flags, with defaults.
//
// Known settings are a table (config.cc): key, type, default, one line of help. OpenTSDB's keys
// that mean nothing here (HBase, gnuplot, static files ...) are accepted and named in a warning;
// any other key is refused with the nearest known one. Thread-compatible; immutable once the server
// runs.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/options.h"

namespace hourcell {

class Config {
 public:
  struct Setting {
    std::string_view key;
    enum class Type : uint8_t { kText, kBool, kInteger } type;
    std::string_view default_value;
    std::string_view help;
  };
  // Every setting that means something, in the order of help.
  static const std::vector<Setting>& settings();

  // Reads a properties file: key=value, key: value or key value; # and ! comments; \ continues a
  // line. kNotFound, kInvalidArgument "FILE:LINE: ...".
  absl::Status LoadFile(const std::string& path);
  absl::Status LoadText(std::string_view text, std::string_view source_name);

  // Sets one. kInvalidArgument: unknown key, or a value of the wrong type (got, want). Values of
  // the settings of regions (docs/regions.md) are checked by ToOptions.
  absl::Status Set(std::string_view key, std::string_view value);

  // REQUIRES: a known key of that type. true = 1, true, yes in any case, as in OpenTSDB.
  std::string text(std::string_view key) const;
  bool boolean(std::string_view key) const;
  int64_t integer(std::string_view key) const;

  // All settings with their values, sorted by key; keys with PASS are masked. For /api/config.
  std::map<std::string, std::string> Describe() const;

  // Accepted keys that do nothing here, in the order they were set.
  const std::vector<std::string>& ignored() const { return ignored_; }

  // The engine's part. kInvalidArgument for combinations that make no sense.
  absl::StatusOr<Options> ToOptions() const;

 private:
  SettingMap values_;
  SettingMap region_values_;  // checked by ToOptions
  std::vector<std::string> ignored_;
};

}  // namespace hourcell
