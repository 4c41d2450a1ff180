#include "server/cli/data/import/import.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/named_thread.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/point_error.h"
#include "codec/text/point_text.h"
#include "engine/query.h"
#include "engine/query/query_time.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/data/import/csv_lines.h"
#include "server/cli/data/import/import_chunk.h"
#include "server/cli/data/import/import_lines.h"
#include "server/cli/data/import/import_pipeline.h"
#include "server/cli/data/import/line_reader.h"
#include "server/cli/data/import/whisper_dump.h"
#include "server/cli/data/point_sink.h"
#include "server/cli/local_store.h"
#include "server/cli/opentsdb/opentsdb_import.h"
#include "server/cli/opentsdb/opentsdb_source.h"
#include "server/cli/progress.h"
#include "server/cli/store_flags.h"
#include "server/cli/terminal.h"
#include "server/histograms/histogram_codecs.h"
#include "server/http/http_client.h"
#include "server/inputs/influx/influx_time.h"
#include "server/rollups/rollup_rules.h"

namespace hourcell {
namespace {

constexpr std::string_view kImportCommand = "import";

// A chunk ends after this number of bytes, which limits memory for every batch size.
constexpr size_t kChunkBytes = size_t{2} << 20;

// The rules of lines that are not points.
struct LineRules {
  RollupRules rollups;
  HistogramCodecs histograms;
};

// Reads files line by line into chunks, passes the chunks to the workers, and reports the results.
class Importer {
 public:
  Importer(const ImportOptions& options,
           PointLimits limits,
           LineRules lines,
           std::vector<std::unique_ptr<PointSink>> sinks,
           Terminal* terminal)
      : options_(options),
        terminal_(terminal),
        pipeline_({.limits = limits,
                   .skip_errors = options.skip_errors,
                   .foreign = options.foreign,
                   .rollups = std::move(lines.rollups),
                   .histograms = lines.histograms},
                  std::move(sinks)) {}

  // Imports all files in order. kAborted after a bad line, which it has reported; it has not
  // reported other errors.
  absl::Status Run() {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t bytes, TotalBytes());
    meter_.emplace(terminal_->err, terminal_->is_tty, terminal_->clock, bytes);
    absl::Status read;
    for (const std::string& path : options_.paths) {
      read = ImportFile(path);
      if (!read.ok()) break;
    }
    if (has_ended_) return read;
    // Stores the lines read before an error, too.
    const absl::Status written = TakeWritten(/*all=*/true);
    return written.ok() ? read : written;
  }

  // Prints a summary.
  void Report() {
    if (!meter_.has_value()) return;
    meter_->Clear();
    const int64_t ms = meter_->elapsed_ms();
    uint64_t bad = 0;
    for (const auto& [reason, lines] : bad_lines_)
      bad += lines;
    PrintTo(terminal_->out, "imported {}{} of {} from {} in {:.1f} s ({} points/s); {}\n",
            Counted(imported_, "point"),
            histograms_ == 0 ? "" : fmt::format(" and {}", Counted(histograms_, "histogram")),
            Counted(lines_, "line"), Counted(files_, "file"), static_cast<double>(ms) / 1000,
            PointsPerSecond(imported_, ms), Counted(bad, "bad line"));
    if (!options_.skip_errors) return;
    for (const auto& [reason, lines] : bad_lines_) {
      PrintTo(terminal_->err, "hourcell import: {}: {}\n", Counted(lines, "bad line"), reason);
    }
  }

 private:
  // The size of all files; 0 if one is unknown: no percentage is better than a wrong one.
  absl::StatusOr<uint64_t> TotalBytes() const {
    uint64_t total = 0;
    bool all_known = true;
    for (const std::string& path : options_.paths) {
      HOURCELL_ASSIGN_OR_RETURN(const uint64_t bytes, InputBytes(path));
      all_known = all_known && bytes > 0;
      total += bytes;
    }
    return all_known ? total : 0;
  }

