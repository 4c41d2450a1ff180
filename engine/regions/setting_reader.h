// SettingReader: typed values out of texts by name, for settings that have HBase's names and ours.
// Thread-compatible. Borrows the map for its life.
//
//   SettingReader reader(settings);
//   reader.ReadBytes({"MAX_FILESIZE", "tsd.region.split.max_bytes"}, {.min = 1}, &max_bytes);
//   HOURCELL_RETURN_IF_ERROR(reader.status());
//
// Each Read looks the names up in their order and uses the first one that is set. If none is set,
// it leaves `*out` as it is. An invalid text makes status() kInvalidArgument with the name, the
// text and the expected form; the first such error stays.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>

namespace hourcell {

using SettingMap = std::map<std::string, std::string, std::less<>>;

class SettingReader {
 public:
  using Names = std::initializer_list<std::string_view>;
  struct Bounds {
    uint64_t min = 0;
    uint64_t max = INT64_MAX;
  };
  template <typename T>
  using Choices = std::initializer_list<std::pair<std::string_view, T>>;

  explicit SettingReader(const SettingMap& settings) : settings_(settings) {}

  // Digits, or digits and KiB, MiB, GiB or TiB after them.
  void ReadBytes(Names names, Bounds bounds, uint64_t* out);
  // The same in units of `unit`, where HBase has whole megabytes or days.
  void ReadUnits(Names names, uint64_t unit, Bounds bounds, uint64_t* out);
  // Digits, also for milliseconds.
  void ReadCount(Names names, Bounds bounds, uint64_t* out) { ReadUnits(names, 1, bounds, out); }
  // A decimal fraction in [min, max].
  void ReadFraction(Names names, double min, double max, double* out);
  // true or false.
  void ReadBool(Names names, bool* out);
  void ReadText(Names names, std::string* out);
  // One of the texts; Java class names are taken with their package or without.
  template <typename T>
  void ReadChoice(Names names, Choices<T> choices, T* out);

  // Makes status() an error if a setting whose name begins with `prefix` was never looked up.
  void RefuseUnknown(std::string_view prefix);

  const absl::Status& status() const { return status_; }

  // All names that were looked up.
  const std::set<std::string, std::less<>>& asked() const { return asked_; }

 private:
  struct Setting {
    std::string_view name;
    std::string_view text;
  };
  std::optional<Setting> Find(Names names);
  void Refuse(const Setting& setting, std::string_view want);

  const SettingMap& settings_;
  std::set<std::string, std::less<>> asked_;
  absl::Status status_;
};

template <typename T>
void SettingReader::ReadChoice(Names names, Choices<T> choices, T* out) {
  const auto setting = Find(names);
  if (!setting.has_value()) return;
  constexpr std::string_view kPackage = "org.apache.hadoop.hbase.regionserver.";
  std::string_view text = setting->text;
  if (text.starts_with(kPackage)) text.remove_prefix(kPackage.size());
  std::string want;
  for (const auto& [name, value] : choices) {
    if (text == name) {
      *out = value;
      return;
    }
    want.append(want.empty() ? "one of " : ", ").append(name);
  }
  Refuse(*setting, want);
}

}  // namespace hourcell
