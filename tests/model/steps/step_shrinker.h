// ShrinkSteps: reduces a failing list of steps. First the steps after the fault go, then pieces of
// the list, ever smaller ones, down to single steps, until none can go; then options become those
// by default; then numbers become zeros, or halves. Bounded by the number of tries.

#pragma once

#include <cstddef>
#include <functional>

#include "tests/model/steps/step_options.h"

namespace hourcell {

struct ShrunkSteps {
  StepCase steps;
  size_t tries = 0;
};

// `fails` returns whether a list still fails; it is called at most `tries_max` times.
// REQUIRES: `failing` does.
ShrunkSteps ShrinkSteps(const StepCase& failing,
                        size_t tries_max,
                        const std::function<bool(const StepCase&)>& fails);

}  // namespace hourcell
