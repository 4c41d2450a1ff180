// BuildInfo: the sources, compiler and libraries of this program.

#pragma once

#include <string_view>

namespace hourcell {

struct BuildInfo {
  std::string_view commit;      // or "unknown"; of-a-developer in the tree's builds
  std::string_view build_type;  // CMake's, such as RelWithDebInfo
  std::string_view compiler;    // "gcc 12.2.0"
  bool has_debug_checks = false;
  std::string_view libraries;  // "RocksDB 7.8.3, Abseil 20220623, ..."
};

// Thread-safe.
const BuildInfo& ThisBuild();

}  // namespace hourcell
