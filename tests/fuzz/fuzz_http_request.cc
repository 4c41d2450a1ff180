#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "server/http_parser.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

constexpr size_t kBodyMax = 512;

// Every event and every byte of the requests until the parser wants more, as text.
void Pump(HttpParser* parser, std::string* events) {
  while (true) {
    switch (parser->Next()) {
      case HttpParser::Event::kNeedMore:
        return;
      case HttpParser::Event::kContinue:
        events->append("continue\n");
        break;
      case HttpParser::Event::kLargeBody:
        break;
      case HttpParser::Event::kRequest: {
        const HttpRequest request = parser->TakeRequest();
        HOURCELL_CHECK(request.body.size() <= kBodyMax);
        events->append(request.method).append(" ").append(request.target);
        for (const auto& [name, value] : request.headers) {
          events->append("\n").append(name).append(": ").append(value);
        }
        events->append("\n\n").append(request.body).append(request.keep_alive ? "\n" : " end\n");
        break;
      }
      case HttpParser::Event::kError:
        HOURCELL_CHECK(!parser->error_text().empty());
        return;
    }
  }
}

// Whether the bytes end in an error counts, not which: a cut request and a wrong one are told apart
// only once enough of it is there.
std::string EventsOf(std::string_view bytes, size_t split) {
  HttpParser parser(kBodyMax);
  std::string events;
  parser.Feed(bytes.substr(0, split));
  Pump(&parser, &events);
  if (parser.error_status() == 0) {
    parser.Feed(bytes.substr(split));
    Pump(&parser, &events);
  }
  return events + (parser.Finish() == HttpParser::Event::kError ? "error" : "end");
}

}  // namespace
}  // namespace hourcell

// Bytes fed whole or cut at any place give the same requests and the same end.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view input = InputText(data, std::min<size_t>(size, 2048));
  const std::string want = EventsOf(input, input.size());
  for (size_t split = 0; split < input.size(); ++split) {
    HOURCELL_CHECK(EventsOf(input, split) == want);
  }
  return 0;
}
