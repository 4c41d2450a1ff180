#include "promql/evaluation/held_vector.h"

#include <gtest/gtest.h>

#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CountingAccount final : public MemoryAccount {
 public:
  explicit CountingAccount(size_t limit) : limit_(limit) {}
  absl::Status Take(size_t bytes) override {
    if (used_ + bytes > limit_) return absl::ResourceExhaustedError("memory");
    used_ += bytes;
    return absl::OkStatus();
  }
  void GiveBack(size_t bytes) override { used_ -= bytes; }
  size_t used() const { return used_; }

 private:
  const size_t limit_;
  size_t used_ = 0;
};

TEST(HeldVectorTest, TakesMemoryBeforeAColumnAndGivesItBack) {
  CountingAccount account(1 << 20);
  MemoryHold hold(&account);
  Budget budget(&hold, nullptr);
  {
    HeldVector vector = Held(&budget, {{"m", std::vector<double>(100, 1.0)}});
    EXPECT_GE(account.used(), 100 * sizeof(double));
    HeldVector moved = std::move(vector);
    ASSERT_OK(moved.Add(Labels()));
    moved.RemoveLast();
  }

  EXPECT_EQ(account.used(), 0U);
}

TEST(HeldVectorTest, AColumnThatDoesNotFitIsRefused) {
  CountingAccount account(1000);
  MemoryHold hold(&account);
  Budget budget(&hold, nullptr);
  HeldVector vector(&budget, 1000);

  EXPECT_THAT(vector.Add(Labels()), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(account.used(), 0U);
}

TEST(HeldVectorTest, ReleasedSeriesKeepTheirMemory) {
  CountingAccount account(1 << 20);
  MemoryHold hold(&account);
  Budget budget(&hold, nullptr);
  HeldVector vector = Held(&budget, {{"m", {1.0}}});

  const Vector series = std::move(vector).Release();

  EXPECT_EQ(series.size(), 1U);
  EXPECT_GT(hold.bytes(), 0U);
}

TEST(HeldVectorTest, AppendMovesSeriesWithTheirMemory) {
  CountingAccount account(1 << 20);
  MemoryHold hold(&account);
  Budget budget(&hold, nullptr);
  HeldVector vector = Held(&budget, {{"a", {1.0}}});
  HeldVector other = Held(&budget, {{"b", {2.0}}});
  const size_t used = account.used();

  vector.Append(std::move(other));

  EXPECT_EQ(account.used(), used);
  EXPECT_THAT(TextsOf(vector), ElementsAre("{__name__=\"a\"} 1", "{__name__=\"b\"} 2"));
}

TEST(HeldVectorTest, RepeatGivesEachStepTheValueOfTheFirst) {
  Budget budget(nullptr, nullptr);
  HeldVector vector = Held(&budget, {{"a", {1.5}}});

  ASSERT_OK(vector.Repeat(3));

  EXPECT_EQ(vector.steps(), 3U);
  EXPECT_THAT(TextsOf(vector), ElementsAre("{__name__=\"a\"} 1.5 1.5 1.5"));
}

TEST(HeldVectorTest, SeriesOfEqualLabelsMergeIfTheyNeverMeet) {
  Budget budget(nullptr, nullptr);
  HeldVector vector = Held(&budget, {{"a{x=\"1\"}", {1, kNoValue, 3}},
                                     {"b{x=\"2\"}", {7, 7, 7}},
                                     {"b{x=\"1\"}", {kNoValue, 2, kNoValue}}});

  ASSERT_OK(DropMetricNames(&vector));

  EXPECT_THAT(TextsOf(vector), ElementsAre("{x=\"1\"} 1 2 3", "{x=\"2\"} 7 7 7"));
}

TEST(HeldVectorTest, SeriesOfEqualLabelsAtOneStepAreAnError) {
  Budget budget(nullptr, nullptr);
  HeldVector vector = Held(&budget, {{"a", {1, kNoValue}}, {"b", {2, 2}}});

  EXPECT_THAT(DropMetricNames(&vector),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "vector cannot contain metrics with the same labelset"));
}

TEST(HeldVectorTest, EqualLabelsThatNeverMeetCanBeRefused) {
  Budget budget(nullptr, nullptr);
  HeldVector vector = Held(&budget, {{"a", {1, kNoValue}}, {"b", {kNoValue, 2}}});

  EXPECT_THAT(DropMetricNames(&vector, EqualLabels::kRefuse),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("same labelset")));
}

TEST(HeldVectorTest, TheEarliestCollisionIsFound) {
  Budget budget(nullptr, nullptr);
  HeldVector vector = Held(&budget, {{"{x=\"1\"}", {1, 1, 1}},
                                     {"{x=\"2\"}", {1, 1, 1}},
                                     {"{x=\"1\"}", {kNoValue, kNoValue, 1}},
                                     {"{x=\"2\"}", {kNoValue, 1, 1}}});

  EXPECT_EQ(MergeEqualLabels(&vector), 1U);
}

TEST(BudgetTest, TheCheckIsAskedAfterThousandsOfValues) {
  int calls = 0;
  const auto count = [&]() -> absl::Status {
    return ++calls < 3 ? absl::OkStatus() : absl::CancelledError("enough");
  };
  absl::FunctionRef<absl::Status()> check = count;
  Budget budget(nullptr, &check);

  absl::Status status;
  int works = 0;
  for (; status.ok() && works < 1000; ++works)
    status = budget.Work(1000);

  EXPECT_THAT(status, StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(calls, 3);
  EXPECT_LT(works, 100);
}

}  // namespace
}  // namespace hourcell::promql
