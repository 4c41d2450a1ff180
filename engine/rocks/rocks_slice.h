// rocksdb::Slice <-> std::string_view: views of the same bytes, with the same lifetime.

#pragma once

#include <string_view>

#include <rocksdb/slice.h>

namespace hourcell {

inline rocksdb::Slice ToSlice(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}

inline std::string_view ToView(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

}  // namespace hourcell
