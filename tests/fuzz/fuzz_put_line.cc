#include <algorithm>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/point_text.h"
#include "tests/fuzz/fuzz_input.h"

// Any line is refused with a reason, or its point prints to an import line of an equal point. The
// first byte chooses the syntax.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, std::min(size, kLineBytesMax));
  const PointSyntax syntax =
      TakeByte(&input) % 2 == 0 ? PointSyntax::kTelnet : PointSyntax::kImport;
  PointText text;
  if (const auto error = text.Parse(input, syntax, PointLimits{})) {
    HOURCELL_CHECK(error->kind == PointErrorKind::kInvalidValue ||
                   error->kind == PointErrorKind::kIllegalArgument);
    HOURCELL_CHECK(!error->text.empty());
    return 0;
  }
  std::string line;
  AppendImportLine(text.point(), &line);
  HOURCELL_CHECK(IsUtf8(line));
  PointText again;
  HOURCELL_CHECK(!again.Parse(line, PointSyntax::kImport, PointLimits{}));
  HOURCELL_CHECK(again.point().metric == text.point().metric);
  HOURCELL_CHECK(again.point().timestamp == text.point().timestamp);
  HOURCELL_CHECK(again.point().value == text.point().value);
  HOURCELL_CHECK(std::equal(again.point().tags.begin(), again.point().tags.end(),
                            text.point().tags.begin(), text.point().tags.end()));
  return 0;
}
