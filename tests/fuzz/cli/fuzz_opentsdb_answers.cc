#include <string>

#include "codec/base/check.h"
#include "server/cli/data/query_exchange.h"
#include "server/cli/opentsdb/opentsdb_source.h"
#include "tests/fuzz/fuzz_input.h"

// Any body is an answer or kDataLoss, for each of the three endpoints.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string body(InputText(data, size));
  const auto check = [](const absl::Status& status) {
    HOURCELL_CHECK(status.ok() || absl::IsDataLoss(status));
  };
  check(ParseNameList(body).status());
  check(ParseLookupReply(body).status());
  check(ParseQueryReply(body).status());
  return 0;
}
