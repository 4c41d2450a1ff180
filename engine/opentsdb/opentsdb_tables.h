// OpenTsdbTables: the tables of an OpenTSDB in the storage of a store: its data table and its table
// of names, as rows of columns (codec/cells/hbase_row.h describes the columns of the data table).
// engine/bigtable has the only implementation outside of tests.
//
//   tsdb       family t     row key | qualifier | points, annotation, histogram
//   tsdb-uid   family id    name    | metrics, tagk or tagv | UID
//                           \0      | the same            | the highest UID given out, 8 bytes
//              family name  UID     | the same            | name
//
// Names are ISO 8859-1; integers are big-endian. Only the newest version of a column is read.
// Thread-safe. Errors: kNotFound (no such table), kUnavailable (retry), and those of the service.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

enum class OpenTsdbTable : uint8_t { kData, kUid };

inline constexpr std::string_view kOpenTsdbDataFamily = "t";
inline constexpr std::string_view kOpenTsdbIdFamily = "id";
inline constexpr std::string_view kOpenTsdbNameFamily = "name";
inline constexpr std::string_view kOpenTsdbCounterRow("\0", 1);

struct OpenTsdbColumn {
  std::string family = {};
  std::string qualifier = {};
  std::string value = {};
  int64_t write_time_ms = 0;  // of a write: not looked at
};

struct OpenTsdbRow {
  std::string key = {};
  std::vector<OpenTsdbColumn> columns = {};  // by family and qualifier, no two alike
};

struct OpenTsdbPage {
  std::vector<OpenTsdbRow> rows = {};  // ascending by key
  std::string next = {};               // where the next page begins
  bool is_complete = false;            // this is the last page
};

// A write of one row, applied as a whole: first deletes `removed`, then writes `set`.
struct OpenTsdbRowWrite {
  std::string key = {};
  std::vector<OpenTsdbColumn> removed = {};  // by family and qualifier
  std::vector<OpenTsdbColumn> set = {};
};

// The progress of a store that adopts the rows of a shared data table.
struct AdoptionMark {
  bool is_done = false;
  std::string next = {};  // rows before it are taken over
  uint64_t rows = 0;      // with points, so far
  uint64_t points = 0;
  friend bool operator==(const AdoptionMark&, const AdoptionMark&) = default;
};

class OpenTsdbTables {
 public:
  virtual ~OpenTsdbTables() = default;

  // "project/instance/tsdb": the name in messages.
  virtual std::string name() const = 0;

  // Some rows from `begin` on; at least one, unless the table ends.
  virtual absl::StatusOr<OpenTsdbPage> Read(OpenTsdbTable table, const std::string& begin) = 0;

  // The existing rows of these keys, which ascend without repeats.
  virtual absl::StatusOr<std::vector<OpenTsdbRow>> ReadKeys(OpenTsdbTable table,
                                                            std::vector<std::string> keys) = 0;

  // Writes rows, in any order. May be repeated. On an error some may be written.
  virtual absl::Status Write(OpenTsdbTable table, const std::vector<OpenTsdbRowWrite>& rows) = 0;

  // Creates missing tables and families.
  virtual absl::Status CreateMissing() = 0;

  // The mark of the store that shares the data table. REQUIRES: it was opened once.
  virtual absl::StatusOr<AdoptionMark> ReadMark() = 0;
  virtual absl::Status WriteMark(const AdoptionMark& mark) = 0;
};

}  // namespace hourcell
