// LineReader: the lines of a file, plain or compressed with gzip, or of the standard input.
//
//   HOURCELL_ASSIGN_OR_RETURN(auto reader, LineReader::Open("points.gz"));
//   Line line;
//   while (true) {
//     HOURCELL_ASSIGN_OR_RETURN(const bool more, reader->Next(&line));
//     if (!more) break;
//     ...
//   }
//
// Compression is found by the first bytes, not by the name, so that it works on a pipe, too.
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
  // Without its end ("\n" or "\r\n"), the first without a byte order mark; see LineReader::Next.
  std::string_view text;
  uint64_t number = 0;          // from 1
  bool too_long = false;        // over the reader's limit; `text` is its beginning
  std::string_view fault = {};  // why it is no line of its format, a literal; empty = it may be one
};

class LineReader {
  struct Gz;
  struct Key {};

 public:
  // "-" is the standard input. `line_bytes_max`: of the longest line that is not too long.
  // kNotFound, kUnavailable with the system's words.
  static absl::StatusOr<std::unique_ptr<LineReader>> Open(const std::string& path,
                                                          size_t line_bytes_max = kLineBytesMax);

  // For Open only: Key is nobody else's.
  LineReader(
      Key, std::string name, std::unique_ptr<Gz> gz, uint64_t bytes_total, size_t line_bytes_max);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // The next line; false at the end. A last line without an end counts. Lines given before stay
  // valid if NextIsBuffered() was true; the text of one that was too long never does.
  // kDataLoss: the compressed stream is damaged or cut short; kUnavailable: it cannot be read.
  absl::StatusOr<bool> Next(Line* line);

  // Whether the next line is in the buffer already, whole.
  bool NextIsBuffered();

  // As messages call it: the path, or "stdin".
  const std::string& name() const { return name_; }

  // Bytes of the file itself (compressed ones) taken so far, and all it has; 0 = unknown (a pipe).
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
  const std::unique_ptr<char[]> buffer_;  // inflated; [begin_, end_) is not yet handed out
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t next_length_ = 0;  // bytes from begin_ to the next line's end, if it was looked for; or 0
  uint64_t lines_ = 0;
  std::string too_long_;  // the beginning of the last line that was
};

// The size of a regular file; 0 for anything else, such as "-". kNotFound, kInvalidArgument for a
// folder.
absl::StatusOr<uint64_t> InputBytes(const std::string& path);

}  // namespace hourcell
