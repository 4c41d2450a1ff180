// Lists of steps that once showed a fault, as StepListTest printed them.

#include <vector>

#include <gtest/gtest.h>

#include "tests/model/model_step.h"
#include "tests/model/step_options.h"
#include "tests/model/step_runner.h"

namespace hourcell {
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

}  // namespace
}  // namespace hourcell
