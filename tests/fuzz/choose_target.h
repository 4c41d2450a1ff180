// The fuzz targets of one program. A run chooses one.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hourcell {

struct FuzzTarget {
  const char* name;
  int (*run)(const uint8_t* data, size_t size);
};

// The targets of this program. CMake writes the function: cmake/hourcell_targets.cmake.
std::span<const FuzzTarget> FuzzTargets();

}  // namespace hourcell

// libFuzzer calls the two functions by these names; replay_main.cc does so, too. The first chooses
// the target by the last part of (*argv)[0], fuzz_<target>. Another name ends the program.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
