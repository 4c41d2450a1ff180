// UidCheck: compares all forward and reverse mappings and the counters of a store, OpenTSDB's `uid
// fsck`; repairs on request. Run it only while no other process writes the store.
//
// It reads the mappings once in each direction and adds up their hashes. If the sums agree, it is
// done, in memory that does not depend on the number of mappings. Otherwise it reads those that
// differ once more, with some thousandth of the others, and holds them in memory. It misses
// differing mappings with equal sums of 64 bits, one in 2^64.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "uid/uid_store.h"

namespace hourcell {

struct UidFinding {
  std::string text;      // "metrics \"cpu\" -> 000001: no reverse mapping"
  bool is_error = true;  // else a warning
  bool repaired = false;
  // The reverse mapping of `uid` is the rest of an interrupted assignment: no name has the UID, and
  // its name has no UID or a good one. Harmless unless a series has the UID.
  bool is_wasted = false;
  UidKind kind = UidKind::kMetric;
  Uid uid = kNoUid;  // if `is_wasted`
};

// "error: metrics \"cpu\" -> 000001: no reverse mapping (repaired)"
std::string LineOf(const UidFinding& finding);

struct UidCheckReport {
  std::vector<UidFinding> findings;
  uint64_t mappings = 0;  // rows read, both directions
  uint64_t errors() const;
  uint64_t warnings() const;
};

// Findings and what `repair` does:
//   forward without reverse                          error    write the reverse (*)
//   forward name -> id, reverse id -> other,
//     other has no forward                           error    write the reverse (*)
//   the same, other has a forward                    2 errors write the reverse (*)
//   reverse without forward                          warning  delete the reverse (wasted)
//   reverse id -> name, name -> other id             error    delete the reverse (wasted, if
//                                                             other id -> name)
//   counter below the highest id found               error    raise the counter
//   counter does not decode                          error    set it to the highest id found
//   counter above the number of names                warning  nothing (ids were deleted)
//   counter of metrics is 0, ids are sparse          warning  nothing (random UIDs: not counted)
//
// (*) If one name maps to the id. Otherwise those names lose their forwards and one name
// fsck.<a>.<b>..., in name order, gets the id in both directions; where that name is taken or too
// long, one with the id in it.
//
// Findings describe the store before repairs, and are the same with and without repair. After a
// repair the next check does not find errors. Ids are sparse if the highest is more than twice the
// number of names: true for random UIDs of any real width, and for sequential ids after most were
// deleted. The latter is harmless, because an assignment never uses a number that has a reverse
// mapping.
//
// Errors are the store's own; kDataLoss for a row that does not decode.
// Repairs are one commit a kind.
absl::StatusOr<UidCheckReport> CheckUids(const Layout& layout, UidStore* store, bool repair);

}  // namespace hourcell
