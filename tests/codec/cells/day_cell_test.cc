#include "codec/cells/day_cell.h"

#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/packed_cell.h"
#include "codec/limits.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/values/value_kinds.h"

namespace hourcell::day_cell_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr uint32_t kHourMs = kQualifierSpanMs;
constexpr uint32_t kDayMs = kHoursADay * kHourMs;

std::string DayCellOf(const CellColumns& columns) {
  std::string cell;
  AppendDayCell(columns, &cell);
  return cell;
}

std::string DayCellOfHour(uint32_t hour, std::string_view hour_cell) {
  std::string cell;
  AppendDayCellOfHour(hour, hour_cell, &cell);
  return cell;
}

CellColumns Decoded(std::string_view cell) {
  CellColumns columns;
  EXPECT_OK(DecodeCell(cell, &columns)) << ToHex(cell);
  return columns;
}

std::vector<DayPage> PagesOf(std::string_view cell) {
  std::vector<DayPage> pages;
  EXPECT_OK(ReadDayPages(cell, &pages)) << ToHex(cell);
  return pages;
}

std::string Merged(std::string_view existing, std::span<const std::string> operands) {
  const std::vector<std::string_view> views(operands.begin(), operands.end());
  std::string merged;
  MergeCells(existing, views, &merged);
  return merged;
}

// The points of an hour of a day, with offsets from the start of the hour.
CellColumns HourOf(const CellColumns& day, uint32_t hour) {
  CellColumns points;
  for (size_t i = 0; i < day.size(); ++i) {
    if (day.offset_ms[i] / kHourMs != hour) continue;
    Qualifier qualifier = day.qualifier(i);
    qualifier.offset_ms -= hour * kHourMs;
    points.push_back(qualifier, day.value(i));
  }
  return points;
}

CellColumns InDay(const CellColumns& points, uint32_t hour) {
  CellColumns day = points;
  for (uint32_t& offset : day.offset_ms)
    offset += hour * kHourMs;
  return day;
}

// A day of points every `step_ms`, of the values that `make` gives.
template <typename Make>
CellColumns Every(uint32_t step_ms, bool is_ms, const Make& make) {
  CellColumns columns;
  for (uint32_t offset_ms = 0; offset_ms < kDayMs; offset_ms += step_ms)
    AddPoint(offset_ms, is_ms, make(columns.size()), &columns);
  return columns;
}

CellColumns WalkEvery(uint32_t step_s, bool is_decimal, uint64_t seed) {
  Random random(seed);
  const size_t count = 86'400 / step_s;
  const std::vector<Value> walk =
      is_decimal ? TwoDecimalWalk(count, &random) : IntegerWalk(count, &random);
  return Every(step_s * 1000, kSeconds, [&](size_t i) { return walk[i]; });
}

