#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/text/quoted_name.h"
#include "server/text/series_text.h"
#include "tests/fuzz/fuzz_input.h"

// Any text is refused, or gives a metric and tags that are written and read back the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto series = ParseSeriesText(InputText(data, size));
  if (!series.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(series.status()));
    return 0;
  }
  std::string text;
  AppendQuoted(series->metric, &text);
  text += '{';
  for (const TagMatch& tag : series->tags) {
    if (&tag != series->tags.data()) text += ',';
    AppendQuoted(tag.tagk, &text);
    text += '=';
    AppendQuoted(tag.tagv, &text);
  }
  const auto again = ParseSeriesText(text + "}");
  HOURCELL_CHECK(again.ok());
  HOURCELL_CHECK(again->metric == series->metric);
  HOURCELL_CHECK(again->tags == series->tags);
  return 0;
}
