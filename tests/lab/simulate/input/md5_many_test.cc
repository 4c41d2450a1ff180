#include "bench/lab/simulate/input/md5_many.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "engine/regions/md5.h"

namespace hourcell::md5_many_test {
namespace {

std::vector<std::string> HexOf(const std::vector<std::string>& texts) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  std::vector<Md5Digest> digests(texts.size());
  Md5Many(views, digests);
  std::vector<std::string> hex;
  for (const Md5Digest& digest : digests)
    hex.push_back(ToHex({reinterpret_cast<const char*>(digest.data()), digest.size()}));
  return hex;
}

// RFC 1321, A.5, as often as it takes to have an element each.
TEST(Md5ManyTest, TheRfcsTexts) {
  const std::vector<std::string> texts = {
      "", "a", "abc", "message digest", "abcdefghijklmnopqrstuvwxyz", "abc", "a", ""};

  EXPECT_EQ(HexOf(texts),
            (std::vector<std::string>{
                "d41d8cd98f00b204e9800998ecf8427e", "0cc175b9c0f1b6a831c399e269772661",
                "900150983cd24fb0d6963f7d28e17f72", "f96b697d7cb7938d525a2f31aaf161d0",
                "c3fcd3d76192e4007dfb496cca67e13b", "900150983cd24fb0d6963f7d28e17f72",
                "0cc175b9c0f1b6a831c399e269772661", "d41d8cd98f00b204e9800998ecf8427e"}));
}

// Every length around one and two blocks, in every element, beside those of one text.
TEST(Md5ManyTest, IsMd5OfEachTextWhateverItsNeighbours) {
  Random random(7);
  for (size_t count = 0; count <= 33; ++count) {
    for (const size_t bytes_max : {size_t{9}, size_t{57}, size_t{130}}) {
      std::vector<std::string> texts;
      std::vector<std::string> want;
      for (size_t i = 0; i < count; ++i) {
        std::string text(random.Below(bytes_max), '\0');
        for (char& c : text)
          c = static_cast<char>(random.Next());
        texts.push_back(text);
        want.push_back(Md5Hex(text));
      }
      EXPECT_EQ(HexOf(texts), want) << count << " texts below " << bytes_max << " bytes, seed 7";
    }
  }
  std::vector<std::string> texts;
  std::vector<std::string> want;
  for (size_t bytes = 0; bytes < 160; ++bytes) {
    texts.emplace_back(bytes, 'x');
    want.push_back(Md5Hex(texts.back()));
  }
  EXPECT_EQ(HexOf(texts), want);
}

}  // namespace
}  // namespace hourcell::md5_many_test
