#include "engine/hours/lane.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "codec/rows/row_span.h"

namespace hourcell::lane_test {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr uint32_t kHour = 3600;

class LaneTest : public testing::Test {
 protected:
  uint64_t Append(SeriesNumber series, int64_t second, int64_t value, uint32_t now_s = 100) {
    PlacedPoint point{.series = series,
                      .slot = 0,
                      .time = {.ms = second * 1000, .is_ms = false},
                      .value = Value::Integer(value)};
    return lane_.Append({&point, 1}, now_s, &bytes_);
  }

  // Second -> value of all that a read of the series finds.
  std::map<int64_t, int64_t> Read(SeriesNumber series,
                                  uint64_t begin_s = 0,
                                  uint64_t end_s = 1'000'000) {
    std::map<int64_t, int64_t> points;
    const auto visit = [&](uint32_t base_time_s, const CellColumns& columns) {
      for (size_t i = 0; i < columns.size(); ++i) {
        const bool is_new =
            points.emplace(base_time_s + columns.offset_ms[i] / 1000, columns.value(i).integer())
                .second;
        EXPECT_TRUE(is_new) << "an instant twice";
      }
    };
    lane_.Read(series, begin_s, end_s, pinned_at_, visit);
    return points;
  }

  // Second and value of the last point from `from_s` to `until_s`.
  std::optional<std::pair<int64_t, int64_t>> Last(SeriesNumber series,
                                                  int64_t from_s = 0,
                                                  int64_t until_s = 1'000'000) {
    OpenPoint last;
    if (!lane_.ReadLast(series, from_s * 1000, until_s * 1000, pinned_at_, &last)) {
      return std::nullopt;
    }
    return std::pair(last.ms / 1000, last.value.integer());
  }

  std::vector<std::pair<SeriesNumber, uint32_t>> Hours() {
    std::vector<std::pair<SeriesNumber, uint32_t>> hours;
    lane_.VisitHours(0, 1'000'000, pinned_at_, [&](SeriesNumber series, uint32_t base_time_s) {
      hours.emplace_back(series, base_time_s);
    });
    return hours;
  }

  std::vector<OpenHourInfo> Open() {
    std::vector<OpenHourInfo> hours;
    lane_.VisitOpen([&](const OpenHourInfo& hour) { hours.push_back(hour); });
    return hours;
  }

  std::vector<FrozenHour> Freeze() {
    std::vector<FrozenHour> frozen;
    lane_.Freeze(Open(), &frozen);
    return frozen;
  }

