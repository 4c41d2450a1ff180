// Programs share targets because each program holds the whole library that it tests. A program's
// name chooses the target, not an argument, because libFuzzer starts its own program again to merge
// corpora, with other arguments.

#include "tests/fuzz/choose_target.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace hourcell {
namespace {

const FuzzTarget* chosen = nullptr;

// fuzz_cell for build/fuzz/tests/fuzz/fuzz_cell.
std::string_view FileName(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

// The target that a program of this name runs; null for another name.
const FuzzTarget* TargetFor(std::string_view name) {
  constexpr std::string_view kPrefix = "fuzz_";
  if (!name.starts_with(kPrefix)) return nullptr;
  for (const FuzzTarget& target : FuzzTargets())
    if (name.substr(kPrefix.size()) == target.name) return &target;
  return nullptr;
}

void PrintTargets(std::string_view name) {
  std::fprintf(stderr,
               "%.*s is not a fuzz target of this program. Call it by one of these names:\n",
               static_cast<int>(name.size()), name.data());
  for (const FuzzTarget& target : FuzzTargets())
    std::fprintf(stderr, "  fuzz_%s\n", target.name);
}

}  // namespace
}  // namespace hourcell

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** argv) {
  using namespace hourcell;
  const std::string_view name = FileName((*argv)[0]);
  chosen = TargetFor(name);
  if (chosen == nullptr) {
    PrintTargets(name);
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return hourcell::chosen->run(data, size);
}
