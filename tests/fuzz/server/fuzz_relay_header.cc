// A relay's header: any bytes are parsed, refused or too few. A parsed header is written as it was
// read, without the values of other programs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "server/net/nodes/relay_header.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto parsed = ParseRelayHeader(bytes);
  if (!parsed.ok() || !parsed->has_value()) return 0;
  const ParsedRelayHeader& first = **parsed;
  HOURCELL_CHECK(first.bytes <= size && first.bytes <= kRelayHeaderBytesMax);
  const auto again = ParseRelayHeader(EncodeRelayHeader(first.header));
  HOURCELL_CHECK(again.ok() && again->has_value() && (*again)->header == first.header);
  return 0;
}
