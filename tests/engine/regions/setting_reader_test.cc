#include "engine/regions/setting_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::setting_reader_test {
namespace {

using testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// The value read for `text`, or the text of status().
std::string BytesRead(std::string_view text, SettingReader::Bounds bounds = {}) {
  const SettingMap settings = {{"size", std::string(text)}};
  SettingReader reader(settings);
  uint64_t value = 0;
  reader.ReadBytes({"size"}, bounds, &value);
  return reader.status().ok() ? std::to_string(value) : std::string(reader.status().message());
}

std::string FractionRead(std::string_view text) {
  const SettingMap settings = {{"share", std::string(text)}};
  SettingReader reader(settings);
  double value = 0;
  reader.ReadFraction({"share"}, 0, 1, &value);
  return reader.status().ok() ? testing::PrintToString(value)
                              : std::string(reader.status().message());
}

TEST(SettingReaderTest, LeavesWhatIsNotSet) {
  const SettingMap settings;
  SettingReader reader(settings);
  uint64_t value = 42;

  reader.ReadBytes({"a", "b"}, {}, &value);

  EXPECT_EQ(value, 42U);
  EXPECT_OK(reader.status());
}

TEST(SettingReaderTest, FirstNameWins) {
  const SettingMap settings = {{"a", "1"}, {"b", "2"}};
  SettingReader reader(settings);
  uint64_t value = 0;

  reader.ReadCount({"b", "a"}, {}, &value);

  EXPECT_EQ(value, 2U);
}

TEST(SettingReaderTest, BytesAreDigitsWithOrWithoutUnit) {
  EXPECT_EQ(BytesRead("10737418240"), "10737418240");
  EXPECT_EQ(BytesRead("10GiB"), "10737418240");
  EXPECT_EQ(BytesRead("5MiB"), "5242880");
  EXPECT_EQ(BytesRead("3KiB"), "3072");
  EXPECT_EQ(BytesRead("2TiB"), "2199023255552");
}

TEST(SettingReaderTest, RefusesOtherBytes) {
  const std::string want =
      "size: expected bytes from 0 to 9223372036854775807, as digits, or with KiB, MiB, GiB or "
      "TiB, got ";

  EXPECT_EQ(BytesRead("10 * 1024 * 1024"), want + "\"10 * 1024 * 1024\"");
  EXPECT_EQ(BytesRead(""), want + "\"\"");
  EXPECT_EQ(BytesRead("MiB"), want + "\"MiB\"");
  EXPECT_EQ(BytesRead("-1"), want + "\"-1\"");
  EXPECT_EQ(BytesRead("1.5GiB"), want + "\"1.5GiB\"");
  EXPECT_EQ(BytesRead("9223372036854775808"), want + "\"9223372036854775808\"");
  EXPECT_EQ(BytesRead("8388608TiB"), want + "\"8388608TiB\"");
  EXPECT_THAT(BytesRead("0", {.min = 1, .max = 9}), HasSubstr("expected bytes from 1 to 9"));
}

TEST(SettingReaderTest, UnitsAreWholeNumbersOfThem) {
  const SettingMap settings = {{"days", "3"}, {"mb", "x"}};
  SettingReader reader(settings);
  uint64_t value = 0;

  reader.ReadUnits({"days"}, 86'400'000, {}, &value);
  EXPECT_EQ(value, 259'200'000U);
  reader.ReadUnits({"mb"}, 1 << 20, {.min = 1}, &value);

  EXPECT_THAT(reader.status(),
              StatusIs(kInvalid, "mb: expected a whole number from 1 to 8796093022207, got \"x\""));
}

TEST(SettingReaderTest, FractionsLieInTheirBounds) {
  EXPECT_EQ(FractionRead("0.25"), "0.25");
  EXPECT_EQ(FractionRead("1"), "1");
  EXPECT_EQ(FractionRead("1.01"), "share: expected a number from 0 to 1, got \"1.01\"");
  EXPECT_EQ(FractionRead("nan"), "share: expected a number from 0 to 1, got \"nan\"");
  EXPECT_EQ(FractionRead("0.5x"), "share: expected a number from 0 to 1, got \"0.5x\"");
}

TEST(SettingReaderTest, ChoicesMayHaveTheirJavaPackage) {
  const SettingMap settings = {
      {"plain", "Busy"}, {"class", "org.apache.hadoop.hbase.regionserver.Busy"}, {"bad", "busy"}};
  SettingReader reader(settings);
  const SettingReader::Choices<int> choices = {{"None", 0}, {"Busy", 7}};
  int plain = 0;
  int with_package = 0;
  int bad = 3;

  reader.ReadChoice<int>({"plain"}, choices, &plain);
  reader.ReadChoice<int>({"class"}, choices, &with_package);
  reader.ReadChoice<int>({"bad"}, choices, &bad);

  EXPECT_EQ(plain, 7);
  EXPECT_EQ(with_package, 7);
  EXPECT_EQ(bad, 3);
  EXPECT_THAT(reader.status(), StatusIs(kInvalid, "bad: expected one of None, Busy, got \"busy\""));
}

TEST(SettingReaderTest, FirstErrorStays) {
  const SettingMap settings = {{"a", "x"}, {"b", "y"}};
  SettingReader reader(settings);
  bool value = false;

  reader.ReadBool({"b"}, &value);
  reader.ReadBool({"a"}, &value);

  EXPECT_THAT(reader.status(), StatusIs(kInvalid, "b: expected one of true, false, got \"y\""));
}

TEST(SettingReaderTest, RefusesUnknownNamesOfAPrefix) {
  const SettingMap settings = {{"other.key", "1"}, {"tsd.x.known", "1"}, {"tsd.x.unkown", "1"}};
  SettingReader reader(settings);
  uint64_t value = 0;
  reader.ReadCount({"tsd.x.known"}, {}, &value);
  reader.ReadCount({"tsd.x.unknown"}, {}, &value);

  reader.RefuseUnknown("tsd.y.");
  EXPECT_OK(reader.status());
  reader.RefuseUnknown("tsd.x.");

  EXPECT_THAT(
      reader.status(),
      StatusIs(kInvalid,
               "tsd.x.unkown: no such setting; expected one of tsd.x.known, tsd.x.unknown"));
}

}  // namespace
}  // namespace hourcell::setting_reader_test