// Days of all forms: steps of 10 s to an hour, times in ms, both precisions, flags that no put
// writes, noisy floats, stale markers, gaps, few points.
std::vector<CellColumns> SampleDays() {
  std::vector<CellColumns> days;
  for (const uint32_t step_s : {10U, 60U, 100U, 300U, 3600U}) {
    days.push_back(WalkEvery(step_s, /*is_decimal=*/false, step_s));
    days.push_back(WalkEvery(step_s, /*is_decimal=*/true, step_s));
  }
  days.push_back(
      Every(61'007, kMs, [](size_t i) { return Value::Integer(static_cast<int64_t>(i * i)); }));
  days.push_back(Every(60'000, kSeconds, [](size_t i) {
    return i % 3 == 0 ? Value::Float(static_cast<double>(i) / 8)
                      : Value::Integer(static_cast<int64_t>(i));
  }));
  days.push_back(Every(300'000, kSeconds, [](size_t i) {
    return Value::Float(i % 40 == 7 ? 0.1 + 0.2 : static_cast<double>(i) / 10);
  }));
  days.push_back(Every(600'000, kSeconds, [](size_t i) {
    return i % 50 == 3 ? Value::StaleMarker() : Value::Float(std::sqrt(static_cast<double>(i)));
  }));
  days.push_back(Every(900'000, kSeconds, [](size_t) { return Value::Integer(7); }));

  CellColumns gaps;
  CellColumns both;
  CellColumns flagged;
  for (uint32_t i = 0; i < 1440; ++i) {
    const auto value = Value::Integer(i);
    if (i / 60 % 5 != 3 && i % 7 != 0) AddPoint(i * 60'000, kSeconds, value, &gaps);
    AddPoint(i * 60'000 + i % 2, i % 2 == 1, value, &both);
    if (i % 10 == 0)
      flagged.push_back({.offset_ms = i * 60'000, .is_ms = false, .flags = 7}, value);
  }
  days.insert(days.end(), {gaps, both, flagged});

  CellColumns& one = days.emplace_back();
  AddPoint(0, kSeconds, Value::Integer(42), &one);
  CellColumns& last = days.emplace_back();
  AddPoint(kDayMs - 1, kMs, Value::Float(0.5), &last);
  CellColumns& hour_23 = days.emplace_back();
  for (uint32_t i = 0; i < 60; ++i)
    AddPoint(23 * kHourMs + i * 60'000, kSeconds, Value::Integer(i), &hour_23);
  CellColumns& ends = days.emplace_back();
  AddPoint(1000, kSeconds, Value::Integer(1), &ends);
  AddPoint(kDayMs - 1000, kSeconds, Value::Integer(2), &ends);
  return days;
}

TEST(DayCellTest, DecodesToItsPoints) {
  for (const CellColumns& day : SampleDays()) {
    const std::string cell = DayCellOf(day);
    EXPECT_TRUE(IsDayCell(cell));
    EXPECT_TRUE(Decoded(cell) == day) << ToHex(cell.substr(0, 64));
  }
}

// Pages are cut by the points of hours: five hours of 100 points fit one page of at most 512.
TEST(DayCellTest, PagesTakeHoursWhileTheyHaveFewPoints) {
  CellColumns day;
  const auto add_hour = [&](uint32_t hour, uint32_t points) {
    for (uint32_t i = 0; i < points; ++i)
      AddPoint(hour * kHourMs + i * 1000, kSeconds, Value::Integer(i), &day);
  };
  for (const uint32_t hour : {2U, 3U, 4U, 6U, 7U, 8U})
    add_hour(hour, 100);
  add_hour(9, 413);
  add_hour(11, 1000);
  add_hour(12, 512);
  add_hour(23, 1);

  const std::string cell = DayCellOf(day);
  const std::vector<DayPage> pages = PagesOf(cell);

  std::vector<std::pair<uint32_t, uint32_t>> hours;
  for (const DayPage& page : pages) {
    hours.emplace_back(page.first_hour, page.hours);
    EXPECT_EQ(ReadPackedCount(page.cell), Decoded(page.cell).size());
    EXPECT_EQ(ReadCellSummary(page.cell).value(), Summarize(Decoded(page.cell)));
  }
  EXPECT_THAT(hours, ElementsAre(Pair(2, 6), Pair(8, 1), Pair(9, 1), Pair(11, 1), Pair(12, 1),
                                 Pair(23, 1)));
}

TEST(DayCellTest, HoursAreReadAlone) {
  for (const CellColumns& day : SampleDays()) {
    const std::string cell = DayCellOf(day);
    uint32_t hours = 0;
    for (uint32_t hour = 0; hour < kHoursADay; ++hour) {
      const CellColumns expected = HourOf(day, hour);
      hours |= (expected.size() > 0 ? 1U : 0U) << hour;
      CellColumns points;
      AddPoint(0, kSeconds, Value::Integer(1), &points);
      ASSERT_OK(DecodeHourOfDay(cell, hour, &points));
      ASSERT_EQ(points.size(), 1 + expected.size()) << hour;
      CellColumns appended;
      for (size_t i = 1; i < points.size(); ++i)
        appended.push_back(points.qualifier(i), points.value(i));
      EXPECT_TRUE(appended == expected) << hour;
    }
    EXPECT_EQ(HoursOfDayCell(cell).value(), hours);
  }
}

TEST(DayCellTest, ACellOfAnHourBecomesADayCellInAnyFormat) {
  for (const CellColumns& day : SampleDays()) {
    for (uint32_t hour = 0; hour < kHoursADay; ++hour) {
      const CellColumns points = HourOf(day, hour);
      if (points.size() == 0) continue;
      const std::string expected = ToHex(DayCellOf(InDay(points, hour)));
      EXPECT_EQ(ToHex(DayCellOfHour(hour, PackedCellOf(points))), expected);
      EXPECT_EQ(ToHex(DayCellOfHour(hour, OpenTsdbCellOf(points))), expected);
    }
  }
  // 42 at 0 s in format 2.
  EXPECT_EQ(ToHex(DayCellOfHour(23, Hex("0240010000540000000000"))),
            "05007704002"
            "00e54");
}

TEST(DayCellTest, APageOfAnHourHasTheBytesOfItsCell) {
  const CellColumns day = WalkEvery(5, /*is_decimal=*/true, 1);
  const std::string cell = DayCellOf(day);
  const std::vector<DayPage> pages = PagesOf(cell);
  ASSERT_EQ(pages.size(), kHoursADay);
  for (const DayPage& page : pages) {
    const std::string hour_cell = PackedCellOf(HourOf(day, page.first_hour));
    EXPECT_EQ(ToHex(page.cell.substr(2)), ToHex(hour_cell.substr(1)));
  }
}

// The points of operands, oldest first; the last of each instant wins.
using Model = std::map<uint32_t, std::pair<Qualifier, Value>>;

void AddTo(const CellColumns& points, Model* model) {
  for (size_t i = 0; i < points.size(); ++i)
    model->insert_or_assign(points.offset_ms[i], std::pair(points.qualifier(i), points.value(i)));
}

CellColumns PointsOf(const Model& model) {
  CellColumns points;
  for (const auto& [offset_ms, point] : model)
    points.push_back(point.first, point.second);
  return points;
}

// Random points of an hour of `day`, some with another value or precision.
CellColumns RandomHour(const CellColumns& day, uint32_t hour, Random* random) {
  const CellColumns all = HourOf(day, hour);
  const uint64_t one_of = 1 + random->Below(4);
  CellColumns part;
  for (size_t i = 0; i < all.size(); ++i) {
    if (random->Below(one_of) != 0) continue;
    if (random->Below(4) == 0) {
      AddPoint(all.offset_ms[i], kMs, Value::Integer(static_cast<int64_t>(random->Below(1000))),
               &part);
    } else {
      part.push_back(all.qualifier(i), all.value(i));
    }
  }
  return part;
}

// An operand as the sealer or an earlier merge writes it, and its points.
std::pair<std::string, CellColumns> RandomOperand(const CellColumns& day, Random* random) {
  for (;;) {
    if (random->Below(4) != 0) {
      const auto hour = static_cast<uint32_t>(random->Below(kHoursADay));
      const CellColumns part = RandomHour(day, hour, random);
      if (part.size() == 0) continue;
      const bool is_packed = random->Below(2) == 0;
      const std::string hour_cell = is_packed ? PackedCellOf(part) : OpenTsdbCellOf(part);
      return {DayCellOfHour(hour, hour_cell), InDay(part, hour)};
    }
    Model model;
    const auto first = static_cast<uint32_t>(random->Below(kHoursADay));
    for (uint32_t hour = first; hour < kHoursADay; ++hour)
      AddTo(InDay(RandomHour(day, hour, random), hour), &model);
    if (!model.empty()) return {DayCellOf(PointsOf(model)), PointsOf(model)};
  }
}

std::vector<CellColumns> DaysToMerge() {
  std::vector<CellColumns> days = SampleDays();
  std::erase_if(days, [](const CellColumns& day) { return day.size() > 2000; });
  return days;
}

TEST(DayCellTest, AMergeIsTheCellOfTheLastPointsHoweverItIsGrouped) {
  const std::vector<CellColumns> days = DaysToMerge();
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const CellColumns& day = days[random.Below(days.size())];
    const CellColumns& other = days[random.Below(days.size())];
    std::vector<std::string> cells;
    Model model;
    for (uint64_t i = 1 + random.Below(8); i > 0; --i) {
      const auto [cell, points] = RandomOperand(random.Below(4) == 0 ? other : day, &random);
      cells.push_back(cell);
      AddTo(points, &model);
    }
    const std::string expected = ToHex(DayCellOf(PointsOf(model)));

    EXPECT_EQ(ToHex(Merged("", cells)), expected);
    // Merges of consecutive operands until one is left.
    while (cells.size() > 1) {
      const size_t begin = random.Below(cells.size() - 1);
      const size_t count = 2 + random.Below(cells.size() - begin - 1);
      const std::span<const std::string> some = std::span(cells).subspan(begin, count);
      const bool has_existing = random.Below(2) == 0;
      cells[begin] = has_existing ? Merged(some.front(), some.subspan(1)) : Merged("", some);
      cells.erase(cells.begin() + static_cast<ptrdiff_t>(begin) + 1,
                  cells.begin() + static_cast<ptrdiff_t>(begin + count));
    }
    EXPECT_EQ(ToHex(cells[0]), expected);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(DayCellTest, SettingAnHourReplacesItsPointsOnly) {
  const std::vector<CellColumns> days = DaysToMerge();
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const auto [cell, points] = RandomOperand(days[random.Below(days.size())], &random);
    const auto hour = static_cast<uint32_t>(random.Below(kHoursADay));
    const CellColumns added = RandomHour(days[random.Below(days.size())], hour, &random);
    Model model;
    AddTo(points, &model);
    std::erase_if(model, [&](const auto& of) { return of.first / kHourMs == hour; });
    AddTo(InDay(added, hour), &model);
    const std::string hour_cell = added.size() == 0      ? ""
                                  : random.Below(2) == 0 ? PackedCellOf(added)
                                                         : OpenTsdbCellOf(added);

    std::string set = "what was there";
    ASSERT_OK(SetHourOfDay(cell, hour, hour_cell, &set));

    EXPECT_EQ(ToHex(set), model.empty() ? "" : ToHex(DayCellOf(PointsOf(model))));
  }
}

TEST(DayCellTest, SettingAnHourRefusesCellsThatDoNotDecode) {
  CellColumns day;
  AddPoint(0, kSeconds, Value::Integer(42), &day);
  const std::string cell = DayCellOf(day);
  const std::string hour_cell = PackedCellOf(day);
  const auto set = [](std::string_view of_day, std::string_view of_hour) {
    std::string out = "what was there";
    const absl::Status status = SetHourOfDay(of_day, 3, of_hour, &out);
    EXPECT_EQ(out, "");
    return status;
  };

  EXPECT_THAT(set(cell, "\x01"), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(set(cell, cell), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("of one hour")));
  EXPECT_THAT(set(hour_cell, hour_cell),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not of a day")));
  EXPECT_THAT(set(cell.substr(0, cell.size() - 1), hour_cell),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("page of hour 0")));
}

TEST(DayCellTest, AMergeKeepsWhatDoesNotDecode) {
  CellColumns points;
  AddPoint(kHourMs, kSeconds, Value::Integer(42), &points);
  const std::string cell = DayCellOf(points);
  const std::string broken = cell.substr(0, cell.size() - 1);
  const std::string page(PagesOf(cell)[0].cell);
  const std::string hour_cell = Cell("0000", "2a");
  const auto record = [&](const std::string& damaged) {
    return '\xff' + std::string(1, static_cast<char>(cell.size())) + cell +
           std::string(1, static_cast<char>(damaged.size())) + damaged;
  };
  const auto merged = [](const std::string& existing, const std::vector<std::string>& operands) {
    return ToHex(Merged(existing, operands));
  };

  EXPECT_EQ(merged(cell, {broken}), ToHex(record(broken)));
  EXPECT_EQ(merged(broken, {cell}), ToHex(record(broken)));
  EXPECT_EQ(merged(record(broken), {cell}), ToHex(record(broken)));
  EXPECT_EQ(merged(cell, {page}), ToHex(record(page)));
  EXPECT_EQ(merged(page, {}), "ff00" + fmt::format("{:02x}", page.size()) + ToHex(page));
  EXPECT_EQ(merged(cell, {hour_cell}), ToHex(record(hour_cell)));
  EXPECT_EQ(merged(hour_cell, {cell}), ToHex(record(hour_cell)));
  EXPECT_EQ(merged("", {cell}), ToHex(cell));

  CellColumns good;
  EXPECT_THAT(DecodeCell(record(broken), &good), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_TRUE(good == points);
}

TEST(DayCellTest, OpenTsdbsBytesAreThoseOfHours) {
  CellColumns points;
  AddPoint(kHourMs, kSeconds, Value::Integer(42), &points);
  const std::string cell = DayCellOf(points);

  EXPECT_THAT(ToOpenTsdb(cell).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got that of a day")));
  EXPECT_THAT(ToOpenTsdb(PagesOf(cell)[0].cell).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got a page of a day")));
  EXPECT_EQ(ReadCellSummary(cell).value(), std::nullopt);
}

// The bytes before the pages.
size_t DirectoryBytes(std::string_view cell) {
  return static_cast<size_t>(PagesOf(cell)[0].cell.data() - cell.data());
}

// A flipped bit of the directory, or of the hours of a page, gives an error.
TEST(DayCellTest, ABitFlippedInTheDirectoryIsNoticed) {
  for (const CellColumns& day : SampleDays()) {
    const std::string cell = DayCellOf(day);
    for (size_t bit = 0; bit < (DirectoryBytes(cell) + 2) * 8; ++bit) {
      std::string flipped = cell;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
      CellColumns columns;
      EXPECT_THAT(DecodeCell(flipped, &columns), StatusIs(absl::StatusCode::kDataLoss))
          << "bit " << bit << " of " << ToHex(cell.substr(0, 64));
      EXPECT_EQ(columns.size(), 0u);
    }
  }
}

// No hour reads as fewer points, also if the directory hides it.
TEST(DayCellTest, ABitFlippedInTheMaskIsNoticedByTheHour) {
  CellColumns day;
  for (const uint32_t hour : {2U, 3U, 5U})
    AddPoint(hour * kHourMs, kSeconds, Value::Integer(hour), &day);
  const std::string cell = DayCellOf(day);
  EXPECT_EQ(ToHex(cell.substr(0, 5)), "052000002c");
  std::string hidden = cell;
  hidden[4] = '\x24';
  std::string shown = cell;
  shown[4] = '\x3c';

  CellColumns points;
  EXPECT_THAT(DecodeHourOfDay(hidden, 3, &points), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(DecodeHourOfDay(shown, 4, &points), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(points.size(), 0u);
  EXPECT_OK(DecodeHourOfDay(hidden, 2, &points));
  EXPECT_OK(DecodeHourOfDay(hidden, 1, &points));
  EXPECT_EQ(points.size(), 1u);
}

TEST(DayCellTest, EveryTruncationIsRefused) {
  for (const CellColumns& day : SampleDays()) {
    const std::string cell = DayCellOf(day);
    const size_t step = 1 + cell.size() / 500;
    for (size_t size = 0; size < cell.size(); size += step) {
      CellColumns columns;
      EXPECT_THAT(DecodeCell(cell.substr(0, size), &columns),
                  StatusIs(absl::StatusCode::kDataLoss));
      EXPECT_EQ(columns.size(), 0u);
    }
  }
}

TEST(DayCellTest, DecodeNamesTheFault) {
  const auto check = [](const std::string& cell, std::string_view fault) {
    CellColumns columns;
    EXPECT_THAT(DecodeCell(Hex(cell), &columns),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(fault)))
        << cell;
    std::vector<DayPage> pages;
    EXPECT_THAT(ReadDayPages(Hex(cell), &pages),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(fault)));
    EXPECT_THAT(HoursOfDayCell(Hex(cell)).status(), StatusIs(absl::StatusCode::kDataLoss));
  };
  const std::string page = "0400200e54";
  check("05", "directory cut short");
  check("0540 20" + page, "unknown form");
  check("0518 20" + page, "more pages than hours");
  check("0500", "directory cut short");
  check("0500 20", "part that is not a page; expected 04");
  check("0500 2003200e54", "part that is not a page");
  check("0501 2009 41" + page, "page cut short");
  check("0500 1704", "part that is not a page");
  check("0500 9704 01200e54", "page after the end of the day");
  check("0500 40" + page, "first hour that does not fit its page");
  check("0501 4105 20" + page + page, "pages that overlap or do not ascend");
  check("0501 2005 20" + page + page, "pages that overlap or do not ascend");
  check("0520 000001 20" + page, "mask without a missing hour");
  check("0520 000003 20" + page, "mask that does not fit the pages");
}

// A few bytes of damage must not take much memory.
TEST(DayCellTest, APageOfHoursHasFewPoints) {
  CellColumns columns;
  const std::string page = Hex("0401 30 8f 01 54");  // every ms of two hours
  EXPECT_THAT(DecodeCell(page, &columns),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("more points than")));
  EXPECT_THAT(DecodeCell(Hex("0418 20 0e 54"), &columns),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("page of more than a day")));
  EXPECT_THAT(DecodeCell(Hex("04"), &columns), StatusIs(absl::StatusCode::kDataLoss));
}

// Later versions read these bytes.
TEST(DayCellTest, FrozenCells) {
  const auto check = [](const CellColumns& day, const std::string& hex) {
    EXPECT_EQ(ToHex(DayCellOf(day)), ToHex(Hex(hex)));
    EXPECT_TRUE(Decoded(Hex(hex)) == day);
  };
  CellColumns one;
  AddPoint(5 * kHourMs, kSeconds, Value::Integer(42), &one);
  check(one, "0500 c5 0400 20 0e 54");
  check(
      Every(3'600'000, kSeconds, [](size_t i) { return Value::Integer(static_cast<int64_t>(i)); }),
      "0500 60 0417 00 0e 00 2e 00 17 9402 00");
  CellColumns masked;
  AddPoint(2 * kHourMs, kSeconds, Value::Integer(1), &masked);
  AddPoint(3 * kHourMs + 500, kMs, Value::Float(2.5), &masked);
  AddPoint(5 * kHourMs + 1000, kSeconds, Value::Integer(3), &masked);
  check(
      masked,
      "0520 00002c c2 0403 07 ef 02 e89e9305 01 00 00 00 14 289e4af2031f1c774019 0200 9740 030200");
  CellColumns two;
  for (uint32_t i = 0; i < 720; ++i)
    AddPoint(kHourMs + i * 10'000, kSeconds, Value::Integer(i < 360 ? 7 : i), &two);
  check(two, "0501 4105 62 0400 20 04 0e 0400 00 04 d005 ce05 00 e702 ecf803 00");
}

}  // namespace
}  // namespace hourcell::day_cell_test
