#include "server/cli/data/scan/scan.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/status_macros.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/data/query_words.h"
#include "server/cli/data/scan/aggregate.h"
#include "server/cli/data/scan/aggregate_table.h"
#include "server/cli/data/scan/row_source.h"
#include "server/cli/data/scan/row_text.h"
#include "server/cli/local_store.h"
#include "server/cli/store_flags.h"
#include "server/cli/terminal.h"
#include "server/text/row_aggregate_json.h"

namespace hourcell {
namespace {

constexpr std::string_view kScanCommand = "scan";

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

absl::Status PrintRows(const VisitRows& rows, ScanFormat format, Terminal& terminal) {
  TextOutput output(terminal.out);
  absl::Status damage;  // the first; later rows are printed, too
  const absl::Status scanned = rows([&](const ScannedRow& row) {
    damage.Update(AppendRow(row, format, output.buffer()));
    return output.WriteIfLarge();
  });
  // Prints the rows before a failure, then reports the failure.
  const absl::Status written = output.Finish();
  HOURCELL_RETURN_IF_ERROR(scanned);
  HOURCELL_RETURN_IF_ERROR(damage);
  return written;
}

int PrintAggregates(const ScanSpec& rows, const ScanOptions& options, Terminal& terminal) {
  const absl::Status checked = ParseRowAggregates(options.aggregate).status();
  if (!checked.ok()) return FailUsage(terminal, kScanCommand, StatusText(checked));
  const absl::StatusOr<std::string> json =
      AggregateOf(rows, options.aggregate,
                  {.store = options.store, .url = options.url, .trust = options.trust});
  if (!json.ok()) return FailStore(terminal, kScanCommand, json.status());
  if (options.json) {
    PrintTo(terminal.out, "{}\n", *json);
    return kExitOk;
  }
  const absl::StatusOr<AggregateTables> tables = TablesOfAggregates(*json);
  if (!tables.ok()) return Fail(terminal, kScanCommand, tables.status());
  PrintText(terminal.out, tables->totals);
  PrintText(terminal.err, tables->regions);
  return kExitOk;
}

void AddAggregateOptions(CommandLine* line, ScanOptions* options) {
  RowAggregateTexts& texts = options->aggregate;
  line->AddOption("--aggregate", &texts.aggregate, "LIST",
                  "print totals: rows, points, min, max, sum, avg, dev, first, last, key_bytes, "
                  "cell_bytes, or all");
  line->AddRepeated("--by", &texts.by, "KEY", "with --aggregate: by metric, hour or tag:TAGK");
  line->AddRepeated("--value", &texts.values, "TEST",
                    "with --aggregate: only points with such a value, as >=5");
  line->AddOption("--groups", &texts.groups, "N",
                  "with --aggregate: fail at more groups (default: 1000)");
  line->AddFlag("--json", &options->json, "with --aggregate: print JSON");
}

}  // namespace

int RunScan(const ScanOptions& options, Terminal& terminal) {
  const absl::StatusOr<ScanSpec> spec = ParseScanWords(options.words, terminal.clock->NowMs());
  if (!spec.ok()) return FailUsage(terminal, kScanCommand, StatusText(spec.status()));
  if (options.json && options.aggregate.is_empty())
    return FailUsage(terminal, kScanCommand, "--json: expected it with --aggregate");
  if (!options.aggregate.is_empty()) return PrintAggregates(*spec, options, terminal);
  const absl::StatusOr<VisitRows> rows =
      OpenRows(*spec, {.store = options.store, .url = options.url, .trust = options.trust});
  if (!rows.ok()) return FailStore(terminal, kScanCommand, rows.status());

  const absl::Status printed = PrintRows(*rows, options.format, terminal);
  return printed.ok() ? kExitOk : Fail(terminal, kScanCommand, printed);
}

int ScanMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("scan",
                   "Prints stored rows in row-key order; without arguments, the whole store.");
  ScanOptions options;
  bool is_import = false;
  bool is_hex = false;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--import", &is_import, "print lines that hourcell import reads");
  line.AddFlag("--hex", &is_hex, "print key, qualifiers and values of each row in hex");
  line.Exclude("--hex", "--import");
  AddAggregateOptions(&line, &options);
  line.Exclude("--aggregate", "--import");
  line.Exclude("--aggregate", "--hex");
  line.AddWords("WORD", &options.words, "START [END] [metric [tagk=tagv ...]]");
  line.set_footer(
      "A row is a whole hour: every row that overlaps START..END is printed with all its\n"
      "points. The bytes are OpenTSDB's, in whichever format they are stored. Dates are in UTC.\n"
      "--aggregate counts only points from START to END. Times are in Unix milliseconds, hours in\n"
      "Unix seconds. The rows and the time of each region are printed on standard error.\n"
      "\nExamples:\n"
      "  hourcell scan --import > points.txt\n"
      "  hourcell scan 2013/01/01 2013/01/02 cpu.user host=web01\n"
      "  hourcell scan --hex 1d-ago | head\n"
      "  hourcell scan --aggregate rows,points,cell_bytes --by metric\n"
      "  hourcell scan --aggregate avg,max --by tag:host --value '>0' 1d-ago cpu.user\n"
      "  hourcell scan --url http://localhost:4242 --import 1d-ago cpu.user\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  if (is_import) options.format = ScanFormat::kImport;
  if (is_hex) options.format = ScanFormat::kHex;
  return RunScan(options, terminal);
}

}  // namespace hourcell
