// Helpers with which fuzz targets split their input.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hourcell {

// The input as text.
inline std::string_view InputText(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Takes one byte off the front of `*input`; 0 if it is empty.
inline uint8_t TakeByte(std::string_view* input) {
  if (input->empty()) return 0;
  const auto byte = static_cast<uint8_t>(input->front());
  input->remove_prefix(1);
  return byte;
}

// Takes a byte and as many bytes as it says, or what is left, off the front of `*input`.
inline std::string_view TakePart(std::string_view* input) {
  const size_t size = TakeByte(input);
  const std::string_view part = input->substr(0, std::min(size, input->size()));
  input->remove_prefix(part.size());
  return part;
}

// The input with its runs written out: RS (0x1e), two bytes n, big-endian, and a byte c are n times
// c. So an input that is short enough to be tried often is as long as the limits it tests. Bytes
// beyond `size_max` are left out.
inline std::string WithRuns(std::string_view input, size_t size_max) {
  constexpr char kRun = 0x1e;
  std::string text;
  while (!input.empty() && text.size() < size_max) {
    const char c = input.front();
    input.remove_prefix(1);
    if (c != kRun) {
      text += c;
      continue;
    }
    const size_t high = TakeByte(&input);
    const size_t count = high << 8 | TakeByte(&input);
    text.append(count, static_cast<char>(TakeByte(&input)));
  }
  text.resize(std::min(text.size(), size_max));
  return text;
}

// Where a text that comes in two pieces is cut: everywhere if it is short; else near its ends, its
// middle and the sizes that buffers and limits have.
inline std::vector<size_t> CutsOf(size_t size) {
  constexpr size_t kEverywhereMax = 256;
  std::vector<size_t> cuts;
  if (size <= kEverywhereMax) {
    for (size_t cut = 0; cut < size; ++cut)
      cuts.push_back(cut);
    return cuts;
  }
  for (const size_t place : {size_t{1}, size_t{4} << 10, size_t{8} << 10, size_t{16} << 10,
                             size_t{64} << 10, size_t{80} << 10, size / 2, size - 1}) {
    for (const size_t cut : {place - 1, place, place + 1})
      if (cut < size) cuts.push_back(cut);
  }
  return cuts;
}

// The size of the piece at `place` of a text in small pieces: one byte, and more bytes once the
// text is long.
inline size_t SmallPieceAt(size_t place) {
  constexpr size_t kSingleBytes = 1024;
  constexpr size_t kPieceBytes = 1021;
  return place < kSingleBytes ? 1 : kPieceBytes;
}

}  // namespace hourcell
