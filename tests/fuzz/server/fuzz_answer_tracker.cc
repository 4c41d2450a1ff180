// The end of each response is found at the same byte, however the bytes are cut into pieces. The
// state between two responses is reached only after a response has ended.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/base/check.h"
#include "server/cluster/answer_tracker.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  AnswerTracker whole;
  whole.OnAnswerBytes(bytes);
  AnswerTracker by_bytes;
  HOURCELL_CHECK(by_bytes.is_between());
  for (size_t i = 0; i < size; ++i) {
    by_bytes.OnAnswerBytes(bytes.substr(i, 1));
    HOURCELL_CHECK(i + 1 >= 16 || !by_bytes.is_between());  // no answer is that short
  }
  HOURCELL_CHECK(whole.is_between() == by_bytes.is_between());
  AnswerTracker to_head;
  to_head.OnRequestBytes("HEAD / HTTP/1.1\r\n\r\n");
  to_head.OnAnswerBytes(bytes);
  HOURCELL_CHECK(!to_head.is_between());
  return 0;
}
