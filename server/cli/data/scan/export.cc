#include "server/cli/data/scan/export.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/data/query_words.h"
#include "server/cli/data/scan/row_source.h"
#include "server/cli/store_flags.h"

namespace hourcell {
namespace {

constexpr std::string_view kExportCommand = "export";

absl::StatusOr<std::vector<CsvField>> FieldsOf(const ExportOptions& options) {
  if (options.format != ExportFormat::kCsv) {
    if (options.csv_columns.empty() && !options.csv_header) return std::vector<CsvField>();
    return absl::InvalidArgumentError("--csv-columns and --csv-header need --format csv");
  }
  if (options.csv_columns.empty()) {
    return absl::InvalidArgumentError("--format csv needs --csv-columns");
  }
  absl::StatusOr<std::vector<CsvField>> fields = ParseCsvFields(options.csv_columns);
  if (!fields.ok()) {
    return absl::InvalidArgumentError(fmt::format("--csv-columns: {}", MessageOf(fields.status())));
  }
  if (std::ranges::count(*fields, CsvField::Kind::kMetric, &CsvField::kind) != 1) {
    return absl::InvalidArgumentError("--csv-columns: expected the fields metric and value");
  }
  return fields;
}

struct Exported {
  uint64_t points = 0;
  uint64_t histograms = 0;
};

// Writes the lines of histograms; returns their number.
absl::StatusOr<uint64_t> WriteHistograms(const VisitHistogramLines& histograms,
                                         TextOutput* output) {
  uint64_t count = 0;
  HOURCELL_RETURN_IF_ERROR(histograms([&](std::string_view line) {
    output->buffer()->append(line).push_back('\n');
    ++count;
    return output->WriteIfLarge();
  }));
  return count;
}

absl::StatusOr<Exported> WriteAll(const RowSource& source,
                                  const ScanSpec& spec,
                                  const ExportOptions& options,
                                  std::vector<CsvField> fields,
                                  Terminal& terminal) {
  const std::unique_ptr<RowWriter> writer = MakeRowWriter(
      options.format, {.start_ms = spec.start_ms, .end_ms = spec.end_ms}, std::move(fields));
  TextOutput output(terminal.out);
  if (options.csv_header) output.buffer()->append(options.csv_columns).append("\n");
  absl::Status fault;
  const absl::Status scanned = source.rows([&](const ScannedRow& row) {
    fault = writer->Append(row, output.buffer());
    return fault.ok() && output.WriteIfLarge();
  });
  absl::StatusOr<uint64_t> histograms = 0;
  // The other formats cannot express histograms.
  if (scanned.ok() && fault.ok() && options.format == ExportFormat::kOpenTsdb) {
    histograms = WriteHistograms(source.histograms, &output);
  }
  // Writes the rows before a failure, then reports the failure.
  const absl::Status written = output.Finish();
  HOURCELL_RETURN_IF_ERROR(scanned);
  HOURCELL_RETURN_IF_ERROR(fault);
  HOURCELL_RETURN_IF_ERROR(histograms.status());
  HOURCELL_RETURN_IF_ERROR(written);
  return Exported{.points = writer->points(), .histograms = *histograms};
}

absl::Status TakeExportFormat(const std::string& name, ExportFormat* format) {
  for (const auto& [known, value] :
       {std::pair<std::string_view, ExportFormat>("opentsdb", ExportFormat::kOpenTsdb),
        std::pair<std::string_view, ExportFormat>("vm", ExportFormat::kVm),
        std::pair<std::string_view, ExportFormat>("csv", ExportFormat::kCsv)}) {
    if (name != known) continue;
    *format = value;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("--format: expected opentsdb, vm or csv, got {}", QuoteForMessage(name)));
}

}  // namespace

int RunExport(const ExportOptions& options, Terminal& terminal) {
  const absl::StatusOr<ScanSpec> spec = ParseScanWords(options.words, terminal.clock->NowMs());
  if (!spec.ok()) return FailUsage(terminal, kExportCommand, StatusText(spec.status()));
  absl::StatusOr<std::vector<CsvField>> fields = FieldsOf(options);
  if (!fields.ok()) return FailUsage(terminal, kExportCommand, StatusText(fields.status()));
  const absl::StatusOr<RowSource> source =
      OpenRowSource(*spec, {.store = options.store, .url = options.url, .trust = options.trust});
  if (!source.ok()) return FailStore(terminal, kExportCommand, source.status());

  const absl::StatusOr<Exported> exported =
      WriteAll(*source, *spec, options, *std::move(fields), terminal);
  if (!exported.ok()) return Fail(terminal, kExportCommand, exported.status());
  PrintTo(terminal.err, "exported {}{}\n", Counted(exported->points, "point"),
          exported->histograms == 0
              ? ""
              : fmt::format(" and {}", Counted(exported->histograms, "histogram")));
  return kExitOk;
}

int ExportMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("export", "Prints the points of a store as lines that other programs read.");
  ExportOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddTaken(
      "--format", [&](const std::string& name) { return TakeExportFormat(name, &options.format); },
      "{opentsdb,vm,csv}", "format of the lines (default: opentsdb)");
  line.AddOption("--csv-columns", &options.csv_columns, "LIST",
                 "fields of CSV: time, metric, value, tag:KEY, - (empty)");
  line.AddFlag("--csv-header", &options.csv_header, "print the fields as the first line");
  line.AddWords("WORD", &options.words, "START [END] [metric [tagk=tagv ...]]");
  line.set_footer(
      "Formats:\n"
      "  opentsdb  metric timestamp value tagk=tagv ..., for hourcell import and tsdb import;\n"
      "            then histograms, for hourcell import alone: histogram metric timestamp ID\n"
      "            BASE64 tagk=tagv ...\n"
      "  vm        JSON lines for VictoriaMetrics' /api/v1/import, an hour of a series each\n"
      "  csv       the fields of --csv-columns; a tag without a field is an error\n"
      "Only points in START..END are printed, both included; without words, the whole store.\n"
      "hourcell import reads each format with the same options. The numbers of points\n"
      "and histograms are printed on standard error, to be compared with those of the import.\n"
      "\nExamples:\n"
      "  hourcell export | gzip > points.gz\n"
      "  hourcell export --format vm 2013/01/01 2013/01/02 cpu.user > export.jsonl\n"
      "  hourcell export --format csv --csv-columns time,metric,value,tag:host > points.csv\n"
      "  hourcell export --url http://localhost:4242 1d-ago now > points\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunExport(options, terminal);
}

}  // namespace hourcell
