// Tsdb: the embeddable time-series store. Open it on a directory, put points, query them.
//
//   hourcell::Options options;
//   options.path = "/var/lib/hourcell";
//   auto tsdb = hourcell::Tsdb::Open(options);
//   const hourcell::TagView tags[] = {{"host", "web01"}};
//   (*tsdb)->points().Put({.metric = "cpu.user", .tags = tags,
//                          .timestamp = {.ms = 1356998400000},
//                          .value = hourcell::Value::Integer(42)});
//
// The functions are in six facets, each with its header:
//
//   points()       writes and deletes points               engine/points.h
//   queries()      reads points, series and rows           engine/queries.h
//   names()        metrics, tags and their UIDs            engine/names.h
//   annotations()  notes of series and global notes        engine/annotations.h
//   retention()    TTLs                                    engine/retention.h
//   maintenance()  seals, flushes, backups, checks, health engine/maintenance.h
//
// One process has a store open at a time. Thread-safe, but for Close.

#pragma once

#include <memory>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/annotations.h"
#include "engine/maintenance.h"
#include "engine/names.h"
#include "engine/options.h"
#include "engine/points.h"
#include "engine/queries.h"
#include "engine/retention.h"
#include "engine/saved_views.h"
#include "engine/stats.h"
#include "engine/store_observer.h"

namespace hourcell {

class StoreImpl;

class Tsdb {
 public:
  // Opens or creates the store of options.path.
  //
  // Errors:
  //   kInvalidArgument     options.Validate() fails
  //   kNotFound            no store there and create_if_missing is false
  //   kFailedPrecondition  the store has another layout (each difference is named), or is newer
  //   kUnavailable         another process has it open (it is named)
  //   kDataLoss            stored bytes are damaged
  static absl::StatusOr<std::unique_ptr<Tsdb>> Open(const Options& options);

  explicit Tsdb(std::unique_ptr<StoreImpl> impl);  // for Open
  ~Tsdb();
  Tsdb(const Tsdb&) = delete;
  Tsdb& operator=(const Tsdb&) = delete;

  Points& points() { return points_; }
  Queries& queries() { return queries_; }
  Names& names() { return names_; }
  Annotations& annotations() { return annotations_; }
  SavedViews& saved_views() { return saved_views_; }
  RetentionAdmin& retention() { return retention_; }
  Maintenance& maintenance() { return maintenance_; }

  // The registry this store counts into. Others may add to it.
  Stats& stats();

  const Layout& layout() const;

  // Flushes and closes. Further calls fail with kFailedPrecondition. The destructor closes too, but
  // cannot report.
  absl::Status Close();

 private:
  const std::unique_ptr<StoreImpl> impl_;
  Points points_;
  Queries queries_;
  Names names_;
  Annotations annotations_;
  SavedViews saved_views_;
  RetentionAdmin retention_;
  Maintenance maintenance_;
};

}  // namespace hourcell
