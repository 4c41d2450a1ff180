#include "engine/store/loss_counter.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::loss_counter_test {
namespace {

TEST(LossCounterTest, CountsDataLossAndNothingElse) {
  Stats stats;
  LossCounter losses(&stats);
  EXPECT_OK(losses.Note(absl::OkStatus()));
  EXPECT_FALSE(losses.Note(absl::NotFoundError("no")).ok());
  EXPECT_EQ(stats.counter("storage.data_loss")->value(), 0U);

  EXPECT_FALSE(losses.Note(absl::DataLossError("damaged")).ok());
  EXPECT_FALSE(losses.Note(absl::StatusOr<int>(absl::DataLossError("damaged"))).ok());
  EXPECT_EQ(losses.Note(absl::StatusOr<int>(7)).value(), 7);
  EXPECT_EQ(stats.counter("storage.data_loss")->value(), 2U);
}

}  // namespace
}  // namespace hourcell::loss_counter_test
