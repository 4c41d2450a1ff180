// The destination of a connection: a choice made from some of the first bytes stays the same with
// more bytes.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/base/check.h"
#include "server/cluster/relay_choice.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const bool may_delete : {false, true}) {
    const RelayChoice all = ChooseByFirstBytes(bytes, may_delete);
    for (size_t cut = 0; cut < size; ++cut) {
      const RelayChoice some = ChooseByFirstBytes(bytes.substr(0, cut), may_delete);
      HOURCELL_CHECK(some == RelayChoice::kNeedsMore || some == all);
    }
  }
  return 0;
}
