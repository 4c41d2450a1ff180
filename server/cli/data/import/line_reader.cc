#include "server/cli/data/import/line_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <zlib.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

constexpr unsigned kLineReadBytes = 128 * 1024;
// Holds thousands of lines, so that an import stores that many at once.
constexpr size_t kBufferBytesMin = size_t{2} << 20;

// The buffer must have room to read after a complete line.
size_t BufferBytesFor(size_t line_bytes_max) {
  return std::max(kBufferBytesMin, 2 * line_bytes_max + kLineReadBytes);
}

// UTF-8's byte order mark, which editors and shells of Windows write.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The part of a line that is too long to keep for a message.
constexpr size_t kTooLongShownBytes = 256;

absl::Status SystemError(const std::string& path, int error) {
  const std::string text = fmt::format("{}: {}", path, std::generic_category().message(error));
  return error == ENOENT ? absl::NotFoundError(text) : absl::UnavailableError(text);
}

}  // namespace

// zlib's reader: inflates gzip, also with several members, and copies other data unchanged.
struct LineReader::Gz {
  gzFile file = nullptr;
  ~Gz() { gzclose_r(file); }
};

absl::StatusOr<uint64_t> InputBytes(const std::string& path) {
  if (path == "-") return 0;
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return SystemError(path, errno);
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(fmt::format("{}: is a directory; give a file", path));
  }
  return S_ISREG(info.st_mode) ? static_cast<uint64_t>(info.st_size) : 0;
}

absl::StatusOr<std::unique_ptr<LineReader>> LineReader::Open(const std::string& path,
                                                             size_t line_bytes_max) {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t bytes_total, InputBytes(path));
  // Duplicates the standard input, so that closing the reader leaves it open.
  const int fd = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return SystemError(path, errno);
  const gzFile file = gzdopen(fd, "rb");
  HOURCELL_CHECK(file != nullptr);  // only for a bad mode or no memory
  gzbuffer(file, kLineReadBytes);

  auto gz = std::make_unique<Gz>();
  gz->file = file;
  return std::make_unique<LineReader>(Key{}, path == "-" ? "stdin" : path, std::move(gz),
                                      bytes_total, line_bytes_max);
}

LineReader::LineReader(
    Key, std::string name, std::unique_ptr<Gz> gz, uint64_t bytes_total, size_t line_bytes_max)
    : name_(std::move(name)),
      gz_(std::move(gz)),
      bytes_total_(bytes_total),
      line_bytes_max_(line_bytes_max),
      buffer_bytes_(BufferBytesFor(line_bytes_max)),
      buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes_)) {}

LineReader::~LineReader() = default;

uint64_t LineReader::bytes_read() const {
  const auto offset = gzoffset(gz_->file);
  return offset < 0 ? 0 : static_cast<uint64_t>(offset);
}

bool LineReader::NextIsBuffered() {
  if (next_length_ == 0) {
    const size_t length = buffered().find('\n');
    if (length == std::string_view::npos) return false;
    next_length_ = length;
  }
  return true;
}

absl::StatusOr<bool> LineReader::Next(Line* line) {
  size_t searched = std::exchange(next_length_, 0);
  while (true) {
    const std::string_view rest = buffered();
    size_t length = rest.find('\n', searched);
    if (length == std::string_view::npos && rest.size() <= line_bytes_max_) {
      searched = rest.size();
      HOURCELL_ASSIGN_OR_RETURN(const bool more, Fill());
      if (more) continue;
      if (rest.empty()) return false;
      length = rest.size();  // a last line without its end
    }
    return TakeLine(std::min(length, rest.size()), line);
  }
}

absl::StatusOr<bool> LineReader::TakeLine(size_t length, Line* line) {
  std::string_view text = buffered().substr(0, length);
  line->number = ++lines_;
  line->too_long = length > line_bytes_max_;
  if (line->too_long) {
    // Copies the beginning: the search for the line's end reuses the buffer.
    too_long_.assign(text.substr(0, kTooLongShownBytes));
    line->text = too_long_;
    return SkipLine(length);
  }
  begin_ = std::min(begin_ + length + 1, end_);
  if (line->number == 1 && text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  if (text.ends_with('\r')) text.remove_suffix(1);
  line->text = text;
  return true;
}

absl::StatusOr<bool> LineReader::SkipLine(size_t known_bytes) {
  begin_ += known_bytes;
  while (true) {
    const std::string_view rest = buffered();
    const size_t end = rest.find('\n');
    if (end != std::string_view::npos) {
      begin_ += end + 1;
      return true;
    }
    begin_ = end_;
    HOURCELL_ASSIGN_OR_RETURN(const bool more, Fill());
    if (!more) return true;
  }
}

absl::StatusOr<bool> LineReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  HOURCELL_CHECK(end_ < buffer_bytes_);
  const auto room = static_cast<unsigned>(buffer_bytes_ - end_);
  const int got = gzread(gz_->file, buffer_.get() + end_, room);
  if (got > 0) {
    end_ += static_cast<size_t>(got);
    return true;
  }
  int error = Z_OK;
  const char* const message = gzerror(gz_->file, &error);
  if (error == Z_ERRNO) return SystemError(name_, errno);
  // A truncated stream reads as the end of the file; only gzerror shows the truncation.
  if (got < 0 || error == Z_BUF_ERROR) {
    return absl::DataLossError(fmt::format("{}: gzip: {}", name_, message));
  }
  return false;
}

}  // namespace hourcell
