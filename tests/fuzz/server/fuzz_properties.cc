#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "server/config/config.h"
#include "server/config/engine_options.h"
#include "server/config/properties.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

// `text` with everything that means something to the reader escaped.
std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      out += {'\\', c};
    }
  }
  return out;
}

// A backslash before these letters is a separate escape, so these letters stay bare.
bool IsPlainLetter(char c) {
  return c == 't' || c == 'n' || c == 'r' || c == 'f' || c == 'u';
}

std::string EscapeText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (IsPlainLetter(c)) {
      out += c;
    } else {
      out += Escape({&c, 1});
    }
  }
  return out;
}

void CheckPrintsBack(const Property& property) {
  if (property.key.empty()) return;
  const std::string text = EscapeText(property.key) + "=" + EscapeText(property.value) + "\n";
  PropertiesReader reader(text);
  const std::optional<Property> again = reader.Next();
  HOURCELL_CHECK(again.has_value());
  HOURCELL_CHECK(again->key == property.key);
  HOURCELL_CHECK(again->value == property.value);
  HOURCELL_CHECK(!reader.Next().has_value());
}

}  // namespace
}  // namespace hourcell

// Any text is read as properties that print back, lines ascend, and a Config takes it or says in
// which line it is wrong.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view input = InputText(data, std::min<size_t>(size, 4096));
  PropertiesReader reader(input);
  size_t line = 0;
  while (const std::optional<Property> property = reader.Next()) {
    HOURCELL_CHECK(property->line > line);
    line = property->line;
    CheckPrintsBack(*property);
  }
  Config config;
  const absl::Status status = config.LoadText(input, "fuzz");
  if (!status.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(status));
    const std::string message(status.message().data(), status.message().size());
    HOURCELL_CHECK(message.starts_with("fuzz:"));
  } else if (const auto options = EngineOptionsOf(config); !options.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(options.status()));
  }
  return 0;
}
