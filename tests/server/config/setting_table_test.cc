#include "server/config/setting_table.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
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

struct QuotedDefault {
  std::string document;
  std::string key;
  std::string value;
};

// Defaults in the form "`tsd.key` ... VALUE by default" within a sentence or a cell of a table,
// where VALUE is a number, code in backticks, or "empty".
void FindQuotedDefaults(const std::filesystem::path& file, std::vector<QuotedDefault>* found) {
  constexpr std::string_view kKey = "`tsd.";
  constexpr std::string_view kByDefault = " by default";
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') text[i] = i > 0 && text[i - 1] == '|' ? '|' : ' ';
  for (size_t at = text.find(kKey); at != text.npos; at = text.find(kKey, at + 1)) {
    const size_t end = std::min(text.find('`', at + 1), text.size() - 1);
    std::string_view rest = std::string_view(text).substr(end + 1);
    for (const std::string_view stop : {kKey, std::string_view(". "), std::string_view("  "),
                                        std::string_view("|"), std::string_view(";")})
      rest = rest.substr(0, rest.find(stop));
    rest = rest.substr(0, std::min(rest.find(kByDefault), rest.size()));
    if (rest.data() + rest.size() == text.data() + text.size() ||
        !std::string_view(rest.data() + rest.size()).starts_with(kByDefault)) {
      continue;
    }
    std::string value(rest.substr(rest.rfind(' ') + 1));
    std::erase_if(value, [](char c) { return c == '(' || c == ','; });
    const bool is_number = value.find_first_not_of("0123456789") == value.npos;
    const bool is_code = value.size() > 2 && value.front() == '`' && value.back() == '`';
    if (is_code) value = value.substr(1, value.size() - 2);
    if (!is_number && !is_code && value != "empty") continue;
    found->push_back({.document = file.filename().string(),
                      .key = text.substr(at + 1, end - at - 1),
                      .value = value == "empty" ? "" : value});
  }
}

TEST(SettingTableTest, DocumentsQuoteDefaultsOfTheTable) {
  std::vector<QuotedDefault> found;
  for (const auto& entry : std::filesystem::directory_iterator(SourcePath("docs")))
    if (entry.path().extension() == ".md") FindQuotedDefaults(entry.path(), &found);
  for (const char* const file : {"README.md", "ARCHITECTURE.md", "server/README.md"})
    FindQuotedDefaults(SourcePath(file), &found);

  EXPECT_GE(found.size(), 4u);
  for (const auto& [document, key, value] : found) {
    SCOPED_TRACE(document + ": " + key);
    const Setting* const setting = FindSetting(key);
    ASSERT_NE(setting, nullptr);
    EXPECT_EQ(value, setting->default_value);
  }
}

TEST(SettingTableTest, HasDefaultsOfTheirTypesAndHelp) {
  for (const Setting& setting : SettingTable()) {
    SCOPED_TRACE(std::string(setting.key));
    EXPECT_OK(setting.Check(setting.default_value));
    EXPECT_FALSE(setting.help.empty());
    EXPECT_EQ(setting.help.find('\n'), std::string_view::npos);
  }
}

// True for "seconds to wait", "maximum bytes of a body" and "duration, in seconds".
bool NamesUnit(std::string_view help, std::string_view unit) {
  constexpr std::string_view kMaximum = "maximum ";
  const bool is_bound = help.starts_with(kMaximum);
  return help.substr(is_bound ? kMaximum.size() : 0).starts_with(unit) ||
         help.find(fmt::format("in {}", unit)) != std::string_view::npos;
}

TEST(SettingTableTest, EveryNumberHasTheUnitOfItsHelp) {
  using Unit = Setting::Unit;
  for (const Setting& setting : SettingTable()) {
    SCOPED_TRACE(std::string(setting.key));
    if (setting.type != Setting::Type::kInteger) {
      EXPECT_EQ(setting.unit, Unit::kNone);
      continue;
    }
    EXPECT_NE(setting.unit, Unit::kNone);
    for (const Unit unit : {Unit::kSeconds, Unit::kMilliseconds, Unit::kBytes})
      EXPECT_EQ(setting.unit == unit, NamesUnit(setting.help, SettingUnitName(unit)));
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
  EXPECT_EQ(FindSetting("tsd.http.cachedir"), nullptr);
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
  EXPECT_EQ(NearestSetting("tsd.http.cacheder"), "tsd.http.cachedir");
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
