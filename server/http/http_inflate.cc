#include "server/http/http_inflate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <snappy.h>
#include <zlib.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

constexpr int kInflateWindowBits = 15 + 16;  // 15 = the largest window; + 16 = a gzip wrapper
constexpr int kZlibWindowBits = 15;
constexpr int kRawWindowBits = -15;

// Owns zlib's state for one stream.
class Stream {
 public:
  explicit Stream(int window_bits) { HOURCELL_CHECK(inflateInit2(&stream_, window_bits) == Z_OK); }
  ~Stream() { inflateEnd(&stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream* get() { return &stream_; }

 private:
  z_stream stream_{};
};

int WindowBits(std::string_view bytes, Compression compression) {
  if (compression == Compression::kGzip) return kInflateWindowBits;
  // A zlib header is CMF and FLG: method 8, and a multiple of 31 as one big-endian number.
  if (bytes.size() < 2) return kRawWindowBits;
  const auto cmf = static_cast<uint8_t>(bytes[0]);
  const auto flg = static_cast<uint8_t>(bytes[1]);
  const bool is_zlib = (cmf & 0x0F) == 8 && (cmf >> 4) <= 7 && (cmf * 256 + flg) % 31 == 0;
  return is_zlib ? kZlibWindowBits : kRawWindowBits;
}

absl::Status DamagedError(const z_stream& stream) {
  return absl::InvalidArgumentError(
      fmt::format("compressed body: damaged or cut short at byte {}{}{}", stream.total_in,
                  stream.msg == nullptr ? "" : ": ", stream.msg == nullptr ? "" : stream.msg));
}

// Reserves memory for an output of `bytes` in addition to the `held` bytes.
bool HasRoom(size_t held, size_t bytes, RequestBodyBudget::Hold* hold) {
  if (hold == nullptr || bytes <= kSmallBodyBytesMax || hold->Grow(held + bytes)) return true;
  hold->Shrink(held);
  return false;
}

// Parses a lower-case name.
std::optional<Compression> CompressionOf(std::string_view encoding) {
  if (encoding == "gzip" || encoding == "x-gzip") return Compression::kGzip;
  if (encoding == "deflate") return Compression::kDeflate;
  if (encoding == "snappy") return Compression::kSnappy;
  return std::nullopt;
}

absl::Status TooLargeError(size_t bytes_max) {
  return absl::ResourceExhaustedError(
      fmt::format("compressed body: more than {} bytes when inflated", bytes_max));
}

// A block begins with its size. No valid block has the compression ratio of a bomb.
absl::StatusOr<std::string> InflateSnappy(std::string_view bytes,
                                          size_t bytes_max,
                                          RequestBodyBudget::Hold* hold) {
  constexpr size_t kRatioMax = 22;  // the longest copy, of 64 bytes, takes 3
  size_t size = 0;
  const bool has_size = snappy::GetUncompressedLength(bytes.data(), bytes.size(), &size);
  if (!has_size || size / kRatioMax > bytes.size())
    return absl::InvalidArgumentError("compressed body: no block of snappy");
  if (size > bytes_max) return TooLargeError(bytes_max);
  if (!HasRoom(hold == nullptr ? 0 : hold->bytes(), size, hold))
    return absl::UnavailableError(std::string(kNoRequestBodyBudget));
  std::string out(size, '\0');
  if (!snappy::RawUncompress(bytes.data(), bytes.size(), out.data()))
    return absl::InvalidArgumentError("compressed body: a damaged block of snappy");
  return out;
}

}  // namespace

absl::StatusOr<std::string> Inflate(std::string_view bytes,
                                    Compression compression,
                                    size_t bytes_max,
                                    RequestBodyBudget::Hold* hold) {
  if (compression == Compression::kSnappy) return InflateSnappy(bytes, bytes_max, hold);
  HOURCELL_CHECK(bytes.size() <= std::numeric_limits<uInt>::max());
  Stream owner(WindowBits(bytes, compression));
  z_stream* const stream = owner.get();
  stream->next_in = reinterpret_cast<const Bytef*>(bytes.data());
  stream->avail_in = static_cast<uInt>(bytes.size());
  const size_t held = hold == nullptr ? 0 : hold->bytes();

  std::string out;
  std::array<Bytef, 32 * 1024> chunk;
  while (true) {
    stream->next_out = chunk.data();
    stream->avail_out = static_cast<uInt>(chunk.size());
    const int result = inflate(stream, Z_NO_FLUSH);
    const size_t got = chunk.size() - stream->avail_out;
    if (out.size() + got > bytes_max) {
      return TooLargeError(bytes_max);
    }
    if (!HasRoom(held, out.size() + got, hold)) {
      return absl::UnavailableError(std::string(kNoRequestBodyBudget));
    }
    out.append(reinterpret_cast<const char*>(chunk.data()), got);
    if (result == Z_STREAM_END) {
      if (stream->avail_in == 0) return out;
      if (compression != Compression::kGzip) return DamagedError(*stream);
      if (inflateReset(stream) != Z_OK) return DamagedError(*stream);  // the next gzip member
    } else if (result != Z_OK) {
      return DamagedError(*stream);  // Z_BUF_ERROR, too: no input left, but no end seen
    }
  }
}

bool ClaimsMoreThan(size_t bytes, const HttpRequest& request) {
  const std::string_view body = request.body;
  if (body.size() > bytes) return true;
  const std::string_view header = request.header("content-encoding");
  if (header.empty() || body.empty()) return false;
  size_t size = 0;
  switch (CompressionOf(LowerCase(header)).value_or(Compression::kDeflate)) {
    case Compression::kSnappy:
      return snappy::GetUncompressedLength(body.data(), body.size(), &size) && size > bytes;
    case Compression::kGzip:  // last four bytes: size of the last member, modulo 2^32
      for (size_t i = 0; i < 4 && body.size() >= 4; ++i)
        size |= size_t{static_cast<uint8_t>(body[body.size() - 4 + i])} << (8 * i);
      return size > bytes;
    case Compression::kDeflate:
      break;
  }
  return false;
}

bool IsSnappyBlock(std::string_view bytes) {
  return snappy::IsValidCompressedBuffer(bytes.data(), bytes.size());
}

absl::Status InflateBody(size_t bytes_max, HttpRequest* request, RequestBodyBudget::Hold* hold) {
  if (request->body.empty()) return absl::OkStatus();
  const std::string encoding = LowerCase(request->header("content-encoding"));
  if (encoding.empty() || encoding == "identity") return absl::OkStatus();
  const std::optional<Compression> compression = CompressionOf(encoding);
  if (!compression) {
    return absl::UnimplementedError(fmt::format(
        "Content-Encoding: expected gzip, deflate or snappy, got {}", QuoteForMessage(encoding)));
  }
  HOURCELL_ASSIGN_OR_RETURN(request->body, Inflate(request->body, *compression, bytes_max, hold));
  const size_t bytes = request->body.size();
  if (hold != nullptr) hold->Shrink(bytes > kSmallBodyBytesMax ? bytes : 0);
  std::erase_if(request->headers,
                [](const auto& header) { return header.first == "content-encoding"; });
  return absl::OkStatus();
}

}  // namespace hourcell
