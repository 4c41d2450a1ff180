#include "tests/model/steps/model_step.h"

#include <fmt/format.h>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr uint32_t kSeed = 1'000'000;
constexpr uint32_t kMinute = 300;  // of the five hours around the present

// Steps that cost a millisecond or more are rare, so that a long run has many steps of every kind.
constexpr StepKindFacts kFacts[] = {
    {StepKind::kPut, "kPut", 420, {kWorldSeries, kMinute, 12, 8, 24, kSeed}},
    {StepKind::kPutBad, "kPutBad", 30, {10, kWorldSeries, kMinute}},
    {StepKind::kQuery, "kQuery", 200, {kSeed, 8}},
    {StepKind::kLast, "kLast", 60, {kSeed}},
    {StepKind::kScan, "kScan", 50, {kSeed}},
    {StepKind::kSuggest, "kSuggest", 25, {3, 10, 20}},
    {StepKind::kUid, "kUid", 30, {5, 3, 20}},
    {StepKind::kLookup, "kLookup", 50, {kSeed}},
    {StepKind::kDelete, "kDelete", 8, {kSeed, kMinute, 150}},
    {StepKind::kAnnotate, "kAnnotate", 25, {kWorldSeries + 6, kMinute, 12}},
    {StepKind::kUnannotate, "kUnannotate", 8, {kWorldSeries + 6, kMinute, 120}},
    {StepKind::kAnnotations, "kAnnotations", 15, {kWorldSeries + 6, kMinute}},
    {StepKind::kAdvance, "kAdvance", 15, {2 * 3600}},
    {StepKind::kSeal, "kSeal", 12, {}},
    {StepKind::kSealDue, "kSealDue", 10, {}},
    {StepKind::kFlush, "kFlush", 5, {}},
    {StepKind::kLsmCompact, "kLsmCompact", 2, {}},
    {StepKind::kDropCaches, "kDropCaches", 6, {}},
    {StepKind::kDropExpired, "kDropExpired", 4, {}},
    {StepKind::kSplit, "kSplit", 3, {8, 100}},
    {StepKind::kMerge, "kMerge", 3, {8, 3}},
    {StepKind::kSalt, "kSalt", 4, {40, 16}},
    {StepKind::kTtl, "kTtl", 4, {4, 6 * 3600}},
    {StepKind::kReopen, "kReopen", 2, {4}},
    {StepKind::kKill, "kKill", 2, {}},
    {StepKind::kLosePower, "kLosePower", 2, {kWorldSeries, kMinute, kSeed}},
    {StepKind::kBackup, "kBackup", 1, {}},
    {StepKind::kRestore, "kRestore", 1, {}},
    {StepKind::kRename, "kRename", 5, {3, 20, 20}},
    {StepKind::kCheck, "kCheck", 4, {}},
};
static_assert(std::size(kFacts) == kStepKinds);

}  // namespace

std::span<const StepKindFacts> AllStepKinds() {
  return kFacts;
}

const StepKindFacts& FactsOf(StepKind kind) {
  const StepKindFacts& facts = kFacts[static_cast<size_t>(kind)];
  HOURCELL_CHECK(facts.kind == kind);
  return facts;
}

std::string ToCode(const ModelStep& step) {
  size_t count = step.n.size();
  while (count > 0 && step.n[count - 1] == 0)
    --count;
  std::string numbers;
  for (size_t i = 0; i < count; ++i)
    numbers += fmt::format("{}{}", i == 0 ? "" : ", ", step.n[i]);
  return count == 0 ? fmt::format("{{StepKind::{}}}", FactsOf(step.kind).name)
                    : fmt::format("{{StepKind::{}, {{{}}}}}", FactsOf(step.kind).name, numbers);
}

}  // namespace hourcell
