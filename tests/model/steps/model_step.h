// ModelStep: one call to a store, or one event, as a kind and a few small numbers. The meaning of
// the numbers is modular and depends on no result of an earlier step, so any list of steps can be
// run, and a list that shows a fault stays a list when steps are removed. As text it is C++, to be
// pasted into a test:
//
//   {StepKind::kPut, {3, 120, 1}}, {StepKind::kReopen},

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hourcell {

enum class StepKind : uint8_t {
  kPut,          // a batch: series, minute, points, spacing, form, values
  kPutBad,       // a batch with one point that is refused: fault, series, minute
  kQuery,        // seed of the query, plan
  kLast,         // the last points: seed
  kScan,         // rows: seed
  kSuggest,      // names of a kind that begin with a text: kind, text, most
  kUid,          // find, assign, grep and delete names: what, kind, name
  kLookup,       // series by their tags: seed
  kDelete,       // points that a query selects: seed, minute, minutes
  kAnnotate,     // write an annotation: series, minute, form
  kUnannotate,   // delete annotations: series, minute, minutes
  kAnnotations,  // read one, and all
  kAdvance,      // time goes by: seconds
  kSeal,
  kSealDue,
  kFlush,
  kLsmCompact,
  kDropCaches,
  kDropExpired,
  kSplit,      // a region: which, where
  kMerge,      // regions: the first, how many
  kSalt,       // another number of buckets: buckets, hour
  kTtl,        // of a metric, never a longer one: metric, seconds
  kReopen,     // closed and opened: 1 of 4: with the other format of cells
  kKill,       // kill -9, then an open
  kLosePower,  // a power loss after a put that was synced, then an open: series, minute, seed
  kBackup,
  kRestore,  // the newest backup takes the place of the store
  kRename,   // kind, name, new name
  kCheck,    // everything that is stored
};

// Numbers of series are below this; an annotation of a greater one is global.
inline constexpr uint32_t kWorldSeries = 24;

struct ModelStep {
  StepKind kind = StepKind::kCheck;
  std::array<uint32_t, 6> n = {};
  friend bool operator==(const ModelStep&, const ModelStep&) = default;
};

// The properties of a kind.
struct StepKindFacts {
  StepKind kind;
  std::string_view name;           // as in the enum
  uint32_t weight;                 // how often it is drawn, of all kinds' weights
  std::array<uint32_t, 6> bounds;  // each number is drawn below its bound; 0: unused
};
inline constexpr size_t kStepKinds = static_cast<size_t>(StepKind::kCheck) + 1;
// All, in the order of the enum.
std::span<const StepKindFacts> AllStepKinds();
const StepKindFacts& FactsOf(StepKind kind);

// As above, without the comma. Zeros at the end are left out.
std::string ToCode(const ModelStep& step);

}  // namespace hourcell
