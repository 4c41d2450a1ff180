#include "engine/rollups/marks/rollup_marks.h"

#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::rollup_marks_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Uid kMetric = 5;
constexpr uint64_t kHour = 3600;

RollupMark HourMark(uint64_t hour, SeriesNumber series) {
  return {.begin_s = hour * kHour, .end_s = (hour + 1) * kHour, .series = series};
}

class RollupMarksTest : public testing::Test {
 protected:
  void SetUp() override { Open(); }

  void Open(bool is_kept = true, size_t marks_max = 100) {
    auto opened = RollupMarks::Open(&tables_, is_kept, marks_max);
    ASSERT_OK(opened);
    marks_ = *std::move(opened);
  }

  // All hours before `hours` are computed.
  void Compute(uint64_t hours, uint64_t from = 0) {
    if (!marks_->UntilOf(kMetric).has_value()) {
      ASSERT_OK(marks_->Begin(kMetric, "1h(sum)"));
    }
    marks_->Promise(kMetric, hours * kHour);
    const RollupMarks::Advance advance{
        .metric = kMetric, .from_s = from * kHour, .until_s = hours * kHour};
    ASSERT_OK(marks_->AdvanceAll({&advance, 1}));
  }

  void Note(uint64_t hour, SeriesNumber series) { marks_->Note(kMetric, series, hour * kHour); }
  uint64_t CleanUntil(uint64_t hour) { return marks_->CleanUntilS(kMetric, hour * kHour) / kHour; }
  uint64_t Until() { return marks_->UntilOf(kMetric)->until_s / kHour; }

  std::vector<RollupMark> Marks() {
    std::vector<RollupMark> marks;
    for (const NotedMark& one : marks_->MarksOf(kMetric, 1000))
      marks.push_back(one.mark);
    return marks;
  }

  MemTableStore tables_;
  std::unique_ptr<RollupMarks> marks_;
};

TEST_F(RollupMarksTest, OnlyHoursBelowTheLimitAreMarked) {
  Note(1, 7);
  EXPECT_EQ(CleanUntil(0), 0U) << "a metric without a watermark";
  EXPECT_EQ(marks_->LateBeforeS(), 0U);

  Compute(10);
  EXPECT_EQ(marks_->LateBeforeS(), 10 * kHour);
  Note(10, 7);
  EXPECT_THAT(Marks(), IsEmpty());
  EXPECT_EQ(CleanUntil(0), 10U);

  Note(4, 7);
  Note(6, 8);
  EXPECT_THAT(Marks(), ElementsAre(HourMark(4, 7), HourMark(6, 8)));
  EXPECT_EQ(CleanUntil(0), 4U);
  EXPECT_EQ(CleanUntil(4), 4U);
  EXPECT_EQ(CleanUntil(5), 6U);
  EXPECT_EQ(CleanUntil(7), 10U);
  EXPECT_EQ(CleanUntil(12), 10U);
}

TEST_F(RollupMarksTest, HoursThatAreBeingComputedAreMarked) {
  Compute(10);
  marks_->Promise(kMetric, 12 * kHour);
  Note(11, 7);
  const RollupMarks::Advance advance{
      .metric = kMetric, .from_s = 10 * kHour, .until_s = 12 * kHour};
  EXPECT_EQ(CleanUntil(0), 10U);
  ASSERT_OK(marks_->AdvanceAll({&advance, 1}));
  EXPECT_EQ(CleanUntil(0), 11U);
}

TEST_F(RollupMarksTest, MarksAndWatermarksSurviveARestart) {
  Compute(10);
  Note(4, 7);
  Open();
  EXPECT_EQ(CleanUntil(0), 10U) << "the journal opens the hour again";
  Note(4, 7);
  ASSERT_OK(marks_->Write());
  Open();
  EXPECT_EQ(CleanUntil(0), 4U);
  EXPECT_EQ(marks_->UntilOf(kMetric)->fingerprint, "1h(sum)");

  ASSERT_OK(marks_->Remove(kMetric, marks_->MarksOf(kMetric, 1)));
  EXPECT_EQ(CleanUntil(0), 10U);
  Open();
  EXPECT_EQ(CleanUntil(0), 10U);
}

