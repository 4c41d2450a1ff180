#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "server/http/http_parser.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

constexpr size_t kBodyMax = 128;
constexpr size_t kSmallBodyMax = 32;

// The events of one connection as text: every byte of the requests, and how it ends.
class Transcript {
 public:
  void Feed(std::string_view bytes) {
    if (parser_.error_status() != 0) return;
    parser_.Feed(bytes);
    while (true) {
      switch (parser_.Next()) {
        case HttpParser::Event::kNeedMore:
          return;
        case HttpParser::Event::kContinue:
          text_.append("continue\n");
          break;
        case HttpParser::Event::kLargeBody:  // its place depends on the sizes of the pieces
          break;
        case HttpParser::Event::kRequest:
          Add(parser_.TakeRequest());
          break;
        case HttpParser::Event::kError:
          HOURCELL_CHECK(!parser_.error_text().empty());
          return;
      }
    }
  }

  std::string End() {
    const bool is_good = parser_.Finish() == HttpParser::Event::kNeedMore;
    HOURCELL_CHECK(is_good == (parser_.error_status() == 0));
    return text_ + fmt::format("{} {}", parser_.error_status(), parser_.error_text());
  }

 private:
  void Add(const HttpRequest& request) {
    HOURCELL_CHECK(request.body.size() <= kBodyMax);
    text_.append(request.method).append(" ").append(request.target);
    for (const auto& [name, value] : request.headers)
      text_.append("\n").append(name).append(": ").append(value);
    text_.append("\n\n").append(request.body).append(request.keep_alive ? "\n" : " end\n");
  }

  HttpParser parser_{kBodyMax, kSmallBodyMax};
  std::string text_;
};

}  // namespace
}  // namespace hourcell

// Bytes fed whole, cut in two at any place, or one by one give the same requests and the same
// error. Runs make targets, headers and chunk headers as long as the longest, and longer.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string text = WithRuns(InputText(data, size), 2 * kHeaderBytesMax);
  const std::string_view input = text;
  Transcript whole;
  whole.Feed(input);
  const std::string want = whole.End();
  for (const size_t cut : CutsOf(input.size())) {
    Transcript cut_in_two;
    cut_in_two.Feed(input.substr(0, cut));
    cut_in_two.Feed(input.substr(cut));
    HOURCELL_CHECK(cut_in_two.End() == want);
  }
  Transcript in_bytes;
  for (size_t i = 0; i < input.size(); i += SmallPieceAt(i))
    in_bytes.Feed(input.substr(i, SmallPieceAt(i)));
  HOURCELL_CHECK(in_bytes.End() == want);
  return 0;
}
