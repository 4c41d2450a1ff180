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

absl::Status HBaseCellDamage(const HBaseCell& cell, std::string_view fault) {
  return absl::DataLossError(fmt::format("HBase cell {} with {} bytes {}: {}",
                                         ToHex(cell.qualifier.substr(0, 32)), cell.value.size(),
                                         ToHex(cell.value.substr(0, 32)), fault));
}

// Takes a value of the width in `qualifier` off the front of `*values`.
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

absl::Status DecodePoint(const HBaseCell& cell, CellColumns* out) {
  absl::StatusOr<Qualifier> qualifier = ParseQualifier(cell.qualifier);
  if (!qualifier.ok()) return HBaseCellDamage(cell, std::string(qualifier.status().message()));
  std::string_view value = cell.value;
  if (!qualifier->is_ms && !value.empty() && value.size() <= kValueBytesMax) {
    // OpenTSDB repairs neither milliseconds nor compacted cells.
    HOURCELL_ASSIGN_OR_RETURN(const bool shorten, NeedsFloatRepair(qualifier->flags, value));
    if (shorten) value.remove_prefix(4);
    qualifier->flags = FixFlags(qualifier->flags, value.size());
  }
  const absl::StatusOr<Value> parsed = ParseValue(qualifier->flags, value);
  if (!parsed.ok()) return HBaseCellDamage(cell, std::string(parsed.status().message()));
  out->push_back(*qualifier, *parsed);
  return absl::OkStatus();
}

absl::Status DecodeCompacted(const HBaseCell& cell, CellColumns* out) {
  std::string_view qualifiers = cell.qualifier;
  std::string_view values = cell.value;
  while (!qualifiers.empty()) {
    const absl::StatusOr<Qualifier> qualifier = TakeQualifier(&qualifiers);
    if (!qualifier.ok()) return HBaseCellDamage(cell, std::string(qualifier.status().message()));
    const absl::StatusOr<Value> value = TakeValue(*qualifier, &values);
    if (!value.ok()) return HBaseCellDamage(cell, std::string(value.status().message()));
    out->push_back(*qualifier, *value);
  }
  if (values.size() != 1) {
    return HBaseCellDamage(
        cell,
        fmt::format("{} bytes after the last value; expected the meta byte alone", values.size()));
  }
  return absl::OkStatus();
}

absl::Status DecodeAppend(const HBaseCell& cell, CellColumns* out) {
  std::string_view rest = cell.value;
  while (!rest.empty()) {
    const size_t at = cell.value.size() - rest.size();
    const absl::StatusOr<Qualifier> qualifier = TakeQualifier(&rest);
    if (!qualifier.ok()) {
      return HBaseCellDamage(cell, fmt::format("append cell at {}: {}", at,
                                               std::string(qualifier.status().message())));
    }
    const absl::StatusOr<Value> value = TakeValue(*qualifier, &rest);
    if (!value.ok()) {
      return HBaseCellDamage(
          cell, fmt::format("append cell at {}: {}", at, std::string(value.status().message())));
    }
    out->push_back(*qualifier, *value);
  }
  return absl::OkStatus();
}

bool StrictlyAscends(const CellColumns& columns) {
  return std::adjacent_find(columns.offset_ms.begin(), columns.offset_ms.end(),
                            std::greater_equal<>()) == columns.offset_ms.end();
}

// One point of a merge, with its priority at its offset.
struct Candidate {
  Qualifier qualifier;
  Value value;
  int64_t write_time_ms = 0;
  size_t order = 0;  // as read: by cell, then as stored
};

// By offset, and at one offset the winner first.
bool WinsOver(const Candidate& a, const Candidate& b) {
  if (a.qualifier.offset_ms != b.qualifier.offset_ms) {
    return a.qualifier.offset_ms < b.qualifier.offset_ms;
  }
  if (a.write_time_ms != b.write_time_ms) return a.write_time_ms > b.write_time_ms;
  return a.order < b.order;
}

// OpenTSDB compares only the bytes of values: 4 in 4 bytes and 4 in 8 differ.
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