  absl::Status ImportFile(const std::string& path) {
    HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<LineReader> reader,
                              LineReader::Open(path, LineBytesMaxOf(options_.foreign.format)));
    ++files_;
    HOURCELL_ASSIGN_OR_RETURN(dump_, DumpOf(path));
    if (options_.skip_header) {
      Line header;
      HOURCELL_RETURN_IF_ERROR(reader->Next(&header).status());
    }
    while (true) {
      std::unique_ptr<ImportChunk> chunk = pipeline_.NewChunk();
      chunk->Begin(files_, reader->name());
      const absl::StatusOr<bool> more = FillChunk(reader.get(), chunk.get());
      chunk->set_bytes_done(bytes_before_ + reader->bytes_read());
      if (chunk->size() > 0) {
        pipeline_.Add(std::move(chunk));
        HOURCELL_RETURN_IF_ERROR(TakeWritten(/*all=*/false));
      }
      if (!more.ok()) return more.status();
      if (!*more) break;
    }
    bytes_before_ += reader->bytes_total();
    return absl::OkStatus();
  }

  // nullopt: the format is not Whisper's.
  absl::StatusOr<std::optional<WhisperDump>> DumpOf(const std::string& path) const {
    if (options_.foreign.format != ImportFormat::kWhisper) return std::optional<WhisperDump>();
    if (!options_.metric.empty()) return WhisperDump(options_.metric);
    HOURCELL_ASSIGN_OR_RETURN(const std::string metric, WhisperMetricOf(path));
    return WhisperDump(metric);
  }

  // False at the end of the file. Returns the available lines of a pipe without waiting for more.
  absl::StatusOr<bool> FillChunk(LineReader* reader, ImportChunk* chunk) {
    const bool is_pipe = reader->bytes_total() == 0;
    do {
      Line line;
      HOURCELL_ASSIGN_OR_RETURN(const bool more, reader->Next(&line));
      if (!more) return false;
      chunk->AddLine(dump_.has_value() ? dump_->Translate(line) : line);
    } while (chunk->size() < options_.batch_points && chunk->bytes() < kChunkBytes &&
             (!is_pipe || reader->NextIsBuffered()));
    return true;
  }

  // Accounts for the written chunks; waits for one if the pipeline is full, or for all.
  absl::Status TakeWritten(bool all) {
    while (true) {
      std::unique_ptr<ImportChunk> chunk = pipeline_.TakeWritten(all || pipeline_.IsFull());
      if (chunk == nullptr) return absl::OkStatus();
      if (absl::Status status = Account(*chunk); !status.ok()) {
        has_ended_ = true;
        files_ = chunk->file();
        return status;
      }
      meter_->Update(imported_, chunk->bytes_done());
      pipeline_.GiveBack(std::move(chunk));
    }
  }

  absl::Status Account(const ImportChunk& chunk) {
    lines_ += chunk.lines_taken();
    imported_ += chunk.points_taken();
    histograms_ += chunk.histograms_taken();
    HOURCELL_RETURN_IF_ERROR(chunk.status());
    if (!chunk.has_bad_lines()) return absl::OkStatus();
    meter_->Clear();
    for (const ImportChunk::BadLine& line : chunk.BadLines()) {
      PrintTo(terminal_->err, "{}:{}: {}: {}\n", chunk.file_name(), line.number, line.error.text,
              QuoteForMessage(line.text));
      ++bad_lines_[PointErrorKindName(line.error.kind)];
      if (!options_.skip_errors) return absl::AbortedError("bad line");
    }
    return absl::OkStatus();
  }

  const ImportOptions& options_;
  Terminal* const terminal_;
  std::optional<ProgressMeter> meter_;
  uint64_t bytes_before_ = 0;  // of the files already read
  uint64_t imported_ = 0;
  uint64_t histograms_ = 0;
  uint64_t lines_ = 0;
  size_t files_ = 0;
  std::optional<WhisperDump> dump_;                 // of the current file
  bool has_ended_ = false;                          // before it stored everything
  std::map<std::string_view, uint64_t> bad_lines_;  // by reason
  ImportPipeline pipeline_;                         // last: its threads end first
};

