#include "codec/cells/hbase_row.h"

#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr char kOpenTsdbFormat = static_cast<char>(CellFormat::kOpenTsdb);

bool IsOfPoints(HBaseCellKind kind) {
  return kind == HBaseCellKind::kPoint || kind == HBaseCellKind::kCompacted ||
         kind == HBaseCellKind::kAppend;
}

}  // namespace

HBaseRowContent ReadHBaseRow(std::span<const HBaseCell> columns) {
  HBaseRowContent content;
  std::vector<HBaseCell> good;
  CellColumns points;
  for (size_t i = 0; i < columns.size(); ++i) {
    const HBaseCellKind kind = ClassifyHBaseCell(columns[i].qualifier);
    if (!IsOfPoints(kind)) {
      (kind == HBaseCellKind::kAnnotation ? content.annotations : content.skipped).push_back(i);
      continue;
    }
    points.clear();
    const absl::Status decoded = DecodeHBaseCell(columns[i], &points);
    if (decoded.ok()) {
      good.push_back(columns[i]);
    } else {
      content.damaged.push_back({.index = i, .fault = std::string(MessageOf(decoded))});
    }
  }
  const absl::StatusOr<CompactedRow> row = CompactRow(good);
  HOURCELL_CHECK(row.ok());
  content.duplicates = row->duplicates_identical + row->duplicates_variant;
  if (!row->qualifier.empty()) {
    content.cell = kOpenTsdbFormat + row->qualifier + row->value;
  }
  return content;
}

}  // namespace hourcell
