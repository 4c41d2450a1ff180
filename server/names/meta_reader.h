// MetaReader: OpenTSDB's UIDMeta and TSMeta of a store, with names from its index and the fields
// that users set from its documents. No point has to be counted for it.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/names/meta_fields.h"
#include "server/text/series_text.h"

namespace hourcell {

class MetaReader {
 public:
  // Borrowed.
  explicit MetaReader(Tsdb* tsdb) : tsdb_(*tsdb) {}

  // kNotFound: no name has the UID, of these bytes. kInvalidArgument: a UID of another width.
  absl::StatusOr<UidMeta> OfUid(UidKind kind, std::string_view uid) const;
  absl::StatusOr<UidMeta> OfNamedUid(UidKind kind,
                                     std::string_view uid,
                                     std::string_view name) const;

  // Of a series, or of a tsuid (bytes) without one. kNotFound: one of the UIDs lacks a name.
  absl::StatusOr<SeriesMeta> OfTsuid(std::string_view tsuid) const;
  absl::StatusOr<SeriesMeta> OfSeries(const FoundSeries& series) const;

  // Whether the store has the series. kInvalidArgument: not a tsuid.
  absl::StatusOr<bool> HasSeries(std::string_view tsuid) const;
  // The time of its last point in seconds; 0 without one.
  absl::StatusOr<int64_t> LastPointS(std::string_view tsuid) const;

  // The tsuid of a metric with exactly these tags, whether there is such a series or not.
  // kNotFound: no UID for a name; kInvalidArgument: no metric, no tag, or a tag without one value.
  absl::StatusOr<std::string> TsuidOf(const SeriesText& series) const;

 private:
  absl::StatusOr<MetaFields> FieldsOf(const DocumentKey& key) const;
  absl::StatusOr<Uid> UidOf(UidKind kind, const std::string& name) const;

  Tsdb& tsdb_;
};

}  // namespace hourcell
