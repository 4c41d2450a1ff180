// Lists of steps that once showed a fault, as StepListTest printed them.

#include <vector>

#include <gtest/gtest.h>

#include "tests/model/steps/model_step.h"
#include "tests/model/steps/step_options.h"
#include "tests/model/steps/step_runner.h"

namespace hourcell::step_case_test {
namespace {

// Expired points of a row with others, in the range of a deletion, were counted as deleted.
TEST(StepCaseTest, ExpiredPointsAreNotCountedAsDeleted) {
  const StepOptions options = {};
  const std::vector<ModelStep> steps = {
      {StepKind::kPut, {0, 96, 2, 0, 23}}, {StepKind::kAdvance, {6335}},
      {StepKind::kTtl, {0, 14622}},        {StepKind::kPut, {0, 56, 2, 0, 17}},
      {StepKind::kDelete, {0, 0, 69}},
  };
  EXPECT_EQ(RunSteps({options, steps}).fault, "");
}

// With sync = always a name's deletion, or its new name, was not on disk when it was acknowledged,
// nor when points that were put after it were.
TEST(StepCaseTest, ADeletedNameStaysDeletedAfterAPowerLoss) {
  const StepOptions options = {.sync = 2};
  const std::vector<ModelStep> steps = {
      {StepKind::kUid, {1, 0, 3}},
      {StepKind::kPut, {3, 0, 11, 0, 20}},
      {StepKind::kUid, {3, 0, 18}},
      {StepKind::kLosePower, {3}},
  };
  EXPECT_EQ(RunSteps({options, steps}).fault, "");
}

TEST(StepCaseTest, ANewNameStaysAfterAPowerLoss) {
  const StepOptions options = {.sync = 2};
  const std::vector<ModelStep> steps = {
      {StepKind::kPut, {3}},
      {StepKind::kPut, {21}},
      {StepKind::kRename, {0, 0, 3}},
      {StepKind::kLosePower, {21}},
  };
  EXPECT_EQ(RunSteps({options, steps}).fault, "");
}

// Hours of a day with two numbers of salt buckets were merged with the key of the first: those of
// the other buckets were not found.
TEST(StepCaseTest, ADayInWhichBucketsChangeKeepsItsHours) {
  const StepOptions options = {.salt_width = 2, .no_new_names = 1};
  const std::vector<ModelStep> steps = {
      {StepKind::kSalt, {2, 13}},
      {StepKind::kPut, {15, 293, 1, 7}},
      {StepKind::kSeal},
      {StepKind::kQuery, {332869}},
  };
  EXPECT_EQ(RunSteps({options, steps}).fault, "");
}

}  // namespace
}  // namespace hourcell::step_case_test