// One sink per thread. The default leaves one processor for the reader: on two processors, two
// parsing threads took longer than one.
template <typename Make>
std::vector<std::unique_ptr<PointSink>> MakeSinks(const ImportOptions& options, Make&& make) {
  const size_t processors = std::max<size_t>(2, ProcessorCount());
  const size_t threads =
      options.threads > 0 ? options.threads : std::min(processors - 1, kImportThreadsMax);
  std::vector<std::unique_ptr<PointSink>> sinks;
  for (size_t i = 0; i < threads; ++i)
    sinks.push_back(make());
  return sinks;
}

// With --url, the rollups should be those of the server: points go to it as points of the levels.
absl::StatusOr<LineRules> LineRulesOf(const StoreOptions& options) {
  HOURCELL_ASSIGN_OR_RETURN(const Config config, LoadConfig(options));
  LineRules rules;
  HOURCELL_ASSIGN_OR_RETURN(rules.rollups, RollupRulesOf(config));
  HOURCELL_ASSIGN_OR_RETURN(rules.histograms,
                            ParseHistogramCodecs(config.text("tsd.core.histograms.config")));
  // An export has the IDs of its store.
  rules.histograms.has_any_id = true;
  return rules;
}

int Import(const ImportOptions& options,
           PointLimits limits,
           std::vector<std::unique_ptr<PointSink>> sinks,
           Terminal& terminal) {
  absl::StatusOr<LineRules> lines = LineRulesOf(options.store);
  if (!lines.ok()) return FailStore(terminal, kImportCommand, lines.status());
  Importer importer(options, limits, *std::move(lines), std::move(sinks), &terminal);
  const absl::Status status = importer.Run();
  importer.Report();
  if (status.ok()) return kExitOk;
  if (!absl::IsAborted(status)) return Fail(terminal, kImportCommand, status);
  PrintTo(terminal.err,
          "hourcell import: stopped at a bad line; use --skip-errors to skip bad lines\n");
  return kExitFailure;
}

// With two URLs, the options for certificates apply only to those with https.
TlsTrust TrustOf(const ImportOptions& options, const std::string& url) {
  const bool both = !options.opentsdb_url.empty();
  return both && !url.starts_with("https://") ? TlsTrust() : options.trust;
}

// Points that the state file lists must survive a power loss, too.
SinkSync SyncOf(const ImportOptions& options) {
  const bool has_state = !options.opentsdb_url.empty() && !options.opentsdb.state_file.empty();
  return has_state ? SinkSync::kEach : SinkSync::kLater;
}

int ImportToServer(const ImportOptions& options, Terminal& terminal) {
  const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, TrustOf(options, options.url));
  if (!url.ok()) return FailUsage(terminal, kImportCommand, StatusText(url.status()));
  if (!options.opentsdb_url.empty()) {
    const auto source = std::make_shared<OpenTsdbSource>(*url);
    return RunOpenTsdbImport(
        options.opentsdb,
        {.name = options.url,
         .sinks = MakeSinks(options, [&] { return MakeHttpSink(*url, SyncOf(options)); }),
         .query = [source](const QuerySpec& spec) { return source->Query(spec); }},
        terminal);
  }
  // The server decides how many tags are too many.
  return Import(options, {.tags_max = kTagsMax},
                MakeSinks(options, [&] { return MakeHttpSink(*url); }), terminal);
}

// Opens the store for its first batch.
class LateStoreSink : public PointSink {
 public:
  LateStoreSink(LateStore* store, SinkSync sync) : store_(store), sync_(sync) {}

  absl::Status Write(std::span<const LinePoint> points,
                     std::vector<RefusedPoint>* refused) override {
    HOURCELL_RETURN_IF_ERROR(Open());
    return sink_->Write(points, refused);
  }

