#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/point_text.h"
#include "codec/text/put_line.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace hourcell;

// The quick way in and the store's ParseSeries after it give the same error or the same point.
void CheckQuickWay(std::string_view line,
                   PointSyntax syntax,
                   const std::optional<PointError>& want_error,
                   const PointView& want) {
  PointText parser;
  LinePoint quick;
  std::optional<PointError> error = ParsePointLine(line, syntax, PointLimits{}, &parser, &quick);
  PointText series;
  if (!error) error = series.ParseSeries(quick.metric, quick.tags, PointLimits{});
  HOURCELL_CHECK(error == want_error);
  if (error) return;
  HOURCELL_CHECK(quick.timestamp == want.timestamp && quick.value == want.value);
  HOURCELL_CHECK(series.point().metric == want.metric);
  HOURCELL_CHECK(std::ranges::equal(series.point().tags, want.tags));

  std::string put = "put ";
  put.append(line).append("\n");
  LinePoint scanned;
  const size_t length = ScanPutLine(put, &scanned);
  if (length != put.size()) return;  // unusual, or the line has ends within
  HOURCELL_CHECK(scanned.timestamp == want.timestamp && scanned.value == want.value);
  HOURCELL_CHECK(scanned.metric == quick.metric);
  HOURCELL_CHECK(quick.tags.starts_with(scanned.tags));
}

}  // namespace

// Any line is refused with a reason, or its point prints to an import line of an equal point; the
// quick way in agrees. The first byte chooses the syntax.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input = InputText(data, std::min(size, kLineBytesMax));
  const PointSyntax syntax =
      TakeByte(&input) % 2 == 0 ? PointSyntax::kTelnet : PointSyntax::kImport;
  PointText text;
  const auto error = text.Parse(input, syntax, PointLimits{});
  CheckQuickWay(input, syntax, error, text.point());
  if (error) {
    HOURCELL_CHECK(error->kind == PointErrorKind::kInvalidValue ||
                   error->kind == PointErrorKind::kIllegalArgument);
    HOURCELL_CHECK(!error->text.empty());
    return 0;
  }
  std::string line;
  AppendImportLine(text.point(), &line);
  HOURCELL_CHECK(IsUtf8(line));
  // `again` refers to the names of a quoted line.
  std::string names;
  LinePoint quoted;
  PointText words;
  PointText again;
  if (HasQuotedName(line) && line.find(kTagSeparator) != line.npos) {
    // No store takes this control character, and a quoted line with it is refused.
    HOURCELL_CHECK(ParseQuotedLine(line, PointLimits{}, &words, &names, &quoted).has_value());
    return 0;
  }
  if (HasQuotedName(line)) {
    HOURCELL_CHECK(!ParseQuotedLine(line, PointLimits{}, &words, &names, &quoted));
    HOURCELL_CHECK(quoted.timestamp == text.point().timestamp);
    HOURCELL_CHECK(quoted.value == text.point().value);
    HOURCELL_CHECK(!again.ParseSeries(quoted, PointLimits{}));
  } else {
    HOURCELL_CHECK(!again.Parse(line, PointSyntax::kImport, PointLimits{}));
    HOURCELL_CHECK(again.point().timestamp == text.point().timestamp);
    HOURCELL_CHECK(again.point().value == text.point().value);
  }
  HOURCELL_CHECK(again.point().metric == text.point().metric);
  HOURCELL_CHECK(std::equal(again.point().tags.begin(), again.point().tags.end(),
                            text.point().tags.begin(), text.point().tags.end()));
  return 0;
}
