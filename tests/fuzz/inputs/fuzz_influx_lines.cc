#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/rows/layout.h"
#include "codec/text/name.h"
#include "server/inputs/influx/influx_lines.h"
#include "server/inputs/name_rule.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

void CheckName(const NameRule& rule, std::string_view text) {
  HOURCELL_CHECK(!text.empty() && text.size() <= kNameBytesMax);
  std::string buffer;
  const std::string name = rule.Apply(InfluxName(text, &buffer));
  if (name.size() > kNameBytesMax) return;  // a hash has made it too long
  HOURCELL_CHECK(NameFault(name, NameEncoding::kLatin1, "").empty());
}

void CheckLine(const NameRule& rule, const InfluxLine& line) {
  CheckName(rule, line.measurement);
  HOURCELL_CHECK(line.tags.size() <= kTagsMax);
  HOURCELL_CHECK(line.fields.size() <= kInfluxFieldsMax);
  HOURCELL_CHECK(line.fields.size() + line.strings > 0);
  for (const TagView& tag : line.tags) {
    CheckName(rule, tag.key);
    CheckName(rule, tag.value);
  }
  for (const InfluxField& field : line.fields) {
    CheckName(rule, field.key);
    HOURCELL_CHECK(std::isfinite(field.value.ToDouble()));
  }
}

}  // namespace
}  // namespace hourcell

// Any body is read to its end; each line has a fault or names that are legal after the rule, and
// lines are numbered as their ends are counted.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  static const NameRule rule(NameEncoding::kLatin1, "");
  const std::string body(InputText(data, size));
  InfluxLines lines(body);
  size_t number = 0;
  while (lines.Next()) {
    HOURCELL_CHECK(lines.number() > number);
    number = lines.number();
    if (lines.fault().empty()) {
      CheckLine(rule, lines.line());
    } else {
      HOURCELL_CHECK(IsUtf8(lines.fault()));
    }
  }
  HOURCELL_CHECK(number <= 1 + static_cast<size_t>(std::ranges::count(body, '\n')));
  return 0;
}
