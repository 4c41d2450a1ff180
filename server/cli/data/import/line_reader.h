// LineReader: reads the lines of a file, plain or compressed with gzip, or of the standard input.
//
//   HOURCELL_ASSIGN_OR_RETURN(auto reader, LineReader::Open("points.gz"));
//   Line line;
//   while (true) {
//     HOURCELL_ASSIGN_OR_RETURN(const bool more, reader->Next(&line));
//     if (!more) break;
//     ...
//   }
//
// It detects compression by the first bytes, not by the name, so that pipes work, too.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/limits.h"

namespace hourcell {

struct Line {
  // Without its line end ("\n" or "\r\n"); the first line also without a byte order mark. For its
  // lifetime see LineReader::Next.
  std::string_view text;
  uint64_t number = 0;          // from 1
  bool too_long = false;        // longer than the reader's limit; `text` is its beginning
  std::string_view fault = {};  // a literal: why the line does not fit its format; empty = unknown
};

class LineReader {
  struct Gz;
  struct Key {};

 public:
  // "-" is the standard input. Longer lines than `line_bytes_max` are too long. kNotFound,
  // kUnavailable with the system's message.
  static absl::StatusOr<std::unique_ptr<LineReader>> Open(const std::string& path,
                                                          size_t line_bytes_max = kLineBytesMax);

  // For Open only: Key is private.
  LineReader(
      Key, std::string name, std::unique_ptr<Gz> gz, uint64_t bytes_total, size_t line_bytes_max);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Reads the next line; false at the end. A last line without a line end counts. Earlier lines
  // stay valid if NextIsBuffered() was true, except the text of a line that is too long. kDataLoss:
  // the compressed stream is damaged or truncated; kUnavailable: a read error.
  absl::StatusOr<bool> Next(Line* line);

  // Whether the buffer contains the complete next line.
  bool NextIsBuffered();

  // The name in messages: the path, or "stdin".
  const std::string& name() const { return name_; }

  // Bytes of the file itself (compressed bytes) read so far, and its size; 0 = unknown (a pipe).
  uint64_t bytes_read() const;
  uint64_t bytes_total() const { return bytes_total_; }

 private:
  absl::StatusOr<bool> TakeLine(size_t length, Line* line);
  absl::StatusOr<bool> SkipLine(size_t known_bytes);
  absl::StatusOr<bool> Fill();
  std::string_view buffered() const { return {buffer_.get() + begin_, end_ - begin_}; }

  const std::string name_;
  const std::unique_ptr<Gz> gz_;
  const uint64_t bytes_total_;
  const size_t line_bytes_max_;
  const size_t buffer_bytes_;
  const std::unique_ptr<char[]> buffer_;  // inflated; [begin_, end_) is unread
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t next_length_ = 0;  // bytes from begin_ to the next line's end if known, else 0
  uint64_t lines_ = 0;
  std::string too_long_;  // the beginning of the last line that was too long
};

// The size of a regular file; 0 for other inputs, such as "-". kNotFound; kInvalidArgument for a
// folder.
absl::StatusOr<uint64_t> InputBytes(const std::string& path);

}  // namespace hourcell
