#include <charconv>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "promql/text/parser.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

// "2:5: parse error: ..." has the line and the place in it of a byte of the text, or of its end.
void CheckPosition(std::string_view text, std::string_view message) {
  size_t line = 0;
  size_t place = 0;
  const char* const end = message.data() + message.size();
  const char* const colon = std::from_chars(message.data(), end, line).ptr;
  HOURCELL_CHECK(colon != end && *colon == ':');
  const char* const rest = std::from_chars(colon + 1, end, place).ptr;
  const std::string_view words(rest, static_cast<size_t>(end - rest));
  HOURCELL_CHECK(words.substr(0, 15) == ": parse error: " && words.size() > 15);
  HOURCELL_CHECK(line >= 1 && place >= 1);
  for (; line > 1; --line) {
    const size_t line_break = text.find('\n');
    HOURCELL_CHECK(line_break != std::string_view::npos);
    text.remove_prefix(line_break + 1);
  }
  HOURCELL_CHECK(place <= text.substr(0, text.find('\n')).size() + 1);
}

}  // namespace

// Any text is refused with a position inside it, or is an expression; the printed expression
// parses, and prints the same again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  using namespace hourcell::promql;
  const std::string_view text = InputText(data, size);
  const auto query = ParseQuery(text);
  if (query.ok()) {
    const std::string printed = ExpressionText(**query);
    const auto again = ParseQuery(printed);
    HOURCELL_CHECK(again.ok());
    HOURCELL_CHECK(ExpressionText(**again) == printed);
    HOURCELL_CHECK((*again)->type == (*query)->type);
    HOURCELL_CHECK((*query)->where.begin < (*query)->where.end);
    HOURCELL_CHECK((*query)->where.end <= text.size());
  } else {
    HOURCELL_CHECK(absl::IsInvalidArgument(query.status()));
    CheckPosition(text, MessageOf(query.status()));
  }
  const auto selector = ParseSelector(text);
  if (!selector.ok()) CheckPosition(text, MessageOf(selector.status()));
  return 0;
}
