// SeriesRef: a series as a put finds or makes it, filled in from the names of a point. Pure;
// thread-safe.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/point.h"
#include "codec/rows/layout.h"
#include "codec/rows/tsuid.h"
#include "codec/rows/uid.h"
#include "codec/text/point_error.h"
#include "engine/rows/series_key.h"

namespace hourcell {

// A series as a put finds or makes it.
struct SeriesRef {
  SeriesNumber number = 0;
  std::string tsuid;
  Uid metric = kNoUid;
  std::vector<TagUids> tags;  // tags[i] belongs to the point's tags[i]
  bool is_new = false;        // created for this point, the first one of the series
  friend bool operator==(const SeriesRef&, const SeriesRef&) = default;
};

// The error of a point's name, in OpenTSDB's wire format.
PointError NameError(const absl::Status& status, std::string_view where);

// The first fault of a point's names, whether they have UIDs or not: the metric's, then tag by tag,
// in the words of FillRef. `encoding` and `extra_chars` as NameFault.
std::optional<PointError> NamesFault(const PointView& point,
                                     NameEncoding encoding,
                                     std::string_view extra_chars);

// Fills in the UIDs that `ref` lacks, by `get(kind, name)`, which may give kNoUid, and the tsuid;
// an empty one if a name is without UID. Returns the fault of a name that `get` reports.
std::optional<PointError> FillRef(
    const Layout& layout,
    const PointView& point,
    const std::function<absl::StatusOr<Uid>(UidKind, std::string_view)>& get,
    SeriesRef* ref);

// New series come metric by metric with the same tags.
bool HaveSameTags(const PointView& a, const PointView& b);

}  // namespace hourcell
