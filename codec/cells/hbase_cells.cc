#include "codec/cells/hbase_cells.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "codec/value.h"
#include "codec/value_bits.h"

namespace hourcell {
namespace {

absl::Status ColumnDamage(const Column& column, std::string_view fault) {
  return absl::DataLossError(fmt::format("column {} with {} bytes {}: {}",
                                         ToHex(column.qualifier.substr(0, 32)), column.value.size(),
                                         ToHex(column.value.substr(0, 32)), fault));
}

// Takes a value of the width that `qualifier` says off the front of `*values`.
absl::StatusOr<Value> TakeValue(const Qualifier& qualifier, std::string_view* values) {
  const std::string_view bytes = values->substr(0, qualifier.value_size());
  HOURCELL_ASSIGN_OR_RETURN(const Value value, ParseValue(qualifier.flags, bytes));
  values->remove_prefix(bytes.size());
  return value;
}

// Takes a qualifier off the front of `*qualifiers`.
absl::StatusOr<Qualifier> TakeQualifier(std::string_view* qualifiers) {
  HOURCELL_ASSIGN_OR_RETURN(const Qualifier qualifier, ParseQualifier(*qualifiers));
  qualifiers->remove_prefix(qualifier.encoded_size());
  return qualifier;
}

absl::Status DecodePoint(const Column& column, CellColumns* out) {
  absl::StatusOr<Qualifier> qualifier = ParseQualifier(column.qualifier);
  if (!qualifier.ok()) return ColumnDamage(column, std::string(qualifier.status().message()));
  std::string_view value = column.value;
  if (!qualifier->is_ms && !value.empty() && value.size() <= kValueBytesMax) {
    // OpenTSDB repairs neither milliseconds nor compacted columns.
    HOURCELL_ASSIGN_OR_RETURN(const bool shorten, NeedsFloatRepair(qualifier->flags, value));
    if (shorten) value.remove_prefix(4);
    qualifier->flags = FixFlags(qualifier->flags, value.size());
  }
  const absl::StatusOr<Value> parsed = ParseValue(qualifier->flags, value);
  if (!parsed.ok()) return ColumnDamage(column, std::string(parsed.status().message()));
  out->push_back(*qualifier, *parsed);
  return absl::OkStatus();
}

absl::Status DecodeCompacted(const Column& column, CellColumns* out) {
  std::string_view qualifiers = column.qualifier;
  std::string_view values = column.value;
  while (!qualifiers.empty()) {
    const absl::StatusOr<Qualifier> qualifier = TakeQualifier(&qualifiers);
    if (!qualifier.ok()) return ColumnDamage(column, std::string(qualifier.status().message()));
    const absl::StatusOr<Value> value = TakeValue(*qualifier, &values);
    if (!value.ok()) return ColumnDamage(column, std::string(value.status().message()));
    out->push_back(*qualifier, *value);
  }
  if (values.size() != 1) {
    return ColumnDamage(
        column,
        fmt::format("{} bytes after the last value; want the meta byte alone", values.size()));
  }
  return absl::OkStatus();
}

absl::Status DecodeAppend(const Column& column, CellColumns* out) {
  std::string_view rest = column.value;
  while (!rest.empty()) {
    const size_t at = column.value.size() - rest.size();
    const absl::StatusOr<Qualifier> qualifier = TakeQualifier(&rest);
    if (!qualifier.ok()) {
      return ColumnDamage(column, fmt::format("append cell at {}: {}", at,
                                              std::string(qualifier.status().message())));
    }
    const absl::StatusOr<Value> value = TakeValue(*qualifier, &rest);
    if (!value.ok()) {
      return ColumnDamage(
          column, fmt::format("append cell at {}: {}", at, std::string(value.status().message())));
    }
    out->push_back(*qualifier, *value);
  }
  return absl::OkStatus();
}

bool StrictlyAscends(const CellColumns& columns) {
  return std::adjacent_find(columns.offset_ms.begin(), columns.offset_ms.end(),
                            std::greater_equal<>()) == columns.offset_ms.end();
}

// One point of a merge and its claim to its offset.
struct Candidate {
  Qualifier qualifier;
  Value value;
  int64_t write_time_ms = 0;
  size_t order = 0;  // as read: by column, then as stored
};

// By offset, and of one offset the winner first.
bool WinsOver(const Candidate& a, const Candidate& b) {
  if (a.qualifier.offset_ms != b.qualifier.offset_ms) {
    return a.qualifier.offset_ms < b.qualifier.offset_ms;
  }
  if (a.write_time_ms != b.write_time_ms) return a.write_time_ms > b.write_time_ms;
  return a.order < b.order;
}

// OpenTSDB compares the bytes of values and nothing else: 4 in 4 bytes and 4 in 8 differ.
bool SameValueBytes(const Candidate& a, const Candidate& b) {
  char bytes_a[kValueBytesMax];
  char bytes_b[kValueBytesMax];
  const size_t size_a = StoreValue(a.value, a.qualifier.flags, bytes_a);
  const size_t size_b = StoreValue(b.value, b.qualifier.flags, bytes_b);
  return std::string_view(bytes_a, size_a) == std::string_view(bytes_b, size_b);
}

void AddCandidates(const CellColumns& points,
                   int64_t write_time_ms,
                   std::vector<Candidate>* candidates) {
  for (size_t i = 0; i < points.size(); ++i) {
    candidates->push_back({.qualifier = points.qualifier(i),
                           .value = points.value(i),
                           .write_time_ms = write_time_ms,
                           .order = candidates->size()});
  }
}

// Merges the candidates into `row`, counting what lost.
void MergeCandidates(std::vector<Candidate> candidates, CompactedRow* row) {
  std::sort(candidates.begin(), candidates.end(), WinsOver);
  CellColumns merged;
  const Candidate* last = nullptr;
  for (const Candidate& candidate : candidates) {
    if (last == nullptr || candidate.qualifier.offset_ms != last->qualifier.offset_ms) {
      merged.push_back(candidate.qualifier, candidate.value);
      last = &candidate;
    } else if (SameValueBytes(candidate, *last)) {
      ++row->duplicates_identical;
    } else {
      ++row->duplicates_variant;
    }
  }
  if (merged.size() == 0) return;
  std::string cell;
  AppendCell(merged, &cell);
  absl::StatusOr<OpenTsdbCell> stored = ToOpenTsdb(cell);
  HOURCELL_CHECK(stored.ok());
  row->qualifier = std::move(stored->qualifiers);
  row->value = std::move(stored->values);
}

bool HoldsPoints(const Column& column) {
  const ColumnKind kind = ClassifyColumn(column.qualifier);
  return kind == ColumnKind::kPoint || kind == ColumnKind::kCompacted ||
         kind == ColumnKind::kAppend;
}

// True if `row` is not, byte for byte, the one column of `columns` that holds points.
bool WasRewritten(std::span<const Column> columns, const CompactedRow& row) {
  const auto first = std::find_if(columns.begin(), columns.end(), HoldsPoints);
  if (first == columns.end()) return false;
  return std::find_if(first + 1, columns.end(), HoldsPoints) != columns.end() ||
         first->qualifier != row.qualifier || first->value != row.value;
}

}  // namespace

ColumnKind ClassifyColumn(std::string_view qualifier) {
  if (qualifier.empty()) return ColumnKind::kUnknown;
  if (qualifier.size() % 2 == 0) {
    const bool one_point =
        qualifier.size() == 2 || (qualifier.size() == 4 && IsMsQualifier(qualifier.front()));
    return one_point ? ColumnKind::kPoint : ColumnKind::kCompacted;
  }
  switch (qualifier.front()) {
    case '\x01':
      return ColumnKind::kAnnotation;
    case '\x05':
      return qualifier.size() == 3 ? ColumnKind::kAppend : ColumnKind::kUnknown;
    case '\x06':
      return ColumnKind::kHistogram;
    default:
      return ColumnKind::kUnknown;
  }
}

absl::Status DecodeColumn(const Column& column, CellColumns* out) {
  switch (ClassifyColumn(column.qualifier)) {
    case ColumnKind::kPoint:
      return DecodePoint(column, out);
    case ColumnKind::kCompacted:
      return DecodeCompacted(column, out);
    case ColumnKind::kAppend:
      return DecodeAppend(column, out);
    case ColumnKind::kAnnotation:
    case ColumnKind::kHistogram:
    case ColumnKind::kUnknown:
      return absl::OkStatus();
  }
  HOURCELL_CHECK(false);
}

absl::StatusOr<CompactedRow> CompactRow(std::span<const Column> columns) {
  CompactedRow row;
  std::vector<Candidate> candidates;
  for (const Column& column : columns) {
    const ColumnKind kind = ClassifyColumn(column.qualifier);
    if (kind == ColumnKind::kAnnotation) ++row.annotations;
    CellColumns points;
    HOURCELL_RETURN_IF_ERROR(DecodeColumn(column, &points));
    // In an append cell the last write stands last; only that one takes part.
    if (kind == ColumnKind::kAppend) SortLastWins(&points);
    AddCandidates(points, column.write_time_ms, &candidates);
  }
  MergeCandidates(std::move(candidates), &row);
  row.rewritten = WasRewritten(columns, row);
  return row;
}

void AppendToAppendCell(const Qualifier& qualifier, std::string_view value, std::string* cell) {
  HOURCELL_DCHECK(value.size() == qualifier.value_size());
  AppendQualifier(qualifier, cell);
  cell->append(value);
}

absl::StatusOr<AppendCellPoints> ParseAppendCell(std::string_view qualifier,
                                                 std::string_view value) {
  if (ClassifyColumn(qualifier) != ColumnKind::kAppend) {
    return absl::InvalidArgumentError(
        fmt::format("qualifier {}: not of an append cell; want 3 bytes, the first 05",
                    ToHex(qualifier.substr(0, 32))));
  }
  const Column column{.qualifier = qualifier, .value = value};
  if (value.empty()) return ColumnDamage(column, "append cell without a point");
  AppendCellPoints parsed;
  HOURCELL_RETURN_IF_ERROR(DecodeAppend(column, &parsed.points));
  parsed.needs_repair = !StrictlyAscends(parsed.points);
  SortLastWins(&parsed.points);
  return parsed;
}

std::string EncodeAppendCell(const CellColumns& points) {
  std::string cell;
  for (size_t i = 0; i < points.size(); ++i) {
    AppendQualifier(points.qualifier(i), &cell);
    AppendValue(points.value(i), points.flags[i] & kFlagsMask, &cell);
  }
  return cell;
}

absl::StatusOr<CompactedRow> MergeRowParts(std::span<const Column> parts) {
  CompactedRow row;
  std::vector<Candidate> candidates;
  char meta = 0;
  for (const Column& part : parts) {
    CellColumns points;
    HOURCELL_RETURN_IF_ERROR(DecodeColumn(part, &points));
    AddCandidates(points, /*write_time_ms=*/0, &candidates);
    if (ClassifyColumn(part.qualifier) == ColumnKind::kCompacted) {
      meta = static_cast<char>(meta | part.value.back());
    }
  }
  MergeCandidates(std::move(candidates), &row);
  const bool is_compacted = ClassifyColumn(row.qualifier) == ColumnKind::kCompacted;
  if (is_compacted) row.value.back() = meta;
  row.rewritten = WasRewritten(parts, row);
  return row;
}

}  // namespace hourcell
