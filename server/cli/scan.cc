#include "server/cli/scan.h"

#include <memory>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/status_macros.h"
#include "engine/tsdb.h"
#include "server/cli/query_words.h"
#include "server/cli/row_text.h"
#include "server/cli/store.h"
#include "server/cli/terminal.h"

namespace hourcell {
namespace {

constexpr std::string_view kCommand = "scan";

absl::Status AppendRow(const ScannedRow& row, ScanFormat format, std::string* out) {
  switch (format) {
    case ScanFormat::kRaw:
      return AppendRawLines(row, out);
    case ScanFormat::kImport:
      AppendImportLines(row, out);
      return absl::OkStatus();
    case ScanFormat::kHex:
      AppendHexLine(row, out);
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status PrintRows(Tsdb* tsdb, const ScanSpec& spec, ScanFormat format, Terminal& terminal) {
  TextOutput output(terminal.out);
  absl::Status damage;  // the first; what follows it is printed all the same
  const absl::Status scanned = tsdb->Scan(spec, [&](const ScannedRow& row) {
    damage.Update(AppendRow(row, format, output.buffer()));
    return output.WriteIfLarge();
  });
  // What was found before a failure is printed before the failure is told.
  const absl::Status written = output.Finish();
  HOURCELL_RETURN_IF_ERROR(scanned);
  HOURCELL_RETURN_IF_ERROR(damage);
  return written;
}

}  // namespace

int RunScan(const ScanOptions& options, Terminal& terminal) {
  const absl::StatusOr<ScanSpec> spec = ParseScanWords(options.words, terminal.clock->NowMs());
  if (!spec.ok()) return FailUsage(terminal, kCommand, StatusText(spec.status()));
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(options.store, StoreUse::kExisting);
  if (!tsdb.ok()) return FailStore(terminal, kCommand, tsdb.status());

  const absl::Status printed = PrintRows(tsdb->get(), *spec, options.format, terminal);
  return printed.ok() ? kExitOk : Fail(terminal, kCommand, printed);
}

}  // namespace hourcell
