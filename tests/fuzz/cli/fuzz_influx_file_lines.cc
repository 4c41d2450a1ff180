#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/translated_lines.h"

// Any lines are import lines with legal names, or faults, whatever came before them.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  CheckTranslations({.format = ImportFormat::kInflux, .default_tag = " from=fuzz"},
                    InputText(data, size));
  return 0;
}
