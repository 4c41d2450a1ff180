// What fuzz targets take their input apart with.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

}  // namespace hourcell
