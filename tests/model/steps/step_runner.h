// RunSteps: runs a list of steps on a real store and on a model, and says at which step they
// differ, and how.
//
//   const StepRun run = RunSteps({options, RandomSteps(options, 300, &random)});
//   EXPECT_EQ(run.fault, "");

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/model/steps/model_step.h"
#include "tests/model/steps/step_options.h"

namespace hourcell {

struct StepRunSettings {
  bool keep_answers = false;
  // A mistake of the model's, to see that it is found: it forgets points of this value seed (of a
  // kPut) that are in milliseconds; 0: none.
  uint32_t forgets_seed = 0;
};

struct StepRun {
  std::string fault = {};  // empty: none
  size_t steps = 0;        // that were done, the one with the fault included
  std::array<uint64_t, kStepKinds> of_kind = {};
  // Of every step, in words that do not depend on the layout; if they are wanted.
  std::vector<std::string> answers = {};
};

// At the end all that is stored is checked.
StepRun RunSteps(const StepCase& steps, const StepRunSettings& settings = {});

}  // namespace hourcell
