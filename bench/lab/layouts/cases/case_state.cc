#include "bench/lab/layouts/cases/case_state.h"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

// Why not the report's JSON: it rounds, and is written once, at the end. A process that is killed
// leaves this file with every case that it finished.

namespace hourcell::layouts {
namespace {

constexpr std::string_view kHead = "hourcell layouts 2\n";
constexpr std::string_view kCaseWord = "case\t";

std::string HeadOf(const CaseState::Options& options) {
  std::string head(kHead);
  for (const auto& [name, value] : options)
    head += fmt::format("{} {}\n", name, value);
  return head;
}

// Visits all numbers of a result but its lists, and its spec's.
template <typename Result, typename Visit>
void VisitNumbers(Result& result, const Visit& visit) {
  visit(result.series);
  visit(result.points);
  visit(result.writes);
  visit(result.write_cpu_us_per_kpoint);
  visit(result.write_instructions);
  visit(result.write_points_per_s);
  visit(result.apply_p50_ms);
  visit(result.apply_p99_ms);
  visit(result.apply_max_ms);
  visit(result.pause_p50_ms);
  visit(result.pause_max_ms);
  visit(result.split_p50_ms);
  visit(result.stored_bytes_per_point);
  visit(result.file_bytes_per_point);
  visit(result.regions);
  visit(result.splits);
  visit(result.split_refusals);
  visit(result.hot_share);
  visit(result.hot_share_late);
  visit(result.hot_share_max);
  visit(result.gini);
  visit(result.bucket_share);
  for (auto& read : result.reads) {
    visit(read.cpu_us);
    visit(read.instructions);
    visit(read.p50_us);
    visit(read.p99_us);
    visit(read.accesses);
    visit(read.blocks);
    visit(read.rows_per_point);
    visit(read.bytes_per_point);
  }
}

std::string NumbersOf(const CaseResult& result) {
  std::string text;
  const auto add = [&text](const auto& value) { text += fmt::format("{} ", value); };
  VisitNumbers(result, add);
  add(result.windows.size());
  for (const LoadWindow& window : result.windows) {
    add(window.hottest_share);
    add(window.gini);
    add(window.regions);
  }
  add(result.load.starts.size());
  for (const std::string& start : result.load.starts)
    text += fmt::format("x{} ", ToHex(start));
  for (const std::vector<uint64_t>& row : result.load.rows) {
    add(row.size());
    for (const uint64_t points : row)
      add(points);
  }
  text.pop_back();
  return text;
}

// Takes words off a text; remembers whether one was not a number.
class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : rest_(text) {}

  // True if all words were numbers, and none is left.
  bool ok() const { return is_ok_ && rest_.empty(); }

  template <typename Number>
  void Take(Number* number) {
    const std::string_view word = TakeWord();
    const char* const end = word.data() + word.size();
    const auto [last, error] = std::from_chars(word.data(), end, *number);
    if (error != std::errc() || last != end) is_ok_ = false;
  }

  void TakeBytes(std::string* bytes) {
    const std::string_view word = TakeWord();
    absl::StatusOr<std::string> read = FromHex(word.substr(std::min<size_t>(1, word.size())));
    if (!read.ok() || !word.starts_with('x')) {
      is_ok_ = false;
    } else {
      *bytes = *std::move(read);
    }
  }

  // The length of a list that follows, each entry at least a digit and a blank.
  size_t TakeLength() {
    size_t length = 0;
    Take(&length);
    if (length > rest_.size()) is_ok_ = false;
    return is_ok_ ? length : 0;
  }

 private:
  std::string_view TakeWord() {
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(std::min(word.size() + 1, rest_.size()));
    return word;
  }

