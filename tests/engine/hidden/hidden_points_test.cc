#include "engine/hidden/hidden_points.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/limits.h"
#include "codec/rows/row_key.h"

namespace hourcell::hidden_points_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kHour = 1'356'998'400;
constexpr int64_t kHourMs = int64_t{kHour} * 1000;

std::string TagsOf(uint64_t series) {
  std::string tags;
  AppendBigEndian(1, 3, &tags);
  AppendBigEndian(series, 3, &tags);
  return tags;
}

std::string KeyOf(const RowKeyCodec& row_keys, Uid metric, uint64_t series, uint32_t base_time_s) {
  std::string tsuid;
  AppendBigEndian(metric, 3, &tsuid);
  std::string key;
  row_keys.Append(tsuid + TagsOf(series), base_time_s, &key);
  return key;
}

std::shared_ptr<const HiddenSeries> Hidden(uint64_t id, Uid metric, int64_t start, int64_t end) {
  return std::make_shared<const HiddenSeries>(
      HiddenSeries{.id = id,
                   .metric = metric,
                   .start_ms = start,
                   .end_ms = end,
                   .tags = TagsSet({TagsOf(1), TagsOf(2)})});
}

std::vector<HiddenPart> PartsOf(const HiddenPoints& hidden, const std::string& key) {
  std::vector<HiddenPart> parts = {{.id = 99}};
  hidden.FindParts(key, &parts);
  return parts;
}

TEST(HiddenPointsTest, PartsAreThoseOfTheSeriesAndTheRange) {
  const RowKeyCodec row_keys{Layout()};
  const HiddenPoints hidden(&row_keys, {Hidden(7, 5, kHourMs + 1000, kHourMs + 3'600'000)});

  EXPECT_THAT(PartsOf(hidden, KeyOf(row_keys, 5, 1, kHour)),
              ElementsAre(HiddenPart{.id = 7, .begin_ms = 1000, .end_ms = 3'600'000}));
  EXPECT_THAT(PartsOf(hidden, KeyOf(row_keys, 5, 2, kHour + 3600)),
              ElementsAre(HiddenPart{.id = 7, .begin_ms = 0, .end_ms = 1}));
  EXPECT_THAT(PartsOf(hidden, KeyOf(row_keys, 5, 1, kHour - 3600)), IsEmpty());
  EXPECT_THAT(PartsOf(hidden, KeyOf(row_keys, 5, 1, kHour + 7200)), IsEmpty());
  EXPECT_THAT(PartsOf(hidden, KeyOf(row_keys, 5, 3, kHour)), IsEmpty());
  EXPECT_THAT(PartsOf(hidden, KeyOf(row_keys, 6, 1, kHour)), IsEmpty());
  EXPECT_THAT(PartsOf(hidden, "no key"), IsEmpty());
}

TEST(HiddenPointsTest, ARowOfADayHasThePartOfItsDay) {
  const RowKeyCodec row_keys{Layout()};
  const HiddenPoints hidden(&row_keys, {Hidden(7, 5, kHourMs + 7'200'000, kTimestampMsMax)});
  std::string tsuid;
  AppendBigEndian(5, 3, &tsuid);
  tsuid += TagsOf(1);
  const auto parts_of_day = [&](uint32_t day_s) {
    std::string key;
    row_keys.AppendDay(tsuid, day_s, &key);
    return PartsOf(hidden, key);
  };

  EXPECT_THAT(parts_of_day(kHour),
              ElementsAre(HiddenPart{.id = 7, .begin_ms = 7'200'000, .end_ms = 86'400'000}));
  EXPECT_THAT(
      parts_of_day(kHour + 86'400),
      ElementsAre(HiddenPart{.id = 7, .begin_ms = 0, .end_ms = 86'400'000, .is_whole = true}));
  EXPECT_THAT(parts_of_day(kHour - 86'400), IsEmpty());
}

TEST(HiddenPointsTest, PartsAscendById) {
  const RowKeyCodec row_keys{Layout()};
  const HiddenPoints hidden(&row_keys,
                            {Hidden(9, 5, kHourMs, kHourMs), Hidden(7, 5, kHourMs, kHourMs + 1),
                             Hidden(8, 5, kHourMs, kHourMs + 3'599'999)});
  EXPECT_THAT(PartsOf(hidden, KeyOf(row_keys, 5, 1, kHour)),
              ElementsAre(HiddenPart{.id = 7, .begin_ms = 0, .end_ms = 2},
                          HiddenPart{.id = 8, .begin_ms = 0, .end_ms = 3'600'000, .is_whole = true},
                          HiddenPart{.id = 9, .begin_ms = 0, .end_ms = 1}));
}

}  // namespace
}  // namespace hourcell::hidden_points_test
