#include "engine/rows/series_key.h"

#include <algorithm>
#include <set>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "codec/base/strings.h"
#include "tests/support/status_matchers.h"

namespace hourcell::series_key_test {
namespace {

using testing::ElementsAre;

std::string Merged(const std::vector<std::string>& sets) {
  std::string out;
  MergePostings(std::vector<std::string_view>(sets.begin(), sets.end()), &out);
  return out;
}

std::vector<SeriesNumber> Decoded(std::string_view set, uint64_t chunk) {
  std::vector<SeriesNumber> numbers;
  EXPECT_OK(DecodePosting(set, chunk, &numbers));
  return numbers;
}

TEST(SeriesKeyTest, KeysAreAsDrawn) {
  const Layout layout;

  EXPECT_EQ(ToHex(SeriesNumberKey(258)), "6e0000000000000102");
  EXPECT_EQ(ToHex(SeriesTsuidKey(std::string("\x01\x02", 2))), "740102");
  EXPECT_EQ(ToHex(MetricPostingPrefix(layout, 1)), "6d000001");
  std::string key = TagPostingPrefix(layout, 1, {.tagk = 2, .tagv = 3});
  AppendPostingChunk(0x12345, &key);
  EXPECT_EQ(ToHex(key), "70000001000002000003000000000001");
}

TEST(SeriesKeyTest, PostingChunkRejectsAKeyOfAnotherLength) {
  EXPECT_THAT(PostingChunk("p123456", 1), IsOkAndHolds(LoadBigEndian("123456", 6)));
  EXPECT_THAT(PostingChunk("p12345", 1), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(SeriesKeyTest, APostingOfOneDecodesToItsNumber) {
  EXPECT_THAT(Decoded(PostingOfOne(0x12345), /*chunk=*/1), ElementsAre(0x12345u));
}

TEST(SeriesKeyTest, MergeIsAUnionInBothFormats) {
  Random random(7);
  std::set<SeriesNumber> model;
  std::vector<std::string> sets;
  for (int i = 0; i < 300; ++i) {
    const SeriesNumber number = random.Below(2000);
    model.insert(number);
    sets.push_back(PostingOfOne(number));
    const std::string merged = Merged(sets);
    sets = {merged};  // folds left, as RocksDB may
    EXPECT_EQ(merged[0], model.size() > 16 ? 2 : 1);
  }

  const std::vector<SeriesNumber> numbers = Decoded(sets[0], /*chunk=*/0);

  EXPECT_TRUE(std::ranges::equal(numbers, model));
}

TEST(SeriesKeyTest, AFullChunkTakesNoMoreThanABitmap) {
  std::string all;
  for (SeriesNumber number = 0; number < 65536; number += 2) {
    const std::string one = PostingOfOne(number);
    all.append(one.substr(all.empty() ? 0 : 1));
  }

  const std::string merged = Merged({all});

  EXPECT_LE(merged.size(), 8u * 1024 + 64);
  EXPECT_EQ(Decoded(merged, 0).size(), 32768u);
}

TEST(SeriesKeyTest, DamageStaysVisibleThroughMerges) {
  const std::string damaged = Merged({PostingOfOne(1), std::string("\x07junk")});
  const std::string again = Merged({damaged, PostingOfOne(2)});

  std::vector<SeriesNumber> numbers;
  EXPECT_THAT(DecodePosting(again, 0, &numbers), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(SeriesKeyTest, ANewerFormatIsNamed) {
  std::vector<SeriesNumber> numbers;
  EXPECT_THAT(
      DecodePosting("\x03xx", 0, &numbers),
      StatusIs(absl::StatusCode::kDataLoss,
               testing::HasSubstr(NewerFormatMessage("posting set format 03", "01, 02 and ff"))));
}

TEST(SeriesKeyTest, DecodeRejectsEveryTruncation) {
  std::vector<std::string> ones;
  for (SeriesNumber number = 0; number < 40; ++number)
    ones.push_back(PostingOfOne(number * 3));
  const std::string set = Merged(ones);

  for (size_t size = 0; size < set.size(); ++size) {
    std::vector<SeriesNumber> numbers;
    EXPECT_THAT(DecodePosting(set.substr(0, size), 0, &numbers),
                StatusIs(absl::StatusCode::kDataLoss))
        << size;
  }
}

TEST(SeriesKeyTest, NumbersHaveEightBytes) {
  EXPECT_THAT(DecodeU64(EncodeU64(77)), IsOkAndHolds(77u));
  EXPECT_THAT(DecodeU64("1234567"), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace hourcell::series_key_test
