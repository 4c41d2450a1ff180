// BodyEncoder: pieces of a response's body as the bytes of HTTP: compressed if wanted, and framed.
//
// Chunked, a piece is sent as
//   <bytes in hex> CR LF <bytes> CR LF
// and the end of the body is "0" CR LF CR LF. Thread-compatible.

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

  // Appends what is to be sent for a piece to `*out`. Compression keeps some back, except of the
  // first piece: a client may see at once that there is something to read.
  void Encode(std::string_view piece, std::string* out);

  // Appends the last piece and the end of the body.
  void End(std::string_view piece, std::string* out);

 private:
  struct Deflater;

  void Append(std::string_view piece, int flush, std::string* out);
  void Frame(std::string_view bytes, std::string* out) const;

  const bool chunked_;
  bool is_first_ = true;
  const std::unique_ptr<Deflater> deflater_;  // none without gzip
};

}  // namespace hourcell