  absl::Status WriteHistograms(std::span<const HistogramPoint> histograms,
                               std::vector<RefusedPoint>* refused) override {
    HOURCELL_RETURN_IF_ERROR(Open());
    return sink_->WriteHistograms(histograms, refused);
  }

 private:
  absl::Status Open() {
    if (sink_ != nullptr) return absl::OkStatus();
    HOURCELL_ASSIGN_OR_RETURN(Tsdb* const tsdb, store_->Open());
    sink_ = MakeStoreSink(tsdb, sync_);
    return absl::OkStatus();
  }

  LateStore* const store_;
  const SinkSync sync_;
  std::unique_ptr<PointSink> sink_;
};

// A store that was not opened has no points.
std::function<absl::StatusOr<std::vector<ResultSeries>>(const QuerySpec&)> StoreQuery(
    LateStore* store) {
  return [store](const QuerySpec& spec) -> absl::StatusOr<std::vector<ResultSeries>> {
    Tsdb* const tsdb = store->opened();
    if (tsdb == nullptr) return std::vector<ResultSeries>();
    HOURCELL_ASSIGN_OR_RETURN(QueryResult result, tsdb->queries().Query(spec));
    return std::move(result.series);
  };
}

// Runs before the first file is imported: all files should be there.
absl::Status CheckFiles(const ImportOptions& options) {
  for (const std::string& path : options.paths) {
    HOURCELL_RETURN_IF_ERROR(InputBytes(path).status());
    if (path == "-" || ::access(path.c_str(), R_OK) == 0) continue;
    return absl::PermissionDeniedError(
        fmt::format("{}: {}", path, std::generic_category().message(errno)));
  }
  return absl::OkStatus();
}

int ImportToStore(const ImportOptions& options, Terminal& terminal) {
  const absl::StatusOr<Config> config = LoadConfig(options.store);
  if (!config.ok()) return FailStore(terminal, kImportCommand, config.status());
  LateStore store(*config);
  WarnOfIgnoredSettings(*config, kImportCommand, terminal);
  if (options.opentsdb_url.empty()) {
    const absl::Status files = CheckFiles(options);
    if (!files.ok()) return Fail(terminal, kImportCommand, files);
  }
  const absl::StatusOr<NameEncoding> names = store.OpenIfItExists();
  if (!names.ok()) return FailStore(terminal, kImportCommand, names.status());

  const auto tags_max = static_cast<size_t>(config->integer("tsd.storage.max_tags"));
  std::vector<std::unique_ptr<PointSink>> sinks =
      MakeSinks(options, [&] { return std::make_unique<LateStoreSink>(&store, SyncOf(options)); });
  ImportOptions own = options;
  own.foreign.any_names = *names == NameEncoding::kAny;
  const int exit_code = options.opentsdb_url.empty()
                            ? Import(own, {.tags_max = tags_max}, std::move(sinks), terminal)
                            : RunOpenTsdbImport(options.opentsdb,
                                                {.name = config->text("tsd.storage.directory"),
                                                 .sinks = std::move(sinks),
                                                 .query = StoreQuery(&store)},
                                                terminal);
  if (const absl::Status closed = store.Close(); !closed.ok()) {
    return Fail(terminal, kImportCommand, closed);
  }
  return exit_code;
}

// Runs before the first file is read: an import of a thousand dumps should not fail at the last
// one.
absl::Status CheckWhisper(const ImportOptions& options) {
  if (!options.metric.empty()) {
    if (options.foreign.format == ImportFormat::kWhisper && options.paths.size() == 1)
      return absl::OkStatus();
    return absl::InvalidArgumentError("--metric names the one dump of --format whisper");
  }
  if (options.foreign.format != ImportFormat::kWhisper) return absl::OkStatus();
  for (const std::string& path : options.paths)
    HOURCELL_RETURN_IF_ERROR(WhisperMetricOf(path).status());
  return absl::OkStatus();
}

