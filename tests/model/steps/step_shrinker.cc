#include "tests/model/steps/step_shrinker.h"

#include <algorithm>
#include <utility>

namespace hourcell {
namespace {

class StepShrinker {
 public:
  StepShrinker(const StepCase& failing,
               size_t tries_max,
               const std::function<bool(const StepCase&)>& fails)
      : best_{.steps = failing}, tries_max_(tries_max), fails_(fails) {}

  ShrunkSteps Run() {
    for (size_t piece = best_.steps.steps.size() / 2; piece > 0; piece /= 2)
      DropPieces(piece);
    SimplifyOptions();
    SimplifyNumbers();
    while (DropPieces(1)) {
    }
    return best_;
  }

 private:
  // Keeps it if it fails, too.
  bool Try(StepCase less) {
    if (best_.tries >= tries_max_) return false;
    ++best_.tries;
    if (!fails_(less)) return false;
    best_.steps = std::move(less);
    return true;
  }

  // From the end, so that steps after the fault go first. True if something went.
  bool DropPieces(size_t piece) {
    bool has_dropped = false;
    size_t end = best_.steps.steps.size();
    while (end > 0) {
      const size_t begin = end - std::min(end, piece);
      StepCase less = best_.steps;
      less.steps.erase(less.steps.begin() + static_cast<ptrdiff_t>(begin),
                       less.steps.begin() + static_cast<ptrdiff_t>(end));
      has_dropped = Try(std::move(less)) || has_dropped;
      end = begin;
    }
    return has_dropped;
  }

  void SimplifyOptions() {
    size_t at = 0;
    while (true) {
      const std::vector<StepOptions> simpler = SimplerThan(best_.steps.options);
      if (at >= simpler.size()) return;
      // Where one was taken the next one has its place.
      if (!Try({simpler[at], best_.steps.steps})) ++at;
    }
  }

  void SimplifyNumbers() {
    for (size_t i = 0; i < best_.steps.steps.size(); ++i) {
      for (size_t k = 0; k < best_.steps.steps[i].n.size(); ++k) {
        if (best_.steps.steps[i].n[k] == 0 || TryNumber(i, k, 0)) continue;
        while (best_.steps.steps[i].n[k] > 1 && TryNumber(i, k, best_.steps.steps[i].n[k] / 2)) {
        }
      }
    }
  }

  bool TryNumber(size_t step, size_t number, uint32_t value) {
    StepCase less = best_.steps;
    less.steps[step].n[number] = value;
    return Try(std::move(less));
  }

  ShrunkSteps best_;
  const size_t tries_max_;
  const std::function<bool(const StepCase&)>& fails_;
};

}  // namespace

ShrunkSteps ShrinkSteps(const StepCase& failing,
                        size_t tries_max,
                        const std::function<bool(const StepCase&)>& fails) {
  return StepShrinker(failing, tries_max, fails).Run();
}

}  // namespace hourcell
