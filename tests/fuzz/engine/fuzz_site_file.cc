#include <algorithm>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "bench/lab/simulate/input/site_file.h"
#include "codec/base/check.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace hourcell;

std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '\r') {
      out += "&#13;";  // a line end would be read as \n
    } else {
      out += c;
    }
  }
  return out;
}

// The settings as a file again.
std::string Print(const SettingMap& settings) {
  std::string out = "<configuration>";
  for (const auto& [name, value] : settings) {
    out += "<property><name>" + Escape(name) + "</name><value>" + Escape(value) +
           "</value></property>";
  }
  return out + "</configuration>";
}

}  // namespace

// Any text is refused, with its line, or gives settings that print and read back the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = InputText(data, std::min<size_t>(size, 65'536));
  const auto settings = ParseSiteFile(text);
  if (!settings.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(settings.status()));
    const std::string message(settings.status().message().data(),
                              settings.status().message().size());
    HOURCELL_CHECK(message.starts_with("line "));
    return 0;
  }
  HOURCELL_CHECK(LooksLikeXml(text));
  const auto again = ParseSiteFile(Print(*settings));
  HOURCELL_CHECK(again.ok() && *again == *settings);
  return 0;
}