absl::Status CheckForeign(const ImportOptions& options) {
  const ForeignRules& foreign = options.foreign;
  const bool is_csv = foreign.format == ImportFormat::kCsv;
  if (is_csv && foreign.csv_columns.empty()) {
    return absl::InvalidArgumentError("--format csv needs --csv-columns");
  }
  if (!is_csv && (!foreign.csv_columns.empty() || options.skip_header)) {
    return absl::InvalidArgumentError("--csv-columns and --csv-header need --format csv");
  }
  if (const absl::Status whisper = CheckWhisper(options); !whisper.ok()) return whisper;
  const ForeignRules usual;
  const bool has_influx = foreign.influx_precision != usual.influx_precision ||
                          foreign.influx_separator != usual.influx_separator;
  if (has_influx && foreign.format != ImportFormat::kInflux) {
    return absl::InvalidArgumentError("--precision and --separator need --format influx");
  }
  if (foreign.format == ImportFormat::kOpenTsdb && !foreign.default_tag.empty()) {
    return absl::InvalidArgumentError("--default-tag: lines of OpenTSDB's format have tags");
  }
  return absl::OkStatus();
}

absl::Status TakeFormat(const std::string& name, ImportFormat* format) {
  for (const auto& [known, value] :
       {std::pair<std::string_view, ImportFormat>("opentsdb", ImportFormat::kOpenTsdb),
        std::pair<std::string_view, ImportFormat>("vm", ImportFormat::kVm),
        std::pair<std::string_view, ImportFormat>("graphite", ImportFormat::kGraphite),
        std::pair<std::string_view, ImportFormat>("csv", ImportFormat::kCsv),
        std::pair<std::string_view, ImportFormat>("influx", ImportFormat::kInflux),
        std::pair<std::string_view, ImportFormat>("whisper", ImportFormat::kWhisper)}) {
    if (name != known) continue;
    *format = value;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("--format: expected opentsdb, vm, graphite, csv, influx or whisper, got {}",
                  QuoteForMessage(name)));
}

// KEY=VALUE, in any characters.
absl::Status TakeDefaultTag(const std::string& text, std::string* tag) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(
        fmt::format("--default-tag: expected KEY=VALUE, got {}", QuoteForMessage(text)));
  }
  ForeignSeries series;
  series.AddTag(text.substr(0, equals), text.substr(equals + 1));
  *tag = series.tags;
  return absl::OkStatus();
}

absl::Status TakeCsvFields(const std::string& text, std::string* fields) {
  *fields = text;
  const absl::Status status = ParseCsvFields(text).status();
  if (status.ok()) return status;
  return absl::InvalidArgumentError(fmt::format("--csv-columns: {}", MessageOf(status)));
}

absl::Status TakePrecision(const std::string& name, std::string* precision) {
  *precision = name;
  if (FindInfluxUnit(name) != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("--precision: expected ns, us, ms, s, m or h, got {}", QuoteForMessage(name)));
}

void AddFormats(CommandLine* line, ImportOptions* options) {
  ForeignRules* const foreign = &options->foreign;
  line->AddTaken(
      "--format", [=](const std::string& name) { return TakeFormat(name, &foreign->format); },
      "{opentsdb,vm,graphite,csv,influx,whisper}", "format of the files (default: opentsdb)");
  line->AddTaken(
      "--csv-columns",
      [=](const std::string& text) { return TakeCsvFields(text, &foreign->csv_columns); }, "LIST",
      "fields of a CSV file: time, metric, value, value:METRIC, tag:KEY, - (skipped)");
  line->AddFlag("--csv-header", &options->skip_header, "skip the first line of each CSV file");
  line->AddTaken(
      "--precision",
      [=](const std::string& name) { return TakePrecision(name, &foreign->influx_precision); },
      "{ns,us,ms,s,m,h}", "unit of InfluxDB's timestamps (default: ns)");
  line->AddOption("--separator", &foreign->influx_separator, "TEXT",
                  "text between InfluxDB's measurement and field in a metric (default: _)");
  line->AddOption("--metric", &options->metric, "NAME",
                  "metric of a dump of Whisper (default: the path of the file)");
  line->AddTaken(
      "--default-tag",
      [=](const std::string& text) { return TakeDefaultTag(text, &foreign->default_tag); },
      "KEY=VALUE", "tag of series without tags");
}

