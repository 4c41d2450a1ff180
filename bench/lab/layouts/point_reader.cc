#include "bench/lab/layouts/point_reader.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/cells/day_cell.h"
#include "engine/rows/key_range.h"

namespace hourcell::layouts {
namespace {

bool IsAscending(const CellColumns& columns) {
  return std::adjacent_find(columns.offset_ms.begin(), columns.offset_ms.end(),
                            std::greater_equal<>()) == columns.offset_ms.end();
}

// The key range of the cell of one point, for any type and width of its value.
ScanRange PointRange(const std::string& row, uint32_t offset_ms, bool is_ms) {
  ScanRange range{.begin = row, .end = row};
  AppendQualifier({.offset_ms = offset_ms, .is_ms = is_ms, .flags = 0}, &range.begin);
  AppendQualifier({.offset_ms = offset_ms, .is_ms = is_ms, .flags = kFlagsMask}, &range.end);
  range.end += '\0';  // after the last key
  return range;
}

// Removes all points except the one at `offset_ms`.
void KeepOnly(uint32_t offset_ms, CellColumns* columns) {
  CellColumns kept;
  for (size_t i = 0; i < columns->size(); ++i) {
    if (columns->offset_ms[i] == offset_ms)
      kept.push_back(columns->qualifier(i), columns->value(i));
  }
  *columns = std::move(kept);
}

}  // namespace

absl::Status PointReader::Read(const RowQuery& query, RowsRead* rows, ReadCost* cost) {
  query_ = &query;
  rows_ = rows;
  cost_ = {};
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<KeyAccess> accesses, keys_.Plan(query));
  std::vector<std::string> row_keys;
  for (const KeyAccess& access : accesses) {
    ++cost_.accesses;
    if (!access.is_row) {
      HOURCELL_RETURN_IF_ERROR(Scan({.begin = access.begin, .end = access.end}));
    } else if (form_.kind == CellKind::kPerPoint) {
      HOURCELL_RETURN_IF_ERROR(Scan(PrefixRange(access.begin)));
    } else {
      row_keys.push_back(access.begin);
    }
  }
  HOURCELL_RETURN_IF_ERROR(GetRows(row_keys));
  Finish(cost);
  return absl::OkStatus();
}

absl::Status PointReader::ReadPoint(const RowQuery& query,
                                    uint32_t offset_ms,
                                    RowsRead* rows,
                                    ReadCost* cost) {
  query_ = &query;
  rows_ = rows;
  cost_ = {};
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<KeyAccess> accesses, keys_.Plan(query));
  std::vector<std::string> row_keys;
  for (const KeyAccess& access : accesses) {
    ++cost_.accesses;
    HOURCELL_CHECK(access.is_row);  // the whole key is known
    if (form_.kind == CellKind::kPerPoint) {
      HOURCELL_RETURN_IF_ERROR(Scan(PointRange(access.begin, offset_ms, form_.is_ms)));
    } else {
      row_keys.push_back(access.begin);
    }
  }
  HOURCELL_RETURN_IF_ERROR(GetRows(row_keys));
  for (auto& [id, columns] : *rows)
    KeepOnly(offset_ms, &columns);
  Finish(cost);
  return absl::OkStatus();
}

absl::Status PointReader::GetRows(const std::vector<std::string>& keys) {
  if (keys.empty()) return absl::OkStatus();
  std::vector<std::optional<std::string>> values;
  HOURCELL_RETURN_IF_ERROR(view_.GetMany(TableId::kData, keys, &values));
  for (size_t i = 0; i < keys.size(); ++i) {
    if (values[i].has_value()) HOURCELL_RETURN_IF_ERROR(Take(keys[i], *values[i]));
  }
  return absl::OkStatus();
}

absl::Status PointReader::Scan(const ScanRange& range) {
  absl::Status taken;
  const absl::Status scanned =
      view_.Scan(TableId::kData, range, [&](std::string_view key, std::string_view value) {
        taken = Take(key, value);
        return taken.ok();
      });
  HOURCELL_RETURN_IF_ERROR(taken);
  return scanned;
}

absl::Status PointReader::Take(std::string_view key, std::string_view value) {
  ++cost_.rows;
  cost_.bytes += key.size() + value.size();
  const size_t qualifier_bytes = std::min(form_.qualifier_bytes(), key.size());
  HOURCELL_ASSIGN_OR_RETURN(const RowId row,
                            keys_.Decode(key.substr(0, key.size() - qualifier_bytes)));
  if (keys_.SpanOf(row) == kDaySpan) return TakeDay(row, value);
  if (!query_->Matches(row)) return absl::OkStatus();
  return ReadStored(form_, key, value, &(*rows_)[{row.tags, row.base_time_s}]);
}

// Takes the hours of the query from the row of a day, each decoded alone.
absl::Status PointReader::TakeDay(const RowId& row, std::string_view value) {
  RowId hour = row;
  for (uint32_t i = 0; i < kDaySpan.seconds / kHourSpan.seconds; ++i) {
    hour.base_time_s = row.base_time_s + i * kHourSpan.seconds;
    if (!query_->Matches(hour)) continue;
    CellColumns columns;
    HOURCELL_RETURN_IF_ERROR(DecodeHourOfDay(value, i, &columns));
    if (columns.size() == 0) continue;
    CellColumns& read = (*rows_)[{hour.tags, hour.base_time_s}];
    for (size_t p = 0; p < columns.size(); ++p)
      read.push_back(columns.qualifier(p), columns.value(p));
  }
  return absl::OkStatus();
}

void PointReader::Finish(ReadCost* cost) {
  for (auto& [id, columns] : *rows_) {
    // Parts of a row from several buckets.
    if (!IsAscending(columns)) SortLastWins(&columns);
    cost_.points += columns.size();
  }
  cost->accesses += cost_.accesses;
  cost->rows += cost_.rows;
  cost->bytes += cost_.bytes;
  cost->points += cost_.points;
}

}  // namespace hourcell::layouts
