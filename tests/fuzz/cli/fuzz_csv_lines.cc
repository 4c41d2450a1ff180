#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "server/cli/data/import/csv_lines.h"
#include "server/cli/data/scan/export_text.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/translated_lines.h"

namespace hourcell {
namespace {

// Fields of a line that are written again are the same fields.
void CheckFields(std::string_view line) {
  std::vector<std::string> fields;
  if (!SplitCsv(line, &fields)) return;
  std::string again;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) again.push_back(',');
    AppendCsvField(fields[i], &again);
  }
  std::vector<std::string> split;
  HOURCELL_CHECK(SplitCsv(again, &split));
  HOURCELL_CHECK(split == fields);
}

}  // namespace
}  // namespace hourcell

// The first line: the fields. The others are import lines with legal names, or faults.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view text = InputText(data, size);
  const std::string fields(text.substr(0, text.find('\n')));
  text.remove_prefix(std::min(fields.size() + 1, text.size()));
  CheckFields(text.substr(0, text.find('\n')));
  if (!ParseCsvFields(fields).ok()) return 0;
  CheckTranslations(
      {.format = ImportFormat::kCsv, .default_tag = " from=fuzz", .csv_columns = fields}, text);
  return 0;
}