  Lane lane_;
  int64_t bytes_ = 0;
  uint64_t pinned_at_ = 0;  // of the reads
};

TEST_F(LaneTest, ForgetsASeriesWithoutHoursOnly) {
  EXPECT_TRUE(lane_.Detach(7)) << "it is not there";
  lane_.Attach(7, nullptr);
  EXPECT_EQ(lane_.series(), 1u);
  EXPECT_TRUE(lane_.Detach(7));
  EXPECT_EQ(lane_.series(), 0u);
  Append(7, kHour, 1);
  EXPECT_FALSE(lane_.Detach(7));
  EXPECT_THAT(Read(7), ElementsAre(Pair(kHour, 1)));
}

TEST_F(LaneTest, ReadsWhatWasAppendedLastWriteWinning) {
  Append(1, 10, 1);
  Append(1, 5, 2);
  Append(1, 10, 3);
  Append(2, 10, 4);
  Append(1, kHour + 1, 5);

  EXPECT_THAT(Read(1), ElementsAre(Pair(5, 2), Pair(10, 3), Pair(kHour + 1, 5)));
  EXPECT_THAT(Read(2), ElementsAre(Pair(10, 4)));
  EXPECT_THAT(Read(1, kHour, 2 * kHour), ElementsAre(Pair(kHour + 1, 5)));
  EXPECT_TRUE(Read(3).empty());
  EXPECT_EQ(lane_.open_hours(), 3u);
  EXPECT_EQ(lane_.series(), 2u);
}

TEST_F(LaneTest, ASealingHourIsReadBeforeTheOneOpenedAfterIt) {
  Append(1, 10, 1);
  Append(1, 20, 2);
  const std::vector<FrozenHour> frozen = Freeze();
  ASSERT_EQ(frozen.size(), 1u);
  EXPECT_EQ(frozen[0].points->points(), 2u);
  Append(1, 10, 3);

  EXPECT_THAT(Read(1), ElementsAre(Pair(10, 3), Pair(20, 2)));
  EXPECT_EQ(frozen[0].points->points(), 2u) << "a frozen hour does not change";
}

TEST_F(LaneTest, ASealedHourStaysWhileAnOlderReadIsUnderWay) {
  Append(1, 10, 1);
  const std::vector<FrozenHour> frozen = Freeze();

  EXPECT_EQ(lane_.Sealed(frozen, /*time=*/5, /*oldest_read=*/4), 0);
  EXPECT_THAT(Read(1), ElementsAre(Pair(10, 1)));
  EXPECT_EQ(lane_.Reap(/*oldest_read=*/5), 0);
  EXPECT_EQ(lane_.Reap(/*oldest_read=*/6), bytes_);
  EXPECT_TRUE(Read(1).empty());
  EXPECT_EQ(lane_.series(), 0u);
}

TEST_F(LaneTest, AReadThatPinsAfterASealDoesNotSeeTheSealedHour) {
  Append(1, 10, 1);
  Append(1, kHour + 10, 2);
  lane_.Sealed(Freeze(), /*time=*/5, /*oldest_read=*/4);
  Append(1, 20, 3);  // opens the hour again

  EXPECT_THAT(Read(1), ElementsAre(Pair(10, 1), Pair(20, 3), Pair(kHour + 10, 2)));
  pinned_at_ = 4;
  EXPECT_THAT(Read(1), ElementsAre(Pair(10, 1), Pair(20, 3), Pair(kHour + 10, 2)));
  EXPECT_EQ(Last(1), std::pair(int64_t{kHour + 10}, int64_t{2}));
  EXPECT_THAT(Hours(), ElementsAre(Pair(1, 0), Pair(1, 0), Pair(1, kHour)));
  pinned_at_ = 6;
  EXPECT_THAT(Read(1), ElementsAre(Pair(20, 3)));
  EXPECT_EQ(Last(1), std::pair(int64_t{20}, int64_t{3}));
  EXPECT_THAT(Hours(), ElementsAre(Pair(1, 0)));
}

TEST_F(LaneTest, SealedHoursOfOneSeriesAreFreedEachWhenItsReadsAreDone) {
  Append(1, 10, 1);
  std::vector<FrozenHour> first = Freeze();
  Append(1, kHour + 10, 2);
  std::vector<FrozenHour> second = Freeze();
  EXPECT_EQ(lane_.Sealed(first, /*time=*/5, /*oldest_read=*/4), 0);
  EXPECT_EQ(lane_.Sealed(second, /*time=*/7, /*oldest_read=*/4), 0);

  const int64_t freed_first = lane_.Reap(/*oldest_read=*/6);
  EXPECT_GT(freed_first, 0);
  EXPECT_THAT(Read(1), ElementsAre(Pair(kHour + 10, 2)));
  EXPECT_EQ(lane_.Reap(/*oldest_read=*/9), bytes_ - freed_first);
  EXPECT_EQ(lane_.series(), 0u);
}

TEST_F(LaneTest, ASealThatFreesAnHourKeepsTrackOfTheOthers) {
  Append(1, 10, 1);
  EXPECT_EQ(lane_.Sealed(Freeze(), /*time=*/5, /*oldest_read=*/4), 0);
  Append(1, kHour + 10, 2);

  // A read that began at 6 is under way: the first hour goes, the second stays.
  const int64_t freed_first = lane_.Sealed(Freeze(), /*time=*/7, /*oldest_read=*/6);
  EXPECT_GT(freed_first, 0);
  EXPECT_EQ(lane_.Reap(/*oldest_read=*/8), bytes_ - freed_first);
}

// Points of one series, one an hour: the open hours of a back-fill of years.
class LongLaneTest : public LaneTest {
 protected:
  static constexpr size_t kHours = 20'000;
  static constexpr size_t kAtOnce = 1000;

