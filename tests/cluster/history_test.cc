// The checker finds each kind of impossible answer.

#include "tests/cluster/history.h"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::history_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr PointKey kKey{.series = 1, .second = 7};

class HistoryTest : public testing::Test {
 protected:
  void Write(Moment begun, Moment ended, std::optional<int64_t> value) {
    history_.Add(HistoryWrite{.key = kKey, .value = value, .begun = begun, .ended = ended});
  }
  // The faults of an answer with this value.
  std::vector<std::string> Answer(Moment begun, Moment ended, std::optional<int64_t> value) {
    HistoryAnswer answer{.points = {}, .begun = begun, .ended = ended, .by = "node 1"};
    if (value.has_value()) answer.points[kKey] = *value;
    history_.Add(answer);
    return history_.Faults();
  }

  History history_;
};

TEST_F(HistoryTest, AnAnswerHasWhatWasAcknowledged) {
  Write(1, 2, 10);
  EXPECT_THAT(Answer(3, 4, 10), IsEmpty());
}

TEST_F(HistoryTest, ALostPointIsFound) {
  Write(1, 2, 10);
  EXPECT_THAT(Answer(3, 4, std::nullopt),
              testing::ElementsAre(HasSubstr("answer series 1 second 7 has nothing")));
}

TEST_F(HistoryTest, AnAnswerOfOtherSeriesLacksNothing) {
  Write(1, 2, 10);
  history_.Add(HistoryAnswer{.points = {}, .series = 2, .begun = 3, .ended = 4});
  EXPECT_THAT(history_.Faults(), IsEmpty());
  history_.Add(HistoryAnswer{.points = {}, .series = 1, .begun = 5, .ended = 6});
  EXPECT_THAT(history_.Faults(), SizeIs(1));
}

TEST_F(HistoryTest, AValueThatWasOverwrittenIsFound) {
  Write(1, 2, 10);
  Write(3, 4, 11);
  EXPECT_THAT(Answer(5, 6, 10), SizeIs(1));
}

TEST_F(HistoryTest, AValueThatWasNeverSentIsFound) {
  Write(1, 2, 10);
  EXPECT_THAT(Answer(3, 4, 12), SizeIs(1));
}

TEST_F(HistoryTest, AValueFromTheFutureIsFound) {
  Write(5, 6, 10);
  EXPECT_THAT(Answer(3, 4, 10), SizeIs(1));
}

TEST_F(HistoryTest, ADeletedPointThatIsBackIsFound) {
  Write(1, 2, 10);
  Write(3, 4, std::nullopt);
  EXPECT_THAT(Answer(5, 6, 10), SizeIs(1));
}

TEST_F(HistoryTest, WhatIsConcurrentMayBeThereOrNot) {
  Write(1, 2, 10);
  Write(3, 8, 11);
  EXPECT_THAT(Answer(4, 5, 10), IsEmpty());
  EXPECT_THAT(Answer(6, 7, 11), IsEmpty());
  EXPECT_THAT(Answer(6, 7, std::nullopt), SizeIs(1));
}

TEST_F(HistoryTest, AWriteWithoutAnAnswerMayTakeEffectAtAnyTime) {
  Write(1, kNeverEnds, 10);
  EXPECT_THAT(Answer(3, 4, std::nullopt), IsEmpty());
  Write(5, 6, 11);
  EXPECT_THAT(Answer(7, 8, 11), IsEmpty());
  EXPECT_THAT(Answer(9, 10, 10), IsEmpty());
}

TEST_F(HistoryTest, ADeleteWithoutAnAnswerMayTakeEffect) {
  Write(1, 2, 10);
  Write(3, kNeverEnds, std::nullopt);
  EXPECT_THAT(Answer(5, 6, 10), IsEmpty());
  EXPECT_THAT(Answer(7, 8, std::nullopt), IsEmpty());
}

}  // namespace
}  // namespace hourcell::history_test
