#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/rows/uid.h"
#include "server/cli/data/java_text.h"
#include "server/cli/names/uid_lines.h"
#include "tests/fuzz/fuzz_input.h"

// A line that is a mapping is printed as a line that is the same one.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto row = ParseUidLine(InputText(data, size));
  if (!row.ok() || !row->has_value()) return 0;
  std::string line(KindName((*row)->kind));
  line += " " + (*row)->name + ": ";
  AppendJavaBytes((*row)->uid_bytes, &line);
  const auto again = ParseUidLine(line);
  HOURCELL_CHECK(again.ok() && again->has_value());
  HOURCELL_CHECK((*again)->kind == (*row)->kind && (*again)->name == (*row)->name);
  HOURCELL_CHECK((*again)->uid_bytes == (*row)->uid_bytes);
  return 0;
}
