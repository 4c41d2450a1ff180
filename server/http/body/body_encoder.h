// BodyEncoder: encodes the pieces of a response body for HTTP: compresses them if requested, and
// frames them.
//
// A chunk is
//   <bytes in hex> CR LF <bytes> CR LF
// and the body ends with "0" CR LF CR LF. Thread-compatible.

#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace hourcell {

class BodyEncoder {
 public:
  BodyEncoder(bool gzip, bool chunked);
  ~BodyEncoder();
  BodyEncoder(const BodyEncoder&) = delete;
  BodyEncoder& operator=(const BodyEncoder&) = delete;

  // Appends the encoding of a piece to `*out`. Compression may buffer output, except for the first
  // piece, so that clients see data early.
  void Encode(std::string_view piece, std::string* out);

  // Appends the last piece and the end of the body.
  void End(std::string_view piece, std::string* out);

 private:
  struct Deflater;

  void Append(std::string_view piece, int flush, std::string* out);
  void Frame(std::string_view bytes, std::string* out) const;

  const bool chunked_;
  bool is_first_ = true;
  const std::unique_ptr<Deflater> deflater_;  // null without gzip
};

}  // namespace hourcell