  LongLaneTest() {
    for (size_t hour = 0; hour < kHours; ++hour)
      Append(1, static_cast<int64_t>(hour) * kHour, 1);
  }

  // Seals all hours some at a time, as the sealer does. Returns the memory freed.
  int64_t SealAll(uint64_t oldest_read) {
    const std::vector<OpenHourInfo> open = Open();
    int64_t freed = 0;
    for (size_t begin = 0; begin < open.size(); begin += kAtOnce) {
      std::vector<FrozenHour> frozen;
      lane_.Freeze(std::span(open).subspan(begin, kAtOnce), &frozen);
      EXPECT_EQ(frozen.size(), kAtOnce);
      freed += lane_.Sealed(frozen, /*time=*/5, oldest_read);
    }
    return freed;
  }
};

TEST_F(LongLaneTest, SealingLooksAtEachHourAFewTimes) {
  EXPECT_EQ(SealAll(/*oldest_read=*/6), bytes_);
  EXPECT_LE(lane_.hours_visited(), 4 * kHours);
  EXPECT_EQ(lane_.series(), 0u);
}

TEST_F(LongLaneTest, SealingBesideALongReadLooksAtEachHourAFewTimes) {
  EXPECT_EQ(SealAll(/*oldest_read=*/4), 0);
  const uint64_t before = lane_.hours_visited();
  constexpr uint64_t kTimes = 1000;
  for (uint64_t i = 0; i < kTimes; ++i)
    ASSERT_EQ(lane_.Reap(/*oldest_read=*/5), 0);
  EXPECT_LE(lane_.hours_visited() - before, kTimes) << "what a read needs is not searched";
  EXPECT_EQ(lane_.Reap(/*oldest_read=*/6), bytes_);
  EXPECT_LE(lane_.hours_visited(), 5 * kHours);
}

TEST_F(LongLaneTest, AnHourThatIsOpenedAgainAndAgainIsFoundAtItsEnd) {
  constexpr uint64_t kTimes = 1000;
  const uint64_t before = lane_.hours_visited();
  for (uint64_t i = 0; i < kTimes; ++i) {
    std::vector<FrozenHour> frozen;
    lane_.Freeze(std::vector<OpenHourInfo>{{.series = 1, .base_time_s = 0}}, &frozen);
    ASSERT_THAT(frozen, testing::SizeIs(1));
    EXPECT_EQ(lane_.Sealed(frozen, /*time=*/5 + i, /*oldest_read=*/4), 0);
    Append(1, 10, static_cast<int64_t>(i));
  }
  EXPECT_LE(lane_.hours_visited() - before, 4 * kTimes);
  EXPECT_EQ(Last(1, 0, kHour - 1), std::pair(int64_t{10}, int64_t{kTimes - 1}));
}

TEST_F(LaneTest, TheLastPointIsThatOfTheLatestInstantNotTheLatestWrite) {
  Append(1, 10, 1);
  Append(1, 20, 2);
  EXPECT_EQ(Last(1), std::pair(int64_t{20}, int64_t{2}));
  Append(1, 15, 3);
  EXPECT_EQ(Last(1), std::pair(int64_t{20}, int64_t{2}));
  Append(1, 20, 4);
  EXPECT_EQ(Last(1), std::pair(int64_t{20}, int64_t{4}));
  EXPECT_EQ(Last(1, 0, 19), std::pair(int64_t{15}, int64_t{3}));
  EXPECT_EQ(Last(1, 0, 9), std::nullopt);
  EXPECT_EQ(Last(1, 21), std::nullopt);
  EXPECT_EQ(Last(2), std::nullopt);

  Append(1, 2 * kHour + 5, 5);
  EXPECT_EQ(Last(1), std::pair(int64_t{2 * kHour + 5}, int64_t{5}));
  EXPECT_EQ(Last(1, 0, 2 * kHour + 4), std::pair(int64_t{20}, int64_t{4}));
}

TEST_F(LaneTest, TheLastPointOfAnHourOpenedAfterASealingOne) {
  Append(1, 30, 1);
  const std::vector<FrozenHour> frozen = Freeze();
  Append(1, 20, 2);
  EXPECT_EQ(Last(1), std::pair(int64_t{30}, int64_t{1}));
  Append(1, 30, 3);
  EXPECT_EQ(Last(1), std::pair(int64_t{30}, int64_t{3}));
}

TEST_F(LaneTest, MemoryIsGivenBackToTheByte) {
  for (int i = 0; i < 1000; ++i)
    Append(1 + static_cast<SeriesNumber>(i % 7), i * 100, i);
  EXPECT_GT(bytes_, 0);
  const std::vector<FrozenHour> frozen = Freeze();
  EXPECT_EQ(lane_.Sealed(frozen, /*time=*/1, /*oldest_read=*/2), bytes_);
  EXPECT_EQ(lane_.open_hours(), 0u);
  EXPECT_EQ(lane_.series(), 0u);
}

TEST_F(LaneTest, ASlotThatWentToAnotherSeriesIsNotBelieved) {
  Append(1, 10, 1);
  lane_.Sealed(Freeze(), /*time=*/1, /*oldest_read=*/2);
  Append(2, 10, 2);  // takes the slot of 1
  Append(1, 10, 3);  // comes with slot 0 all the same

  EXPECT_THAT(Read(1), ElementsAre(Pair(10, 3)));
  EXPECT_THAT(Read(2), ElementsAre(Pair(10, 2)));
}

TEST_F(LaneTest, WhatCouldNotBeSealedIsOpenAgain) {
  Append(1, 10, 1);
  const std::vector<FrozenHour> frozen = Freeze();
  Append(1, 10, 2);
  lane_.Thaw(frozen);
  EXPECT_EQ(lane_.open_hours(), 2u);
  Append(1, 11, 3);
  EXPECT_THAT(Read(1), ElementsAre(Pair(10, 2), Pair(11, 3)));

  // Both are frozen next time, the older one first.
  const std::vector<FrozenHour> again = Freeze();
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].points, frozen[0].points);
}