TEST_F(RollupMarksTest, AMarkThatIsNotedAgainStays) {
  Compute(10);
  Note(4, 7);
  Note(5, 7);
  const std::vector<NotedMark> taken = marks_->MarksOf(kMetric, 10);
  Note(4, 7);
  ASSERT_OK(marks_->Write());
  ASSERT_OK(marks_->Remove(kMetric, taken));
  EXPECT_THAT(Marks(), ElementsAre(HourMark(4, 7)));
  Open();
  EXPECT_THAT(Marks(), ElementsAre(HourMark(4, 7)));
}

TEST_F(RollupMarksTest, AMarkThatIsRemovedBeforeItHasARowGetsNone) {
  Compute(10);
  Note(4, 7);
  ASSERT_OK(marks_->Remove(kMetric, marks_->MarksOf(kMetric, 1)));
  ASSERT_OK(marks_->Write());
  Open();
  EXPECT_THAT(Marks(), IsEmpty());
}

TEST_F(RollupMarksTest, ARangeIsMarkedForAllSeries) {
  Compute(10);
  const RollupMark range{.begin_s = 2 * kHour, .end_s = 20 * kHour, .series = 0};
  ASSERT_OK(marks_->MarkRange(kMetric, range));
  Open();
  EXPECT_EQ(CleanUntil(0), 2U);
  EXPECT_EQ(CleanUntil(5), 5U);
  ASSERT_OK(marks_->Remove(kMetric, marks_->MarksOf(kMetric, 1)));
  EXPECT_EQ(CleanUntil(5), 10U);
  ASSERT_OK(marks_->MarkRange(kMetric, HourMark(10, 0)));
  EXPECT_THAT(Marks(), IsEmpty()) << "it is above the limit";
}

TEST_F(RollupMarksTest, TooManyMarksLowerTheWatermark) {
  Compute(500);
  for (uint64_t hour = 100; hour <= 200; ++hour)
    Note(hour, 7);
  EXPECT_THAT(Marks(), IsEmpty());
  EXPECT_EQ(Until(), 100U);
  EXPECT_EQ(marks_->LateBeforeS(), 100 * kHour);
  Note(300, 7);
  EXPECT_THAT(Marks(), IsEmpty());
  ASSERT_OK(marks_->Write());
  Open();
  EXPECT_EQ(Until(), 100U);
  EXPECT_THAT(Marks(), IsEmpty());
}

TEST_F(RollupMarksTest, RowsOfMarksFallWithTheWatermark) {
  Compute(500);
  Note(50, 1);
  Note(300, 1);
  ASSERT_OK(marks_->Write());
  ASSERT_OK(marks_->Lower(kMetric, 200 * kHour));
  EXPECT_THAT(Marks(), ElementsAre(HourMark(50, 1)));
  Open();
  EXPECT_EQ(Until(), 200U);
  EXPECT_THAT(Marks(), ElementsAre(HourMark(50, 1)));
  ASSERT_OK(marks_->Lower(kMetric, 300 * kHour));
  EXPECT_EQ(Until(), 200U) << "it only falls";
}

TEST_F(RollupMarksTest, AWatermarkThatFellStaysLow) {
  for (const uint64_t falls_to : {uint64_t{30}, uint64_t{50}}) {
    Compute(50, marks_->UntilOf(kMetric).has_value() ? Until() : 0);
    marks_->Promise(kMetric, 60 * kHour);
    ASSERT_OK(marks_->Lower(kMetric, falls_to * kHour));
    const RollupMarks::Advance advance{
        .metric = kMetric, .from_s = 50 * kHour, .until_s = 60 * kHour};
    ASSERT_OK(marks_->AdvanceAll({&advance, 1}));
    EXPECT_EQ(Until(), falls_to);
    Open();
    EXPECT_EQ(Until(), falls_to);
  }
}

TEST_F(RollupMarksTest, AFailedWriteIsRepeated) {
  Compute(50);
  Note(4, 7);
  tables_.FailApplies(1);
  EXPECT_FALSE(marks_->Write().ok());
  EXPECT_EQ(CleanUntil(0), 4U);
  tables_.FailApplies(1);
  EXPECT_FALSE(marks_->Lower(kMetric, 40 * kHour).ok());
  EXPECT_EQ(Until(), 40U);
  ASSERT_OK(marks_->Write());
  Open();
  EXPECT_EQ(CleanUntil(0), 4U);
  EXPECT_EQ(Until(), 40U);
}