// The seconds of a query time; `otherwise` if it is empty.
absl::StatusOr<int64_t> SecondsOf(std::string_view flag,
                                  const std::string& text,
                                  int64_t otherwise,
                                  int64_t now_ms) {
  if (text.empty()) return otherwise;
  const absl::StatusOr<int64_t> ms = ParseQueryTime(text, {}, now_ms);
  if (ms.ok()) return *ms / 1000;
  return absl::InvalidArgumentError(fmt::format("{}: {}", flag, MessageOf(ms.status())));
}

// Sets the source, its range and metrics from the options.
absl::Status TakeSource(ImportOptions* options, int64_t now_ms) {
  OpenTsdbImportOptions& source = options->opentsdb;
  HOURCELL_ASSIGN_OR_RETURN(
      source.source, ParseHttpUrl(options->opentsdb_url, TrustOf(*options, options->opentsdb_url)));
  source.source.token_variable = kSourceTokenVariable;
  // The range includes its end, and the current second has not ended.
  HOURCELL_ASSIGN_OR_RETURN(const int64_t start_s, SecondsOf("--start", options->start, 0, now_ms));
  HOURCELL_ASSIGN_OR_RETURN(const int64_t end_s,
                            SecondsOf("--end", options->end, now_ms / 1000 - 1, now_ms));
  if (start_s > end_s) return absl::InvalidArgumentError("--start is after --end");
  source.range = {.start_s = start_s, .end_s = end_s + 1};
  source.metrics = options->paths;
  source.skip_errors = options->skip_errors;
  return absl::OkStatus();
}

absl::Status CheckSource(const ImportOptions& options) {
  const OpenTsdbImportOptions& source = options.opentsdb;
  if (options.opentsdb_url.empty()) {
    const bool has_some = !options.start.empty() || !options.end.empty() ||
                          !source.state_file.empty() || source.rate > 0 || source.skip_compare;
    return has_some ? absl::InvalidArgumentError(
                          "--start, --end, --state, --rate and --skip-compare need --opentsdb")
                    : absl::OkStatus();
  }
  if (options.foreign.format == ImportFormat::kOpenTsdb) return absl::OkStatus();
  return absl::InvalidArgumentError("--format is for files; --opentsdb reads a server");
}

void AddSource(CommandLine* line, ImportOptions* options) {
  OpenTsdbImportOptions* const source = &options->opentsdb;
  line->AddOption("--opentsdb", &options->opentsdb_url, "URL",
                  "import from this running OpenTSDB or Hourcell instead of files");
  line->AddOption("--start", &options->start, "TIME",
                  "first time that is imported, as in /api/query (default: all)");
  line->AddOption("--end", &options->end, "TIME", "last time that is imported (default: now)");
  line->AddOption("--state", &source->state_file, "FILE",
                  "file with the progress; the same command continues from there");
  line->AddOption("--rate", &source->rate, "N", "most points a second (default: no limit)");
  line->AddFlag("--skip-compare", &source->skip_compare,
                "do not compare counts and sums of both at the end");
}

}  // namespace

