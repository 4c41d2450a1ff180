#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "server/cli/data/scan/export_text.h"
#include "server/cli/data/scan/row_line.h"
#include "server/cli/data/scan/row_text.h"
#include "server/cli/names/mapping_line.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace hourcell;

// The steps of scan and export for a row.
void PrintRow(const ScannedRow& row) {
  HOURCELL_CHECK(row.times.size() == row.point_values.size());
  std::string text;
  AppendImportLines(row, &text);
  AppendHexLine(row, &text);
  // A row that was read is one whose bytes are points.
  HOURCELL_CHECK(AppendRawLines(row, &text).ok());
  for (const ExportFormat format : {ExportFormat::kOpenTsdb, ExportFormat::kVm}) {
    const std::unique_ptr<RowWriter> writer = MakeRowWriter(format, {}, {});
    HOURCELL_CHECK(writer->Append(row, &text).ok());
    HOURCELL_CHECK(writer->points() <= row.times.size());
  }
}

}  // namespace

// Any lines of a server's answers are rows and mappings, ends or faults, whatever came before them.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text = InputText(data, size);
  RowLine row;
  MappingLine mapping(UidKind::kMetric);
  const auto check = [](const absl::Status& status) {
    HOURCELL_CHECK(status.ok() || absl::IsDataLoss(status) || absl::IsUnavailable(status));
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const absl::StatusOr<RowLine::Kind> kind = row.Read(line);
    check(kind.status());
    if (kind.ok() && *kind == RowLine::Kind::kRow) PrintRow(row.row());
    check(mapping.Read(line).status());
  }
  return 0;
}
