// The values of the storage port: mutations of rows, ranges of rows, and views for reading.
// engine/table/table_store.h has the interfaces that take them.
//
// A table is a key space in unsigned byte order, one value a row. table_spec.h lists the tables.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/table/table_spec.h"

namespace hourcell {

struct Mutation {
  enum class Kind : uint8_t { kSet, kMerge, kDelete };
  TableId table = TableId::kData;
  Kind kind = Kind::kSet;
  std::string key;
  std::string value;
};

struct ScanRange {
  std::string begin;  // inclusive
  std::string end;    // exclusive; empty = no end
  // For a large read: the RowCursor leaves the cache unchanged.
  bool is_large = false;
};

// A place in a range of rows. Key and value are borrowed until the cursor moves. Thread-compatible.
class RowCursor {
 public:
  virtual ~RowCursor() = default;

  // To the first row at or after `key`.
  virtual void Seek(std::string_view key) = 0;
  // To the last row before `key`, or of the range.
  virtual void SeekBefore(std::string_view key) = 0;
  virtual void SeekToLast() = 0;
  // REQUIRES: valid().
  virtual void Next() = 0;

  // False at the end of the range, and after an error.
  virtual bool valid() const = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual absl::Status status() const = 0;
};

// Blocks of files that were looked at: in the cache, or read from a file.
struct BlockReads {
  uint64_t cached = 0;
  uint64_t read = 0;
};

// A frozen view of all tables. Reads through it see one moment. Thread-safe.
class TableView {
 public:
  virtual ~TableView() = default;

  virtual absl::StatusOr<std::optional<std::string>> Get(TableId table, std::string_view key) = 0;

  // As Get, in the memory of `*value`. False: the row is absent; `*value` then has any bytes.
  virtual absl::StatusOr<bool> GetInto(TableId table, std::string_view key, std::string* value) {
    absl::StatusOr<std::optional<std::string>> found = Get(table, key);
    if (!found.ok()) return found.status();
    if (!found->has_value()) return false;
    *value = **std::move(found);
    return true;
  }

  // values->at(i) belongs to keys[i]; nothing for an absent row. Keys in any order.
  virtual absl::Status GetMany(TableId table,
                               std::span<const std::string> keys,
                               std::vector<std::optional<std::string>>* values) = 0;

  // Rows in key order until the end or until `visit` returns false. The views live for the call.
  virtual absl::Status Scan(
      TableId table,
      const ScanRange& range,
      const std::function<bool(std::string_view key, std::string_view value)>& visit) = 0;

  // A cursor over a range, at no row yet. It must not outlive the view.
  virtual std::unique_ptr<RowCursor> NewCursor(TableId table, const ScanRange& range) = 0;

  // The rows as they are stored: engine/days/hours_view.h shows others.
  virtual TableView& stored() { return *this; }
  // True if there may be rows of days in the data table.
  virtual bool has_day_rows() const { return false; }

  // True if GetMany costs as much as GetInto for each of the keys.
  virtual bool gets_one_by_one() const { return false; }

  // By the calling thread since it began: of use is the difference of two.
  virtual BlockReads block_reads_of_thread() const { return {}; }
};

}  // namespace hourcell
