#include "server/cli/data/import_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "codec/base/crc32c.h"
#include "codec/base/status_macros.h"
#include "codec/text/number.h"

// Why a log, not a file that is rewritten and renamed: a large import has a hundred thousand
// slices, and each would rewrite all previous ones.

namespace hourcell {
namespace {

constexpr std::string_view kSliceWord = "slice ";

absl::Status StateFailed(const std::string& path, std::string_view what) {
  return absl::UnavailableError(
      fmt::format("{}: {}: {}", path, what, std::generic_category().message(errno)));
}

// Whether a file can be made at the path: an import should not find out after its first slice. If
// not, errno has the reason.
bool IsDirectoryWritable(const std::string& path) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  return ::access(directory.empty() ? "." : directory.c_str(), W_OK) == 0;
}

// Removes and returns the text before the next blank.
std::string_view TakeStateWord(std::string_view* rest) {
  const std::string_view word = rest->substr(0, rest->find(' '));
  rest->remove_prefix(std::min(word.size() + 1, rest->size()));
  return word;
}

}  // namespace

std::string FinishedSliceText(const FinishedSlice& slice) {
  std::string line = fmt::format("{}{} {} {} {} {}", kSliceWord, slice.time.start_s,
                                 slice.time.end_s, slice.points, slice.sum, slice.metric);
  line += fmt::format(" {:08x}", Crc32c(line));
  return line;
}

std::optional<FinishedSlice> ParseFinishedSlice(std::string_view line) {
  const size_t last = line.rfind(' ');
  if (last == std::string_view::npos || !line.starts_with(kSliceWord)) return std::nullopt;
  if (line.substr(last + 1) != fmt::format("{:08x}", Crc32c(line.substr(0, last)))) {
    return std::nullopt;
  }
  std::string_view rest = line.substr(kSliceWord.size(), last - kSliceWord.size());
  std::array<int64_t, 3> numbers{};
  for (int64_t& number : numbers) {
    const Parsed<int64_t> parsed = ParseInteger(TakeStateWord(&rest));
    if (!parsed.ok()) return std::nullopt;
    number = *parsed;
  }
  const Parsed<double> sum = ParseDouble(TakeStateWord(&rest));
  if (!sum.ok() || numbers[2] < 0 || rest.empty()) return std::nullopt;
  return FinishedSlice{.metric = std::string(rest),
                       .time = {.start_s = numbers[0], .end_s = numbers[1]},
                       .points = static_cast<uint64_t>(numbers[2]),
                       .sum = *sum};
}

absl::StatusOr<std::unique_ptr<ImportState>> ImportState::Open(const std::string& path,
                                                               std::string_view source,
                                                               std::string_view target) {
  std::unique_ptr<ImportState> state(new ImportState(
      path, fmt::format("hourcell import 1\nsource {}\ntarget {}\n", source, target)));
  if (path.empty()) return state;
  const MutexLock lock(&state->mutex_);
  state->file_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (state->file_ < 0 && errno == ENOENT && IsDirectoryWritable(path)) return state;
  if (state->file_ < 0) return StateFailed(path, "open");
  HOURCELL_RETURN_IF_ERROR(state->ReadFile());
  HOURCELL_RETURN_IF_ERROR(state->MakeFile());
  return state;
}

absl::Status ImportState::ReadFile() {
  std::ifstream stream(path_);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return StateFailed(path_, "read");
  const absl::StatusOr<size_t> whole = Read(text);
  if (!whole.ok()) {
    return absl::FailedPreconditionError(fmt::format("{}: {}", path_, MessageOf(whole.status())));
  }
  if (::ftruncate(file_, static_cast<off_t>(*whole)) != 0) return StateFailed(path_, "truncate");
  has_head_ = *whole > 0;
  return absl::OkStatus();
}

absl::StatusOr<size_t> ImportState::Read(std::string_view text) {
  // A crash may have truncated the head, too.
  if (text.size() < head_.size() && head_.starts_with(text)) return 0;
  if (!text.starts_with(head_)) {
    return absl::FailedPreconditionError(
        fmt::format("is not the state of this import, which begins with {}; name another file with "
                    "--state",
                    QuoteForMessage(head_)));
  }
  size_t whole = head_.size();
  while (true) {
    const size_t end = text.find('\n', whole);
    if (end == std::string_view::npos) return whole;
    std::optional<FinishedSlice> slice = ParseFinishedSlice(text.substr(whole, end - whole));
    if (!slice.has_value()) return whole;
    slices_[slice->metric].push_back(*std::move(slice));
    whole = end + 1;
  }
}

ImportState::~ImportState() {
  const MutexLock lock(&mutex_);
  if (file_ >= 0) ::close(file_);
}

absl::Status ImportState::MakeFile() {
  if (path_.empty() || has_head_) return absl::OkStatus();
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) return StateFailed(path_, "open");
  HOURCELL_RETURN_IF_ERROR(Append(head_));
  has_head_ = true;
  return absl::OkStatus();
}

absl::Status ImportState::Begin() {
  const MutexLock lock(&mutex_);
  return MakeFile();
}

absl::Status ImportState::Append(const std::string& text) {
  if (path_.empty()) return absl::OkStatus();
  const ssize_t written = ::write(file_, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size()) || ::fdatasync(file_) != 0) {
    return StateFailed("state file", "write");
  }
  return absl::OkStatus();
}

absl::Status ImportState::Add(FinishedSlice slice) {
  const MutexLock lock(&mutex_);
  HOURCELL_RETURN_IF_ERROR(MakeFile());
  HOURCELL_RETURN_IF_ERROR(Append(FinishedSliceText(slice) + "\n"));
  slices_[slice.metric].push_back(std::move(slice));
  return absl::OkStatus();
}

std::vector<FinishedSlice> ImportState::SlicesOf(std::string_view metric) const {
  const MutexLock lock(&mutex_);
  const auto found = slices_.find(metric);
  return found == slices_.end() ? std::vector<FinishedSlice>() : found->second;
}

}  // namespace hourcell
