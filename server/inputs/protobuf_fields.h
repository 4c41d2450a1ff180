// Fields of protobuf messages for protozero: tag and type together, and bytes as text. protozero
// does not check a field's type and would misread one that differs from the schema; so readers
// switch on these values and skip unknown ones. Included only by .cc files.

#pragma once

#include <cstdint>
#include <string_view>

#include <protozero/pbf_reader.hpp>
#include <protozero/types.hpp>

namespace hourcell {

constexpr uint32_t VarintField(uint32_t tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::varint);
}
constexpr uint32_t Fixed64Field(uint32_t tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::fixed64);
}
constexpr uint32_t BytesField(uint32_t tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::length_delimited);
}

inline std::string_view ViewOf(const protozero::data_view& view) {
  return {view.data(), view.size()};
}
inline protozero::data_view DataOf(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace hourcell
