#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "server/http/http_target.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += fmt::format("%{:02x}", static_cast<uint8_t>(c));
  return out;
}

}  // namespace
}  // namespace hourcell

// Any target is refused with kInvalidArgument, or its parts, escaped byte by byte, are decoded to
// the same parts again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  HttpRequest request;
  request.target = std::string(InputText(data, std::min<size_t>(size, 4096)));
  const absl::Status status = ParseTarget(&request);
  if (!status.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(status));
    HOURCELL_CHECK(request.path.empty() && request.params.empty());
    return 0;
  }
  HttpRequest again;
  again.target = "/" + Escape(std::string_view(request.path).substr(1)) + "?";
  for (const auto& [name, value] : request.params) {
    again.target += Escape(name) + "=" + Escape(value) + "&";
  }
  HOURCELL_CHECK(ParseTarget(&again).ok());
  HOURCELL_CHECK(again.path == request.path);
  HOURCELL_CHECK(again.params == request.params);
  return 0;
}