TEST_F(LaneTest, TheOldestBlockIsThatOfTheOldestHourNotSealed) {
  JournalPayloadWriter log;
  EXPECT_EQ(lane_.OldestBlock(), UINT64_MAX);
  lane_.TakeLog(7, &log);
  EXPECT_EQ(Append(1, 10, 1), 7u);
  lane_.TakeLog(8, &log);
  EXPECT_EQ(Append(2, 10, 1), 8u);
  EXPECT_EQ(Append(1, 20, 1), 8u);
  EXPECT_EQ(lane_.OldestBlock(), 7u);

  std::vector<OpenHourInfo> hours = Open();
  std::erase_if(hours, [](const OpenHourInfo& hour) { return hour.series != 1; });
  std::vector<FrozenHour> frozen;
  lane_.Freeze(hours, &frozen);
  EXPECT_EQ(lane_.OldestBlock(), 7u) << "frozen is not sealed";
  lane_.Sealed(frozen, /*time=*/1, /*oldest_read=*/0);
  EXPECT_EQ(lane_.OldestBlock(), 8u);
}

TEST_F(LaneTest, TheLogHasDefinitionsOnceAndPointsInOrder) {
  const SeriesDefinition definition{
      .number = 9, .metric_uid = 1, .metric = "m", .tags = {}, .tag_uids = {}};
  const uint32_t slot = lane_.Attach(9, &definition);
  EXPECT_EQ(lane_.Attach(9, &definition), slot);
  Append(9, 10, 1);
  Append(9, 11, 2);
  JournalPayloadWriter log;
  lane_.TakeLog(1, &log);

  const std::string payload = std::string(kPayloadWithDefinitions).append(log.bytes());
  JournalPayloadReader reader(payload);
  using Event = JournalPayloadReader::Event;
  ASSERT_EQ(reader.Next(), Event::kDefinition);
  ASSERT_EQ(reader.Next(), Event::kPoint);
  EXPECT_EQ(reader.value(), Value::Integer(1));
  ASSERT_EQ(reader.Next(), Event::kPoint);
  EXPECT_EQ(reader.value(), Value::Integer(2));
  EXPECT_EQ(reader.Next(), Event::kEnd);
  lane_.TakeLog(2, &log);
  EXPECT_TRUE(log.bytes().empty());
}

