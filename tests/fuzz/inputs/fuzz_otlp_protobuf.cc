#include "server/inputs/otlp/otlp_protobuf.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/inputs/otlp_fuzz.h"

// Any body is read to its end or to an error, the same twice, within its bounds.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  CheckOtlpBody(&ReadOtlpProtobuf, InputText(data, size));
  return 0;
}
