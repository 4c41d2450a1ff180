#include "tests/server/http/http_decode.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

#include <zlib.h>

namespace hourcell {

std::optional<std::string> Unchunk(std::string_view text) {
  std::string body;
  while (true) {
    size_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, 16);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.size() < size + 4 || !text.starts_with("\r\n")) return std::nullopt;
    body += text.substr(2, size);
    text.remove_prefix(size + 2);
    if (!text.starts_with("\r\n")) return std::nullopt;
    text.remove_prefix(2);
    if (size == 0) return text.empty() ? std::optional(body) : std::nullopt;
  }
}

std::optional<std::string> Gunzip(std::string_view bytes, bool want_end) {
  z_stream stream = {};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;
  std::string out;
  std::array<char, 4096> room;
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int code = Z_OK;
  do {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(room.data(), room.size() - stream.avail_out);
  } while (code == Z_OK && (stream.avail_in > 0 || stream.avail_out == 0));
  const bool is_whole = code == Z_STREAM_END;
  inflateEnd(&stream);
  if (!is_whole && want_end) return std::nullopt;
  return out;
}

}  // namespace hourcell
