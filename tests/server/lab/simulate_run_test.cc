#include "server/lab/simulate_run.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/support/status_matchers.h"

namespace hourcell::simulate_run_test {
namespace {

using testing::HasSubstr;

class SimulateRunTest : public testing::Test {
 protected:
  absl::StatusOr<std::string> Run(const std::string& body, const SimulateWatch& watch = {}) {
    const auto request = ParseSimulateJson(body);
    EXPECT_OK(request);
    return RunSimulateRequest(*request, limits_, &clock_, watch);
  }

  ManualClock clock_{1'000};
  SimulateLimits limits_;
};

TEST_F(SimulateRunTest, AnswersEachDesignInJsonAndWords) {
  const auto text = Run(R"({"fleet":"metrics=2,duration=3h","designs":["a: layout=opentsdb",
                           "b: layout=salted:2 presplit=salt"]})");
  ASSERT_OK(text);
  simdjson::dom::parser parser;
  const simdjson::dom::array results = parser.parse(*text)["simulations"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(std::string_view(results.at(1)["design"]["name"]), "b");
  EXPECT_EQ(std::string_view(results.at(1)["regions"].at(1)["start_text"]), "bucket 1");
  EXPECT_EQ(results.at(0)["heat"]["row_texts"].get_array().size(),
            results.at(0)["heat"]["row_starts"].get_array().size());
}

TEST_F(SimulateRunTest, TellsHowFarItIsAndEndsWhenItIsTo) {
  std::vector<SimulateStage> stages;
  const auto watch = [&](const SimulateStage& stage) {
    stages.push_back(stage);
    return stage.index == 0;
  };
  EXPECT_THAT(Run(R"({"fleet":"duration=1d","designs":["a: layout=opentsdb",
                     "b: layout=time-first"]})",
                  watch),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_GT(stages.size(), 1u);
  EXPECT_EQ(stages[0].design, "a");
  EXPECT_EQ(stages[0].designs, 2u);
  EXPECT_GT(stages[0].progress.total_ms, 0u);
  EXPECT_EQ(stages.back().design, "b");
}

TEST_F(SimulateRunTest, HasLimits) {
  limits_.regions = 3;
  EXPECT_THAT(Run(R"({"fleet":"duration=3h","designs":["a: presplit=hex:16"]})"),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("more than 3 regions")));
  limits_ = {.ms = 60'000};
  const auto watch = [this](const SimulateStage&) {
    clock_.Advance(40'000);
    return true;
  };
  EXPECT_THAT(Run(R"({"fleet":"tags=host:500,duration=1d"})", watch),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("more than 60 seconds")));
}

}  // namespace
}  // namespace hourcell::simulate_run_test
