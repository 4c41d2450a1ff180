// Random steps under random options: whatever is done to a store between its answers, they are the
// model's. Every step is a call whose outcome is compared. A list that fails is made small, and
// printed as a test to be pasted below.
//
//   HOURCELL_MODEL_OPS=<n>    steps in all
//   HOURCELL_MODEL_SETS=<n>   option sets they are shared out to
//   HOURCELL_MODEL_SEED=<n>   of the first set; the others count on from it

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/model/steps/model_step.h"
#include "tests/model/steps/step_options.h"
#include "tests/model/steps/step_runner.h"
#include "tests/model/steps/step_shrinker.h"
#include "tests/support/sanitizers.h"

namespace hourcell::step_list_test {
namespace {

constexpr uint64_t kFirstSeed = 20130101;
// Longer lists than this find little more, and take longer to be made small.
constexpr uint64_t kStepsOfAStore = 500;
constexpr size_t kShrinkTriesMax = 1500;

uint64_t NumberFrom(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

bool Fails(const StepCase& steps) {
  return !RunSteps(steps).fault.empty();
}

class StepListTest : public testing::Test {
 protected:
  // One store, and its steps.
  void RunStore(const StepOptions& options, uint64_t steps, uint64_t seed, Random* random) {
    StepCase all{options, RandomSteps(options, steps, random)};
    const StepRun run = RunSteps(all);
    steps_ += run.steps;
    for (size_t kind = 0; kind < kStepKinds; ++kind)
      of_kind_[kind] += run.of_kind[kind];
    if (run.fault.empty()) return;
    all.steps.resize(run.steps);
    const ShrunkSteps small = ShrinkSteps(all, kShrinkTriesMax, Fails);
    ADD_FAILURE() << "HOURCELL_MODEL_SEED=" << seed << " " << ToCode(options) << ": " << run.fault
                  << "\nmade small in " << small.tries << " tries: " << RunSteps(small.steps).fault
                  << "\n"
                  << ToTest(small.steps, fmt::format("FoundBySeed{}", seed));
  }

  void PrintTotals(size_t sets) const {
    std::string kinds;
    for (const StepKindFacts& facts : AllStepKinds()) {
      kinds +=
          fmt::format(" {} {}", facts.name.substr(1), of_kind_[static_cast<size_t>(facts.kind)]);
    }
    fmt::print("compared {} operations over {} option sets, by kind:{}\n", steps_, sets, kinds);
  }

  uint64_t steps_ = 0;
  std::array<uint64_t, kStepKinds> of_kind_ = {};
};

TEST_F(StepListTest, RandomStepsAgreeWithTheModel) {
  const uint64_t sets = NumberFrom("HOURCELL_MODEL_SETS", kIsSanitized ? 3 : 12);
  const uint64_t steps = NumberFrom("HOURCELL_MODEL_OPS", sets * (kIsSanitized ? 150 : 400));
  const uint64_t first = NumberFrom("HOURCELL_MODEL_SEED", kFirstSeed);
  std::set<std::string> drawn;
  for (uint64_t seed = first; seed < first + sets && !HasFailure(); ++seed) {
    Random random(seed);
    const StepOptions options = DrawStepOptions(&random);
    drawn.insert(ToCode(options));
    for (uint64_t left = (steps + sets - 1) / sets; left > 0 && !HasFailure();) {
      const uint64_t now = std::min(left, kStepsOfAStore);
      RunStore(options, now, seed, &random);
      left -= now;
    }
  }
  PrintTotals(drawn.size());
  EXPECT_GE(steps_, HasFailure() ? 0 : steps);
}

// The answers to a client do not depend on how the store is opened.
TEST_F(StepListTest, TheSameStepsGiveTheSameAnswersUnderOtherOptions) {
  const uint64_t pairs = kIsSanitized ? 1 : 4;
  for (uint64_t seed = kFirstSeed; seed < kFirstSeed + pairs; ++seed) {
    Random random(seed);
    const StepOptions one = DrawStepOptions(&random);
    StepOptions other = DrawStepOptions(&random);
    // Options that do change answers.
    other.ttl_s = one.ttl_s;
    other.metric_ttls = one.metric_ttls;
    other.no_new_names = one.no_new_names;
    const std::vector<ModelStep> steps = RandomSteps(one, kIsSanitized ? 100 : 300, &random);
    const StepRun of_one = RunSteps({one, steps}, {.keep_answers = true});
    const StepRun of_other = RunSteps({other, steps}, {.keep_answers = true});
    ASSERT_EQ(of_one.fault, "") << "seed " << seed;
    ASSERT_EQ(of_other.fault, "") << "seed " << seed;
    ASSERT_EQ(of_one.answers.size(), of_other.answers.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      ASSERT_EQ(of_one.answers[i], of_other.answers[i])
          << "seed " << seed << " step " << i << " " << ToCode(steps[i]) << "\n"
          << ToCode(one) << "\n"
          << ToCode(other);
    }
  }
}

// A model that forgets a point, among hundreds of steps.
TEST_F(StepListTest, AFaultIsMadeSmall) {
  constexpr uint32_t kForgotten = 7;
  const StepRunSettings settings{.forgets_seed = kForgotten};
  Random random(kFirstSeed);
  StepCase planted{.options = DrawStepOptions(&random), .steps = {}};
  planted.steps = RandomSteps(planted.options, kIsSanitized ? 60 : 300, &random);
  planted.steps[planted.steps.size() / 3] = {StepKind::kPut, {5, 200, 3, 4, 1, kForgotten}};
  ASSERT_NE(RunSteps(planted, settings).fault, "");

  const ShrunkSteps small = ShrinkSteps(planted, kShrinkTriesMax, [&](const StepCase& steps) {
    return !RunSteps(steps, settings).fault.empty();
  });

  // All that is left: the put. That all is there is looked at in the end.
  EXPECT_EQ(ToTest(small.steps, "Planted"), R"(TEST(StepCaseTest, Planted) {
  const StepOptions options = {};
  const std::vector<ModelStep> steps = {
      {StepKind::kPut, {0, 0, 0, 0, 1, 7}},
  };
  EXPECT_EQ(RunSteps({options, steps}).fault, "");
}
)");
  fmt::print("made small in {} tries\n", small.tries);
}

// As a text, and as compiled code.
#define HOURCELL_TEXT_OF(...) #__VA_ARGS__
#define HOURCELL_PRINTED_OPTIONS {.salt_width = 1, .salt_buckets = 20, .seal_grace_s = 0}
#define HOURCELL_PRINTED_STEPS     \
  {                                \
      {StepKind::kPut, {3, 0, 1}}, \
      {StepKind::kReopen},         \
      {StepKind::kQuery, {4711}},  \
  }
#define HOURCELL_EXPANDED_TEXT(...) HOURCELL_TEXT_OF(__VA_ARGS__)

std::string WithoutBlanks(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

TEST(StepCodeTest, WhatIsPrintedCompilesToWhatItWasPrintedFrom) {
  const StepOptions options = HOURCELL_PRINTED_OPTIONS;
  const std::vector<ModelStep> steps = HOURCELL_PRINTED_STEPS;
  std::string code = "{";
  for (const ModelStep& step : steps)
    code += ToCode(step) + ",";
  EXPECT_EQ(WithoutBlanks(code + "}"),
            WithoutBlanks(HOURCELL_EXPANDED_TEXT(HOURCELL_PRINTED_STEPS)));
  EXPECT_EQ(WithoutBlanks(ToCode(options)),
            WithoutBlanks(HOURCELL_EXPANDED_TEXT(HOURCELL_PRINTED_OPTIONS)));
}

TEST(StepCodeTest, OptionSetsAreValidAndManifold) {
  std::set<std::string> drawn;
  for (uint64_t seed = kFirstSeed; seed < kFirstSeed + 200; ++seed) {
    Random random(seed);
    const StepOptions options = DrawStepOptions(&random);
    Options made = ToOptions(options);
    made.path = "store";
    EXPECT_EQ(made.Validate(), absl::OkStatus()) << ToCode(options);
    drawn.insert(ToCode(options));
  }
  EXPECT_EQ(drawn.size(), 200u);
}

}  // namespace
}  // namespace hourcell::step_list_test
