// The common parts of the tests of backups: stores with points, and their contents.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "engine/backup_set.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell {

inline constexpr int64_t kBackupHour = 1356998400;

inline std::unique_ptr<Tsdb> OpenTiny(const Options& options) {
  absl::StatusOr<std::unique_ptr<Tsdb>> opened = Tsdb::Open(options);
  if (!opened.ok()) ADD_FAILURE() << opened.status().ToString();
  HOURCELL_CHECK(opened.ok());
  return *std::move(opened);
}

// Points first to first + count, a minute apart, of ten series.
inline void PutPoints(Tsdb* tsdb, int first, int count) {
  for (int i = first; i < first + count; ++i) {
    OwnedPoint point("m", fmt::format("host=h{}", i % 10), kBackupHour + 60 * i, i);
    ASSERT_OK(tsdb->points().Put(point.view()));
  }
}

// A point each of enough series that their index rows are written when they are sealed.
inline void PutManySeries(Tsdb* tsdb) {
  constexpr int kSeries = 128;
  for (int i = 0; i < kSeries; ++i) {
    OwnedPoint point("many", fmt::format("id=i{}", i), kBackupHour, i);
    ASSERT_OK(tsdb->points().Put(point.view()));
  }
  ASSERT_OK(tsdb->maintenance().Seal());
}

// Every row of a store: names, key, qualifiers and values.
inline std::string Dump(Tsdb* tsdb) {
  std::string text;
  EXPECT_OK(tsdb->queries().Scan({}, [&](const ScannedRow& row) {
    text += fmt::format("{} {} ", ToHex(row.key), row.metric);
    for (const TagView& tag : row.tags)
      text += fmt::format("{}={} ", tag.key, tag.value);
    text += fmt::format("{} {}\n", ToHex(row.qualifiers), ToHex(row.values));
    return true;
  }));
  return text;
}

// Restores a backup as a separate store, and opens it while the original is open.
inline std::unique_ptr<Tsdb> OpenRestored(const std::string& backups,
                                          uint64_t id,
                                          const std::string& target) {
  const auto set = BackupSet::Open(backups, BackupSet::Use::kRead);
  EXPECT_OK(set);
  const auto manifest = (*set)->Read(id);
  EXPECT_OK(manifest);
  EXPECT_OK(RestoreBackup(**set, *manifest, target));
  Options options = TinyOptions(target);
  options.create_if_missing = false;
  options.check_layout = false;
  return OpenTiny(options);
}

}  // namespace hourcell
