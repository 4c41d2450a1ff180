#include "server/config/setting_table.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config/ignored_settings.h"
#include "tests/support/source_dir.h"
#include "tests/support/status_matchers.h"

namespace hourcell::setting_table_test {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// The row of a setting in docs/settings.md.
std::string PageRowOf(const Setting& setting) {
  const std::string value =
      setting.default_value.empty() ? "" : fmt::format("`{}`", DefaultText(setting));
  const std::string_view unit = SettingUnitName(setting.unit);
  return fmt::format("| `{}` | {} | {} | {} |", setting.key, value, unit, setting.help);
}

TEST(SettingTableTest, HasDefaultsOfTheirTypesAndHelp) {
  for (const Setting& setting : SettingTable()) {
    SCOPED_TRACE(std::string(setting.key));
    EXPECT_OK(setting.Check(setting.default_value));
    EXPECT_FALSE(setting.help.empty());
    EXPECT_EQ(setting.help.find('\n'), std::string_view::npos);
  }
}

// The help of a number names its unit first, or is about a number of something.
TEST(SettingTableTest, EveryNumberHasTheUnitOfItsHelp) {
  using Unit = Setting::Unit;
  for (const Setting& setting : SettingTable()) {
    SCOPED_TRACE(std::string(setting.key));
    if (setting.type != Setting::Type::kInteger) {
      EXPECT_EQ(setting.unit, Unit::kNone);
      continue;
    }
    std::string_view help = setting.help;
    if (help.starts_with("maximum ")) help.remove_prefix(std::string_view("maximum ").size());
    const Unit unit = help.starts_with("seconds")        ? Unit::kSeconds
                      : help.starts_with("milliseconds") ? Unit::kMilliseconds
                      : help.starts_with("bytes")        ? Unit::kBytes
                                                         : Unit::kCount;
    EXPECT_EQ(SettingUnitName(setting.unit), SettingUnitName(unit));
  }
}

TEST(SettingTableTest, EveryDefaultTextMeansTheDefault) {
  for (const Setting& setting : SettingTable()) {
    if (setting.type != Setting::Type::kInteger) continue;
    EXPECT_EQ(setting.NumberOf(DefaultText(setting)), setting.NumberOf(setting.default_value))
        << setting.key;
  }
  EXPECT_EQ(DefaultText(*FindSetting("tsd.storage.sync_interval")), "1s");
  EXPECT_EQ(DefaultText(*FindSetting("tsd.storage.journal.age")), "3h");
  EXPECT_EQ(DefaultText(*FindSetting("tsd.storage.journal.segment")), "64MiB");
  EXPECT_EQ(DefaultText(*FindSetting("tsd.network.port")), "4242");
}

TEST(SettingTableTest, EveryKeyMeansOneThing) {
  std::set<std::string_view> keys;
  for (const Setting& setting : SettingTable()) {
    SCOPED_TRACE(std::string(setting.key));
    EXPECT_TRUE(keys.insert(setting.key).second);
    EXPECT_EQ(FindSetting(setting.key), &setting);
    EXPECT_FALSE(IsIgnoredSetting(setting.key));
    EXPECT_FALSE(IsRegionSetting(setting.key));
  }
  for (const std::string_view key : IgnoredSettingKeys())
    EXPECT_FALSE(IsRegionSetting(key)) << key;
}

// HOURCELL_GOLDEN=1 writes the rows again. A new setting first needs a row with its key.
TEST(SettingTableTest, TheDocumentHasEachSettingAsHelpPrintsIt) {
  const std::string page_file = SourcePath("docs/settings.md");
  std::vector<std::string> rows;
  std::string rewritten;
  std::ifstream page(page_file);
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) {
      rows.push_back(line);
      const Setting* setting = FindSetting(line.substr(3, line.find('`', 3) - 3));
      if (setting != nullptr) line = PageRowOf(*setting);
    }
    rewritten += line;
    rewritten += '\n';
  }
  if (std::getenv("HOURCELL_GOLDEN") != nullptr) std::ofstream(page_file) << rewritten;

  std::vector<std::string> expected;
  for (const Setting& setting : SettingTable())
    expected.push_back(PageRowOf(setting));
  EXPECT_THAT(rows, ElementsAreArray(expected));
}

TEST(SettingTableTest, FindsNothingElse) {
  EXPECT_EQ(FindSetting(""), nullptr);
  EXPECT_EQ(FindSetting("tsd.network.por"), nullptr);
  EXPECT_EQ(FindSetting("TSD.NETWORK.PORT"), nullptr);
  EXPECT_EQ(FindSetting("tsd.http.staticroot"), nullptr);
}

TEST(SettingTableTest, SettingsOfRegionsAreOursAndThoseOfAnHBaseSite) {
  EXPECT_TRUE(IsRegionSetting("tsd.region.split.policy"));
  EXPECT_TRUE(IsRegionSetting("hbase.hregion.max.filesize"));
  EXPECT_FALSE(IsRegionSetting("MAX_FILESIZE"));  // of a table
  EXPECT_FALSE(IsRegionSetting("tsd.region.presplit"));
  EXPECT_FALSE(IsRegionSetting("tsd.region.split.nonsense"));
}

TEST(SettingTableTest, TheNearestIsOneOfAllThatAreAccepted) {
  EXPECT_EQ(NearestSetting("tsd.network.prot"), "tsd.network.port");
  EXPECT_EQ(NearestSetting("tsd.http.staticrot"), "tsd.http.staticroot");
  EXPECT_EQ(NearestSetting("tsd.region.split.polcy"), "tsd.region.split.policy");
  EXPECT_EQ(NearestSetting("hbase.hregion.max.filesiz"), "hbase.hregion.max.filesize");
  EXPECT_EQ(NearestSetting("the weather of tomorrow"), "");
}

TEST(SettingTableTest, RefusesBudgetsThatAreTooSmall) {
  const auto check = [](std::string_view key, std::string_view value) {
    return FindSetting(key)->Check(value);
  };

  EXPECT_THAT(check("tsd.storage.open_hours", "65535"),
              StatusIs(kInvalid, HasSubstr("an integer from 65536 ")));
  EXPECT_THAT(check("tsd.storage.journal.segment", "4095"),
              StatusIs(kInvalid, HasSubstr("an integer from 4096 ")));
  EXPECT_THAT(check("tsd.storage.journal", "16383"),
              StatusIs(kInvalid, HasSubstr("an integer from 16384 ")));
  EXPECT_THAT(check("tsd.storage.write_buffer", "65535"),
              StatusIs(kInvalid, HasSubstr("an integer from 65536 ")));
  EXPECT_THAT(check("tsd.storage.open_files", "19"),
              StatusIs(kInvalid, HasSubstr("an integer from 20 ")));
  EXPECT_THAT(check("tsd.storage.background_jobs", "0"), StatusIs(kInvalid));
  EXPECT_THAT(check("tsd.storage.seal_grace", "-1"), StatusIs(kInvalid));
  EXPECT_THAT(check("tsd.storage.journal.age", "0"), StatusIs(kInvalid));
  EXPECT_THAT(check("tsd.storage.ttl", "-1"), StatusIs(kInvalid));
  EXPECT_THAT(check("tsd.storage.cell", "gorilla"),
              StatusIs(kInvalid, HasSubstr("packed|opentsdb")));
}

}  // namespace
}  // namespace hourcell::setting_table_test