TEST_F(RollupMarksTest, AFailedAdvanceChangesNothing) {
  Compute(50);
  marks_->Promise(kMetric, 60 * kHour);
  tables_.FailApplies(1);
  const RollupMarks::Advance advance{
      .metric = kMetric, .from_s = 50 * kHour, .until_s = 60 * kHour};
  EXPECT_FALSE(marks_->AdvanceAll({&advance, 1}).ok());
  EXPECT_EQ(Until(), 50U);
  ASSERT_OK(marks_->AdvanceAll({&advance, 1}));
  EXPECT_EQ(Until(), 60U);
}

TEST_F(RollupMarksTest, AForgottenMetricHasNothing) {
  Compute(50);
  Note(4, 7);
  ASSERT_OK(marks_->Write());
  tables_.FailApplies(1);
  EXPECT_FALSE(marks_->Forget(kMetric).ok());
  EXPECT_EQ(CleanUntil(0), 4U) << "its row is there, and so its marks matter";
  ASSERT_OK(marks_->Forget(kMetric));
  EXPECT_EQ(marks_->UntilOf(kMetric), std::nullopt);
  EXPECT_EQ(marks_->LateBeforeS(), 0U);
  Open();
  EXPECT_THAT(marks_->Metrics(), IsEmpty());
}

TEST_F(RollupMarksTest, NothingIsComputedAfterAProgramWithoutMarks) {
  Compute(50);
  Note(4, 7);
  ASSERT_OK(marks_->Write());
  Open(/*is_kept=*/false);
  EXPECT_THAT(marks_->Metrics(), IsEmpty());
  Open();
  EXPECT_THAT(marks_->Metrics(), IsEmpty());
}

TEST_F(RollupMarksTest, ADamagedRowIsDataLoss) {
  const Mutation row{TableId::kSystem, Mutation::Kind::kSet, "rollup/mark/x", ""};
  ASSERT_OK(tables_.Apply({&row, 1}, false));
  EXPECT_TRUE(absl::IsDataLoss(RollupMarks::Open(&tables_, true).status()));
}

// Any order of notes, writes, removals, falls and restarts, against sets.
TEST_F(RollupMarksTest, MarksAreThoseOfAModel) {
  constexpr uint64_t kSeed = 20261127;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  std::set<RollupMark> model;    // in memory
  std::set<RollupMark> written;  // as rows
  uint64_t until = 40;
  Compute(until);
  for (int step = 0; step < 3000; ++step) {
    const RollupMark mark = HourMark(random.Below(40), 1 + random.Below(3));
    switch (random.Below(6)) {
      case 0:
      case 1:
        marks_->Note(kMetric, mark.series, mark.begin_s);
        if (mark.begin_s < until * kHour) model.insert(mark);
        break;
      case 2:
        ASSERT_OK(marks_->Write());
        written = model;
        break;
      case 3: {
        const std::vector<NotedMark> some = marks_->MarksOf(kMetric, random.Below(5));
        ASSERT_OK(marks_->Remove(kMetric, some));
        for (const NotedMark& one : some) {
          model.erase(one.mark);
          written.erase(one.mark);
        }
        break;
      }
      case 4:
        if (random.Below(10) == 0) {
          const uint64_t falls_to = random.Below(40);
          if (falls_to >= until) break;
          until = falls_to;
          ASSERT_OK(marks_->Lower(kMetric, until * kHour));
          std::erase_if(model, [&](const auto& one) { return one.begin_s >= until * kHour; });
          written = model;
        } else if (until < 40) {
          Compute(until + 1, until);
          ++until;
        }
        break;
      default:
        Open();
        model = written;
    }
    ASSERT_THAT(Marks(), testing::ElementsAreArray(model)) << step;
    const uint64_t clean = model.empty() ? until : std::min(until, model.begin()->begin_s / kHour);
    ASSERT_EQ(CleanUntil(0), clean) << step;
  }
}

}  // namespace
}  // namespace hourcell::rollup_marks_test