TEST_F(LaneTest, TheSectionSaysWhatItsSeriesHaveInCommon) {
  JournalPayloadWriter log;
  const auto class_of_section = [&] {
    lane_.TakeLog(1, &log);
    std::vector<PointSection> sections;
    EXPECT_TRUE(
        SplitPayload(std::string(kPayloadWithoutDefinitions).append(log.bytes()), &sections));
    return sections.empty() ? SeriesClass() : sections[0].series;
  };
  Append(19, 10, 1);
  EXPECT_EQ(class_of_section(), (SeriesClass{.stride = 0, .residue = 19}));
  Append(67, 10, 1);
  EXPECT_EQ(class_of_section(), (SeriesClass{.stride = 48, .residue = 19}));
  Append(11, 10, 1);
  EXPECT_EQ(class_of_section(), (SeriesClass{.stride = 8, .residue = 3}));
  Append(67, 11, 1);  // of series that are gone too: it never becomes narrower
  EXPECT_EQ(class_of_section(), (SeriesClass{.stride = 8, .residue = 3}));
}

TEST_F(LaneTest, AReplayWritesNoLog) {
  PlacedPoint point{
      .series = 1, .slot = 0, .time = {.ms = 1000, .is_ms = false}, .value = Value::Integer(1)};
  lane_.Replay({&point, 1}, /*first_block=*/3, /*last_block=*/4, /*now_s=*/50, &bytes_);
  EXPECT_EQ(lane_.log_bytes(), 0u);
  EXPECT_EQ(lane_.OldestBlock(), 3u);
  EXPECT_THAT(Read(1), ElementsAre(Pair(1, 1)));
}

TEST_F(LaneTest, HoursThatAnotherProcessSealedGoWhenTheirReadsAreDone) {
  PlacedPoint early{
      .series = 1, .slot = 0, .time = {.ms = 1000, .is_ms = false}, .value = Value::Integer(1)};
  PlacedPoint late = early;
  late.time.ms += kHourSpan.ms();
  lane_.Replay({&early, 1}, /*first_block=*/3, /*last_block=*/4, /*now_s=*/50, &bytes_);
  lane_.Replay({&late, 1}, /*first_block=*/4, /*last_block=*/5, /*now_s=*/50, &bytes_);
  EXPECT_EQ(lane_.SealedBelow(/*low_mark=*/4, /*time=*/7, /*oldest_read=*/8), 0);
  EXPECT_EQ(lane_.open_hours(), 2u);
  EXPECT_EQ(lane_.SealedBelow(/*low_mark=*/5, /*time=*/7, /*oldest_read=*/6), 0);
  EXPECT_EQ(lane_.open_hours(), 1u);
  EXPECT_GT(lane_.Reap(/*oldest_read=*/8), 0);
  EXPECT_EQ(lane_.OldestBlock(), 4u);
}

}  // namespace
}  // namespace hourcell::lane_test
