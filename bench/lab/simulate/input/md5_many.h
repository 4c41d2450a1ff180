// MD5 (RFC 1321) of many short texts: eight at a time, one in each element of vectors, since the
// steps of one text depend on each other and those of several do not. For a caller that hashes a
// key for each of 10^8 puts. Pure.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace hourcell {

using Md5Digest = std::array<uint8_t, 16>;

// digests[i] is Md5(texts[i]). Texts of more than 55 bytes are hashed one by one. REQUIRES:
// texts.size() == digests.size().
void Md5Many(std::span<const std::string_view> texts, std::span<Md5Digest> digests);

}  // namespace hourcell
