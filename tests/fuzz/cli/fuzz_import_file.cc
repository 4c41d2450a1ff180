#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <zlib.h>

#include "codec/base/check.h"
#include "codec/text/point_text.h"
#include "codec/text/put_line.h"
#include "server/cli/data/import/import_chunk.h"
#include "server/cli/data/import/line_reader.h"
#include "server/histograms/histogram_line.h"
#include "server/rollups/rollup_line.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

constexpr size_t kWorkers = 3;

// A file in memory; its path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) {
    HOURCELL_CHECK(ftruncate(Fd(), 0) == 0);
    HOURCELL_CHECK(pwrite(Fd(), bytes.data(), bytes.size(), 0) ==
                   static_cast<ssize_t>(bytes.size()));
  }
  std::string path() const { return fmt::format("/proc/self/fd/{}", Fd()); }

 private:
  // One for all: only its content changes.
  static int Fd() {
    static const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    return fd;
  }
};

std::string Gzip(std::string_view text) {
  z_stream stream = {};
  constexpr int kGzipWindow = 16 + 9;
  HOURCELL_CHECK(deflateInit2(&stream, 1, Z_DEFLATED, kGzipWindow, 1, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  HOURCELL_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// The lines by a plain search, and the number of each line that is too long.
std::vector<std::string> NaiveLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.size() <= kLineBytesMax && line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The lines of a file: its first line is read without a byte order mark.
std::vector<std::string> NaiveLinesOfFile(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::vector<std::string> lines = NaiveLines(text);
  if (lines.empty() || lines[0].size() > kLineBytesMax) return lines;
  if (!lines[0].starts_with(kByteOrderMark)) return lines;
  lines[0].erase(0, kByteOrderMark.size());
  return lines;
}

// Reads the file's lines into `*chunk`, if there is one, and holds them against `want`. Returns how
// the file ended; `*count` is how many lines it had.
absl::Status CheckLines(const std::string& path,
                        const std::vector<std::string>& want,
                        ImportChunk* chunk,
                        size_t* count) {
  auto reader = LineReader::Open(path);
  HOURCELL_CHECK(reader.ok());
  Line line;
  while (true) {
    const auto more = (*reader)->Next(&line);
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
    HOURCELL_CHECK(*count < want.size());
    const std::string& text = want[(*count)++];
    HOURCELL_CHECK(line.number == *count);
    HOURCELL_CHECK(line.too_long == (text.size() > kLineBytesMax));
    HOURCELL_CHECK(line.too_long ? text.starts_with(line.text) : text == line.text);
    if (chunk != nullptr) chunk->AddLine(line);
  }
}

// The store's error for a point: Points::Append's check of its tags.
class CheckingSink : public PointSink {
 public:
  absl::Status Write(std::span<const LinePoint> points,
                     std::vector<RefusedPoint>* refused) override {
    for (size_t i = 0; i < points.size(); ++i) {
      const auto error = parser_.ParseSeries(points[i], PointLimits{});
      if (error) {
        refused->push_back({.index = i, .error = *error});
        continue;
      }
      taken_ += Text({.metric = parser_.point().metric,
                      .tags = parser_.point().tags,
                      .timestamp = points[i].timestamp,
                      .value = points[i].value});
    }
    return absl::OkStatus();
  }

  absl::Status WriteHistograms(std::span<const HistogramPoint>,
                               std::vector<RefusedPoint>*) override {
    return absl::OkStatus();
  }

  static std::string Text(const PointView& point) {
    std::string text;
    AppendImportLine(point, &text);
    return text + "\n";
  }

  const std::string& taken() const { return taken_; }

 private:
  PointText parser_;
  std::string taken_;
};

// The lines of a text, sorted: the order of several workers is random.
std::vector<std::string> Sorted(std::string_view text) {
  std::vector<std::string> lines = NaiveLines(text);
  std::ranges::sort(lines);
  return lines;
}

// Why a rollup is refused: they are off.
PointError RollupErrorOf(std::string_view line, PointText* parser) {
  line.remove_prefix(std::string_view("rollup ").size());
  RollupTarget target;
  auto error = ParseRollupWords(line, PointSyntax::kImport, PointLimits{}, parser, &target);
  return error.has_value() ? *std::move(error) : PointError{.text = std::string(kRollupsAreOff)};
}

// A chunk with all errors skipped: its points and errors are those of the lines one by one.
void CheckParsed(const ImportChunk& chunk,
                 const std::string& taken,
                 const std::vector<std::string>& lines) {
  std::string want;
  std::vector<ImportChunk::BadLine> bad = chunk.BadLines();
  size_t next_bad = 0;
  PointText parser;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::optional<PointError> error;
    const bool too_long = lines[i].size() > kLineBytesMax;
    const bool is_histogram = !too_long && IsHistogramLine(lines[i]);
    std::string names;
    LinePoint quoted;
    const bool is_quoted = HasQuotedName(lines[i]);
    if (too_long) {
    } else if (is_histogram) {
      const auto histogram =
          ParseHistogramLine({.has_any_id = true}, lines[i].substr(lines[i].find(' ') + 1),
                             PointSyntax::kImport, PointLimits{});
      if (histogram.ok()) continue;
      error = histogram.error();
    } else if (IsRollupLine(lines[i])) {
      error = RollupErrorOf(lines[i], &parser);
    } else if (is_quoted) {
      error = ParseQuotedLine(lines[i], PointLimits{}, &parser, &names, &quoted);
      if (!error) error = parser.ParseSeries(quoted, PointLimits{});
    } else {
      error = parser.Parse(lines[i], PointSyntax::kImport, PointLimits{});
    }
    if (!too_long && !error) {
      PointView point = parser.point();
      if (is_quoted) point.timestamp = quoted.timestamp;
      if (is_quoted) point.value = quoted.value;
      want += CheckingSink::Text(point);
      continue;
    }
    HOURCELL_CHECK(next_bad < bad.size() && bad[next_bad].number == i + 1);
    HOURCELL_CHECK(too_long || bad[next_bad].error == *error);
    ++next_bad;
  }
  HOURCELL_CHECK(next_bad == bad.size());
  HOURCELL_CHECK(chunk.lines_taken() == lines.size());
  HOURCELL_CHECK(Sorted(taken) == Sorted(want));
}

// Parsed by one worker when its series are new, and shared out once they are known.
void CheckChunk(ImportChunk* chunk, const std::vector<std::string>& lines) {
  const ImportRules rules{.limits = {}, .skip_errors = true};
  ImportRoutes routes(kWorkers);
  for (int round = 0; round < 2; ++round) {
    chunk->Parse(rules, kWorkers, routes);
    HOURCELL_CHECK(chunk->pieces() == (chunk->has_new_series() ? 1 : kWorkers));
    HOURCELL_CHECK(round == 0 || !chunk->has_new_series());
    CheckingSink sink;
    for (size_t piece = 0; piece < chunk->pieces(); ++piece)
      chunk->WritePiece(piece, &sink);
    CheckParsed(*chunk, sink.taken(), lines);
    if (chunk->has_new_series()) chunk->LearnRoutes(&routes);
  }
}

}  // namespace
}  // namespace hourcell