  std::string_view rest_;
  bool is_ok_ = true;
};

bool ReadNumbers(std::string_view text, CaseResult* result) {
  NumberReader reader(text);
  VisitNumbers(*result, [&reader](auto& value) { reader.Take(&value); });
  result->windows.resize(reader.TakeLength());
  for (LoadWindow& window : result->windows) {
    reader.Take(&window.hottest_share);
    reader.Take(&window.gini);
    reader.Take(&window.regions);
  }
  result->load.starts.resize(reader.TakeLength());
  for (std::string& start : result->load.starts)
    reader.TakeBytes(&start);
  result->load.rows.resize(result->load.starts.size());
  for (std::vector<uint64_t>& row : result->load.rows) {
    row.resize(reader.TakeLength());
    for (uint64_t& points : row)
      reader.Take(&points);
  }
  return reader.ok();
}

// The start of a case's line.
std::string LineBegin(const CaseSpec& spec) {
  return fmt::format("{}{}, {} points, round {}\t", kCaseWord, CaseName(spec), spec.points,
                     spec.round);
}

std::string CaseLine(const CaseResult& result) {
  const std::string text = LineBegin(result.spec) + NumbersOf(result);
  return fmt::format("{}\t{:08x}\n", text, Crc32c(text));
}

// Nothing for a line that is damaged, or of another case.
std::optional<CaseResult> ParseCaseLine(std::string_view line, const CaseSpec& spec) {
  const size_t last = line.rfind('\t');
  if (last == std::string_view::npos ||
      line.substr(last + 1) != fmt::format("{:08x}", Crc32c(line.substr(0, last)))) {
    return std::nullopt;
  }
  const std::string begin = LineBegin(spec);
  if (!line.starts_with(begin) || begin.size() > last) return std::nullopt;
  CaseResult result{.spec = spec};
  if (!ReadNumbers(line.substr(begin.size(), last - begin.size()), &result)) return std::nullopt;
  return result;
}

// Compares the options at the start of `text`, which it removes.
absl::Status TakeHead(const CaseState::Options& options, std::string_view* text) {
  if (!text->starts_with(kHead)) {
    return absl::FailedPreconditionError("expected the state of a layout benchmark");
  }
  text->remove_prefix(kHead.size());
  for (const auto& [name, value] : options) {
    const std::string_view line = text->substr(0, text->find('\n'));
    if (!line.starts_with(name + " ")) {
      return absl::FailedPreconditionError(fmt::format("{}: missing in the state", name));
    }
    const std::string_view got = line.substr(name.size() + 1);
    if (got != value) {
      return absl::FailedPreconditionError(
          fmt::format("{}: expected {}, as in the run to resume, got {}", name,
                      QuoteForMessage(got), QuoteForMessage(value)));
    }
    text->remove_prefix(std::min(line.size() + 1, text->size()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CaseState> CaseState::Begin(const std::string& path, const Options& options) {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (!directory.empty()) std::filesystem::create_directories(directory, error);
  if (error) {
    return absl::UnavailableError(fmt::format("make {}: {}", directory.string(), error.message()));
  }
  CaseState state(path);
  HOURCELL_RETURN_IF_ERROR(state.Append(HeadOf(options), /*truncates=*/true));
  return state;
}

absl::StatusOr<CaseState> CaseState::Resume(const std::string& path,
                                            const Options& options,
                                            std::span<const CaseSpec> specs,
                                            std::vector<CaseResult>* results) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(fmt::format("{}: missing; expected a state file", path));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string_view rest = text;
  if (const absl::Status head = TakeHead(options, &rest); !head.ok()) {
    return absl::FailedPreconditionError(fmt::format("{}: {}", path, MessageOf(head)));
  }
  results->clear();
  while (results->size() < specs.size()) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    std::optional<CaseResult> result = ParseCaseLine(rest.substr(0, end), specs[results->size()]);
    if (!result.has_value()) break;
    results->push_back(*std::move(result));
    rest.remove_prefix(end + 1);
  }
  std::error_code error;
  std::filesystem::resize_file(path, text.size() - rest.size(), error);
  if (error) return absl::UnavailableError(fmt::format("{}: {}", path, error.message()));
  return CaseState(path);
}

absl::Status CaseState::Add(const CaseResult& result) {
  return Append(CaseLine(result), /*truncates=*/false);
}

absl::Status CaseState::Append(std::string_view text, bool truncates) {
  errno = 0;
  std::ofstream file(path_, std::ios::binary | (truncates ? std::ios::trunc : std::ios::app));
  file << text;
  file.close();
  if (file.good()) return absl::OkStatus();
  return absl::UnavailableError(fmt::format(
      "write {}: {}", path_, errno != 0 ? std::generic_category().message(errno) : "failed"));
}

}  // namespace hourcell::layouts