// Merges the candidates into `row`, counting the losers.
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

bool HoldsPoints(const HBaseCell& cell) {
  const HBaseCellKind kind = ClassifyHBaseCell(cell.qualifier);
  return kind == HBaseCellKind::kPoint || kind == HBaseCellKind::kCompacted ||
         kind == HBaseCellKind::kAppend;
}

// True if `row` is not, byte for byte, the one cell of `cells` that holds points.
bool WasRewritten(std::span<const HBaseCell> cells, const CompactedRow& row) {
  const auto first = std::find_if(cells.begin(), cells.end(), HoldsPoints);
  if (first == cells.end()) return false;
  return std::find_if(first + 1, cells.end(), HoldsPoints) != cells.end() ||
         first->qualifier != row.qualifier || first->value != row.value;
}

}  // namespace

HBaseCellKind ClassifyHBaseCell(std::string_view qualifier) {
  if (qualifier.empty()) return HBaseCellKind::kUnknown;
  if (qualifier.size() % 2 == 0) {
    const bool one_point =
        qualifier.size() == 2 || (qualifier.size() == 4 && IsMsQualifier(qualifier.front()));
    return one_point ? HBaseCellKind::kPoint : HBaseCellKind::kCompacted;
  }
  switch (qualifier.front()) {
    case '\x01':
      return HBaseCellKind::kAnnotation;
    case '\x05':
      return qualifier.size() == 3 ? HBaseCellKind::kAppend : HBaseCellKind::kUnknown;
    case '\x06':
      return HBaseCellKind::kHistogram;
    default:
      return HBaseCellKind::kUnknown;
  }
}

absl::Status DecodeHBaseCell(const HBaseCell& cell, CellColumns* out) {
  switch (ClassifyHBaseCell(cell.qualifier)) {
    case HBaseCellKind::kPoint:
      return DecodePoint(cell, out);
    case HBaseCellKind::kCompacted:
      return DecodeCompacted(cell, out);
    case HBaseCellKind::kAppend:
      return DecodeAppend(cell, out);
    case HBaseCellKind::kAnnotation:
    case HBaseCellKind::kHistogram:
    case HBaseCellKind::kUnknown:
      return absl::OkStatus();
  }
  HOURCELL_CHECK(false);
}

absl::StatusOr<CompactedRow> CompactRow(std::span<const HBaseCell> cells) {
  CompactedRow row;
  std::vector<Candidate> candidates;
  for (const HBaseCell& cell : cells) {
    const HBaseCellKind kind = ClassifyHBaseCell(cell.qualifier);
    if (kind == HBaseCellKind::kAnnotation) ++row.annotations;
    CellColumns points;
    HOURCELL_RETURN_IF_ERROR(DecodeHBaseCell(cell, &points));
    // In an append cell the last write is last; only that one takes part.
    if (kind == HBaseCellKind::kAppend) SortLastWins(&points);
    AddCandidates(points, cell.write_time_ms, &candidates);
  }
  MergeCandidates(std::move(candidates), &row);
  row.rewritten = WasRewritten(cells, row);
  return row;
}

void AppendToAppendCell(const Qualifier& qualifier, std::string_view value, std::string* cell) {
  HOURCELL_DCHECK(value.size() == qualifier.value_size());
  AppendQualifier(qualifier, cell);
  cell->append(value);
}

absl::StatusOr<AppendCellPoints> ParseAppendCell(std::string_view qualifier,
                                                 std::string_view value) {
  if (ClassifyHBaseCell(qualifier) != HBaseCellKind::kAppend) {
    return absl::InvalidArgumentError(
        fmt::format("qualifier {}: not of an append cell; expected 3 bytes, the first 05",
                    ToHex(qualifier.substr(0, 32))));
  }
  const HBaseCell cell{.qualifier = qualifier, .value = value};
  if (value.empty()) return HBaseCellDamage(cell, "append cell without a point");
  AppendCellPoints parsed;
  HOURCELL_RETURN_IF_ERROR(DecodeAppend(cell, &parsed.points));
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

}  // namespace hourcell