// A file yields the text between its line ends, compressed or not. A truncated file is data loss
// after its valid lines. An import takes the same points as its lines one by one.
// The first byte: whether a line is made too long, and whether the file is compressed and cut.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  const uint8_t how = TakeByte(&input);
  std::string text(input);
  if (how % 64 == 1) text.insert(text.size() / 2, kLineBytesMax + how - 128, 'x');
  // A file with this prefix is inflated.
  if (text.starts_with("\x1f\x8b")) text[0] = ' ';
  const std::vector<std::string> lines = NaiveLinesOfFile(text);

  size_t count = 0;
  if (how % 8 == 0) {
    const std::string zipped = Gzip(text);
    HOURCELL_CHECK(CheckLines(MemoryFile(zipped).path(), lines, nullptr, &count).ok());
    HOURCELL_CHECK(count == lines.size());
    const size_t kept = 2 + how * zipped.size() / 256 % (zipped.size() - 2);
    count = 0;
    const std::string cut = zipped.substr(0, kept);
    HOURCELL_CHECK(absl::IsDataLoss(CheckLines(MemoryFile(cut).path(), lines, nullptr, &count)));
    return 0;
  }
  ImportChunk chunk;
  chunk.Begin(1, "fuzz");
  HOURCELL_CHECK(CheckLines(MemoryFile(text).path(), lines, &chunk, &count).ok());
  HOURCELL_CHECK(count == lines.size());
  CheckChunk(&chunk, lines);
  return 0;
}
