#include "server/cli/import.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/point.h"
#include "codec/point_error.h"
#include "codec/point_text.h"
#include "codec/put_line.h"
#include "engine/tsdb.h"
#include "server/cli/http_client.h"
#include "server/cli/line_reader.h"
#include "server/cli/point_sink.h"
#include "server/cli/progress.h"
#include "server/cli/store.h"
#include "server/cli/terminal.h"

namespace hourcell {
namespace {

constexpr std::string_view kCommand = "import";

// Reads files line by line into batches and writes those to a sink. One thread does it all: to take
// a line apart costs no more than to find its end, and a store is slower than both.
class Importer {
 public:
  Importer(const ImportOptions& options, PointLimits limits, PointSink* sink, Terminal* terminal)
      : options_(options), limits_(limits), sink_(sink), terminal_(terminal) {}

  // All files in order. kAborted after a bad line, which has been named; other errors have not.
  absl::Status Run() {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t bytes, TotalBytes());
    meter_.emplace(terminal_->err, terminal_->is_tty, terminal_->clock, bytes);
    for (const std::string& path : options_.paths) {
      HOURCELL_RETURN_IF_ERROR(ImportFile(path));
    }
    return absl::OkStatus();
  }

  // What was done, for people.
  void Report() {
    if (!meter_.has_value()) return;
    meter_->Clear();
    const int64_t ms = meter_->elapsed_ms();
    uint64_t bad = 0;
    for (const auto& [reason, lines] : bad_lines_)
      bad += lines;
    fmt::print(
        terminal_->out,
        "imported {} points of {} lines from {} files in {:.1f} s ({} points/s); {} bad lines\n",
        imported_, lines_, files_, static_cast<double>(ms) / 1000, PointsPerSecond(imported_, ms),
        bad);
    if (!options_.skip_errors) return;
    for (const auto& [reason, lines] : bad_lines_) {
      fmt::print(terminal_->err, "hourcell import: {} bad lines: {}\n", lines, reason);
    }
  }

 private:
  // 0 if a size is not known: no percentage is better than a wrong one.
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
    HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<LineReader> reader, LineReader::Open(path));
    file_name_ = reader->name();
    ++files_;
    const absl::Status read = ImportLines(reader.get());
    // Whatever ended the file, what was read before it is stored.
    const absl::Status written = WriteBatch();
    meter_->Update(imported_, bytes_before_ + reader->bytes_read());
    bytes_before_ += reader->bytes_total();
    return read.ok() ? written : read;
  }

  absl::Status ImportLines(LineReader* reader) {
    Line line;
    while (true) {
      // The batch views lines in the reader's buffer: it is written before that is filled again.
      if (points_.size() == options_.batch_points || !reader->NextIsBuffered()) {
        HOURCELL_RETURN_IF_ERROR(WriteBatch());
        meter_->Update(imported_, bytes_before_ + reader->bytes_read());
      }
      HOURCELL_ASSIGN_OR_RETURN(const bool more, reader->Next(&line));
      if (!more) return absl::OkStatus();
      ++lines_;
      HOURCELL_RETURN_IF_ERROR(AddLine(line));
    }
  }

  absl::Status AddLine(const Line& line) {
    std::optional<PointError> error;
    if (line.too_long) {
      error = PointError{.text = fmt::format("line longer than {} bytes", kLineBytesMax)};
    } else {
      LinePoint point;
      error = ParsePointLine(line.text, PointSyntax::kImport, limits_, &parser_, &point);
      if (!error.has_value()) {
        points_.push_back(point);
        lines_of_points_.push_back(line);
        return absl::OkStatus();
      }
    }
    if (!options_.skip_errors) HOURCELL_RETURN_IF_ERROR(WriteBatch());
    return BadLine(line.number, line.text, *error);
  }

  absl::Status WriteBatch() {
    if (points_.empty()) return absl::OkStatus();
    absl::Status status = sink_->Write(points_, &refused_);
    if (status.ok()) {
      imported_ += points_.size() - refused_.size();
      for (const RefusedPoint& point : refused_) {
        const Line& line = lines_of_points_[point.index];
        status = BadLine(line.number, line.text, point.error);
        if (!status.ok()) break;
      }
    }
    points_.clear();
    lines_of_points_.clear();
    return status;
  }

  // Names a bad line. kAborted if it ends the import.
  absl::Status BadLine(uint64_t number, std::string_view text, const PointError& error) {
    meter_->Clear();
    fmt::print(terminal_->err, "{}:{}: {}: {}\n", file_name_, number, error.text,
               QuoteForMessage(text));
    ++bad_lines_[PointErrorKindName(error.kind)];
    return options_.skip_errors ? absl::OkStatus() : absl::AbortedError("bad line");
  }

  const ImportOptions& options_;
  const PointLimits limits_;
  PointSink* const sink_;
  Terminal* const terminal_;
  std::optional<ProgressMeter> meter_;

  PointText parser_;
  // The batch; both borrow from the reader's buffer.
  std::vector<LinePoint> points_;
  std::vector<Line> lines_of_points_;
  std::vector<RefusedPoint> refused_;

  std::string file_name_;
  uint64_t bytes_before_ = 0;  // of the files already done
  uint64_t imported_ = 0;
  uint64_t lines_ = 0;
  uint64_t files_ = 0;
  std::map<std::string_view, uint64_t> bad_lines_;  // by reason
};

int Import(const ImportOptions& options, PointLimits limits, PointSink* sink, Terminal& terminal) {
  Importer importer(options, limits, sink, &terminal);
  const absl::Status status = importer.Run();
  importer.Report();
  if (status.ok()) return kExitOk;
  if (!absl::IsAborted(status)) return Fail(terminal, kCommand, status);
  fmt::print(terminal.err,
             "hourcell import: stopped at a bad line; --skip-errors goes on behind it\n");
  return kExitFailure;
}

int ImportToServer(const ImportOptions& options, Terminal& terminal) {
  absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url);
  if (!url.ok()) return FailUsage(terminal, kCommand, StatusText(url.status()));
  const std::unique_ptr<PointSink> sink = MakeHttpSink(*std::move(url));
  // How many tags are too many is the server's to say.
  return Import(options, {.tags_max = kTagsMax}, sink.get(), terminal);
}

int ImportToStore(const ImportOptions& options, Terminal& terminal) {
  const absl::StatusOr<Config> config = LoadConfig(options.store);
  if (!config.ok()) return FailStore(terminal, kCommand, config.status());
  WarnOfIgnoredSettings(*config, kCommand, terminal);
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(*config, StoreUse::kCreate);
  if (!tsdb.ok()) return FailStore(terminal, kCommand, tsdb.status());

  const std::unique_ptr<PointSink> sink = MakeStoreSink(tsdb->get());
  const auto tags_max = static_cast<size_t>(config->integer("tsd.storage.max_tags"));
  const int exit_code = Import(options, {.tags_max = tags_max}, sink.get(), terminal);
  if (const absl::Status closed = (*tsdb)->Close(); !closed.ok()) {
    return Fail(terminal, kCommand, closed);
  }
  return exit_code;
}

}  // namespace

int RunImport(const ImportOptions& options, Terminal& terminal) {
  if (options.paths.empty()) return FailUsage(terminal, kCommand, "no files given");
  if (options.batch_points < 1 || options.batch_points > kImportBatchMax) {
    return FailUsage(
        terminal, kCommand,
        fmt::format("--batch: got {}; want 1 to {}", options.batch_points, kImportBatchMax));
  }
  return options.url.empty() ? ImportToStore(options, terminal) : ImportToServer(options, terminal);
}

}  // namespace hourcell
