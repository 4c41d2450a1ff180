// The fields of protobuf messages as protozero reads them: tags and types together, and bytes as
// text. protozero reads what it is asked to read, so a field of another type than the schema's
// would be read as what it is not; a reader switches on these, and skips what it does not know.
// Included by .cc files alone.

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
