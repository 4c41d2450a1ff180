// OpenTsdbTables: the tables of an OpenTSDB beside those of a store: its data table and its table
// of names, as rows of columns (codec/cells/hbase_row.h says what those of the data table mean).
// engine/bigtable has the one implementation that ships.
//
//   tsdb       family t     row key | qualifier | points, annotation, histogram
//   tsdb-uid   family id    name    | metrics, tagk or tagv | UID
//                           \0      | the same            | the highest UID given out, 8 bytes
//              family name  UID     | the same            | name
//
// Names are ISO 8859-1; integers are big-endian. Only the newest version of a column is seen.
// Thread-safe. Errors: kNotFound (no such table), kUnavailable (try again), and those of the
// service.

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
  bool is_complete = false;            // there is none
};

// What a write does with a row, as a whole: first `removed` goes, then `set` is written.
struct OpenTsdbRowWrite {
  std::string key = {};
  std::vector<OpenTsdbColumn> removed = {};  // by family and qualifier
  std::vector<OpenTsdbColumn> set = {};
};

// How far a store is with taking over the rows of a data table that it shares.
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

  // "project/instance/tsdb": as messages name it.
  virtual std::string name() const = 0;

  // Some rows from `begin` on; at least one, unless there is none.
  virtual absl::StatusOr<OpenTsdbPage> Read(OpenTsdbTable table, const std::string& begin) = 0;

  // The rows of keys, which ascend, no two alike; those that there are.
  virtual absl::StatusOr<std::vector<OpenTsdbRow>> ReadKeys(OpenTsdbTable table,
                                                            std::vector<std::string> keys) = 0;

  // Writes rows, in any order. May be repeated. On an error some may be written.
  virtual absl::Status Write(OpenTsdbTable table, const std::vector<OpenTsdbRowWrite>& rows) = 0;

  // Makes the tables and families that are not there.
  virtual absl::Status CreateMissing() = 0;

  // Of the store that shares the data table. REQUIRES: it was opened once.
  virtual absl::StatusOr<AdoptionMark> ReadMark() = 0;
  virtual absl::Status WriteMark(const AdoptionMark& mark) = 0;
};

}  // namespace hourcell
