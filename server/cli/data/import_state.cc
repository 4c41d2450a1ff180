#include "server/cli/data/import_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
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
  if (path.empty()) return std::unique_ptr<ImportState>(new ImportState(-1));
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return StateFailed(path, "open");
  std::unique_ptr<ImportState> state(new ImportState(file));
  std::ifstream stream(path);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return StateFailed(path, "read");
  const std::string head = fmt::format("hourcell import 1\nsource {}\ntarget {}\n", source, target);
  const absl::StatusOr<size_t> whole = state->Read(text, head);
  if (!whole.ok()) {
    return absl::FailedPreconditionError(fmt::format("{}: {}", path, MessageOf(whole.status())));
  }
  if (::ftruncate(file, static_cast<off_t>(*whole)) != 0) return StateFailed(path, "truncate");
  if (*whole == 0) {
    const MutexLock lock(&state->mutex_);
    HOURCELL_RETURN_IF_ERROR(state->Append(head));
  }
  return state;
}

absl::StatusOr<size_t> ImportState::Read(std::string_view text, std::string_view head) {
  // A crash may have truncated the head, too.
  if (text.size() < head.size() && head.starts_with(text)) return 0;
  if (!text.starts_with(head)) {
    return absl::FailedPreconditionError(
        fmt::format("is not the state of this import, which begins with {}; name another file with "
                    "--state",
                    QuoteForMessage(head)));
  }
  const MutexLock lock(&mutex_);
  size_t whole = head.size();
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
  if (file_ >= 0) ::close(file_);
}

absl::Status ImportState::Append(const std::string& text) {
  if (file_ < 0) return absl::OkStatus();
  const ssize_t written = ::write(file_, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size()) || ::fdatasync(file_) != 0) {
    return StateFailed("state file", "write");
  }
  return absl::OkStatus();
}

absl::Status ImportState::Add(FinishedSlice slice) {
  const MutexLock lock(&mutex_);
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