int RunImport(const ImportOptions& given, Terminal& terminal) {
  ImportOptions options = given;
  if (const absl::Status source = CheckSource(options); !source.ok()) {
    return FailUsage(terminal, kImportCommand, StatusText(source));
  }
  if (!options.opentsdb_url.empty()) {
    const absl::Status taken = TakeSource(&options, terminal.clock->NowMs());
    if (!taken.ok()) return FailUsage(terminal, kImportCommand, StatusText(taken));
  } else if (options.paths.empty()) {
    return FailWords(terminal, kImportCommand, {}, "one or more files");
  }
  if (const absl::Status foreign = CheckForeign(options); !foreign.ok()) {
    return FailUsage(terminal, kImportCommand, StatusText(foreign));
  }
  if (options.batch_points < 1 || options.batch_points > kImportBatchMax) {
    return FailUsage(
        terminal, kImportCommand,
        fmt::format("--batch: expected 1 to {}, got {}", kImportBatchMax, options.batch_points));
  }
  if (options.threads > kImportThreadsMax) {
    return FailUsage(
        terminal, kImportCommand,
        fmt::format("--threads: expected at most {}, got {}", kImportThreadsMax, options.threads));
  }
  return options.url.empty() ? ImportToStore(options, terminal) : ImportToServer(options, terminal);
}

int ImportMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("import",
                   "Imports points from files of OpenTSDB, VictoriaMetrics, Graphite, Whisper, "
                   "InfluxDB or CSV, or from a running OpenTSDB.");
  ImportOptions options;
  bool auto_metric = false;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  AddFormats(&line, &options);
  AddSource(&line, &options);
  line.AddFlag("--skip-errors", &options.skip_errors, "skip bad lines");
  line.AddFlag("--auto-metric", &auto_metric, "create metrics (the default)");
  line.AddOption("--batch", &options.batch_points, "N",
                 "number of points stored at once (default 10000)");
  line.AddOption("--threads", &options.threads, "N",
                 "number of threads that parse and store (default: processors minus one)");
  line.AddWords(
      "PATH", &options.paths,
      "files, plain or gzip; - = standard input. With --opentsdb: metrics (default: all)");
  line.set_footer(
      "Formats:\n"
      "  opentsdb  metric timestamp value tagk=tagv ...\n"
      "            rollup spec metric timestamp value tagk=tagv ...\n"
      "  vm        JSON lines of VictoriaMetrics' /api/v1/export\n"
      "  graphite  path;tag=value value timestamp\n"
      "  csv       the fields of --csv-columns, e.g. time,metric,value,tag:host\n"
      "  influx    InfluxDB's line protocol, also as influx_inspect export writes it\n"
      "  whisper   output of whisper-dump; the file a/b.txt is the metric a.b\n"
      "In names of other systems, each character that OpenTSDB does not allow becomes _.\n"
      "\n"
      "Timestamps are integers in seconds or, if they are large, milliseconds. Points\n"
      "may come in any order, unlike in OpenTSDB. If two lines have the same series and\n"
      "timestamp, the later line wins.\n"
      "Rollups need tsd.rollups.enable and tsd.rollups.config; with --url, those of the server.\n"
      "A bad line is reported as FILE:LINE: reason: text. Without --skip-errors, the first bad\n"
      "line ends the import with exit 1. All good lines before it are stored; some lines after\n"
      "it may be stored too, if they were in its batch. With --skip-errors, bad lines are\n"
      "counted by reason, and the exit code is 0.\n"
      "\n"
      "With --opentsdb, points are read by /api/query in slices of time, on --threads threads,\n"
      "and counts and sums of both are compared at the end. The token of the source is that of\n"
      "the environment variable HOURCELL_SOURCE_TOKEN.\n"
      "\nExamples:\n"
      "  hourcell import --opentsdb http://tsdb:4242 --state moved --data store\n"
      "  hourcell import points.txt more.gz\n"
      "  zcat old.gz | hourcell import --skip-errors -\n"
      "  hourcell import --url http://localhost:4242 points.txt\n"
      "  hourcell import --format vm --default-tag from=vm export.jsonl.gz\n"
      "  hourcell import --format csv --csv-columns time,tag:host,value:cpu hosts.csv\n"
      "  hourcell import --format influx --default-tag from=influx export.txt.gz\n"
      "  hourcell import --format whisper --default-tag from=graphite servers/web01/load.txt\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  if (auto_metric) options.store.settings.emplace_back("tsd.core.auto_create_metrics=true");
  return RunImport(options, terminal);
}

}  // namespace hourcell
