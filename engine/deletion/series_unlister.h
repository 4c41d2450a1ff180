// SeriesUnlister: takes series out of lists if deletes hide all their points, and shows them again
// after an undo (engine/hidden/unlisted_series.h). After a put, ActiveSets shows its series.
//
// A series stays in lists if it has an open hour, a point that no delete hides (hidden_finder.h),
// an annotation or a histogram; such a series is not dropped, either. It also stays if its points
// are not known: without whole active sets, and after damage. Thread-safe.

#pragma once

#include <map>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/mutex.h"
#include "codec/rows/row_key.h"
#include "codec/rows/uid.h"
#include "engine/hours/open_hours.h"
#include "engine/rows/series_key.h"
#include "engine/series/active_sets.h"
#include "engine/series/series_table.h"
#include "engine/table/tables.h"

namespace hourcell {

class SeriesUnlister {
 public:
  // Borrowed; they outlive the object.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    Tables* tables = nullptr;  // without the hidden points
    SeriesTable* series = nullptr;
    OpenHours* open_hours = nullptr;
    ActiveSets* active = nullptr;  // null: no point is put meanwhile
    bool has_active_sets = false;  // ReadActiveSetsAreKept
  };
  explicit SeriesUnlister(const Parts& parts) : parts_(parts) {}

  // By metric; ascending, each once.
  using Series = std::map<Uid, std::vector<SeriesNumber>>;

  // Takes those of the series out of lists that deletes hide completely. Errors are storage's: then
  // all of the series stay in lists.
  absl::Status Unlist(Series series);

  // The same for the series of all records that hide points. For a store that is being opened.
  absl::Status UnlistAll();

  // Lists show the series of an undone delete again, unless other deletes hide all their points.
  absl::Status ListAgain(const Series& series);

 private:
  void RemoveOpen(Series* series) const;
  absl::Status LeaveAnnounced(Series series);

  const Parts parts_;
  Mutex mutex_;  // one Unlist at a time: it has the announced series
};

}  // namespace hourcell
