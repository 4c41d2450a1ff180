#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "server/cli/data/import/line_reader.h"
#include "server/cli/data/import/whisper_dump.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/translated_lines.h"

// Whatever the dump: a line with a point is one import line or fault of Graphite's, and no time is
// a point of two archives.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view text = InputText(data, size);
  const ForeignRules rules{.format = ImportFormat::kWhisper, .default_tag = " from=fuzz"};
  WhisperDump dump("a.b");
  std::set<std::string, std::less<>> before;
  std::set<std::string, std::less<>> times;
  Line line;
  while (!text.empty()) {
    line.text = text.substr(0, text.find('\n'));
    ++line.number;
    text.remove_prefix(std::min(line.text.size() + 1, text.size()));
    const Line made = dump.Translate(line);
    HOURCELL_CHECK(made.number == line.number && !made.too_long);
    if (line.text.starts_with("Archive ")) before.merge(times);
    if (!made.fault.empty()) {
      HOURCELL_CHECK(made.text == line.text);
      continue;
    }
    CheckTranslations(rules, made.text);
    if (made.text.empty()) continue;
    const std::string_view time = made.text.substr(made.text.rfind(' ') + 1);
    HOURCELL_CHECK(!before.contains(time));
    times.emplace(time);
  }
  return 0;
}
