#include "engine/series/series_rows.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/rows/tsuid.h"
#include "engine/hours/tsuid_list.h"
#include "tests/support/status_matchers.h"

namespace hourcell::series_rows_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Layout kLayout;

TEST(SeriesRowsTest, KeysAreTheDocumentedBytes) {
  EXPECT_EQ(ToHex(LogRowKey(258)), "620000000000000102");
  EXPECT_EQ(ToHex(IndexedKey()), "69");
  EXPECT_EQ(ToHex(BlockKey(63)), "6e0000000000000000");
  EXPECT_EQ(ToHex(BlockKey(64)), "6e0000000000000001");
}

TEST(SeriesRowsTest, ABlockRowHasATsuidOrNoneForEachNumber) {
  NewSeries series(kLayout, 64);
  const TagUids tags[] = {{.tagk = 1, .tagv = 2}};
  const std::string tsuid = EncodeTsuid(kLayout, 3, tags);
  series.Add(66, tsuid);
  std::vector<Mutation> group;
  AppendBlock(series, 1, &group);

  ASSERT_THAT(group, SizeIs(1));
  EXPECT_EQ(group[0].key, BlockKey(66));
  std::vector<std::string_view> found;
  const std::optional<std::string> row = group[0].value;
  ASSERT_OK(ParseBlock(group[0].key, row, &found));
  ASSERT_THAT(found, SizeIs(64));
  EXPECT_EQ(found[2], tsuid);
  EXPECT_EQ(found[0], "");
  ASSERT_OK(ParseBlock("n", std::nullopt, &found));
  EXPECT_THAT(found, SizeIs(64));
}

TEST(SeriesRowsTest, ABlockRowThatIsCutOrLongerIsDataLoss) {
  std::string whole;
  for (int i = 0; i < 64; ++i)
    AppendToTsuidList("abc", &whole);
  std::vector<std::string_view> found;
  ASSERT_OK(ParseBlock("n", whole, &found));
  for (const std::string& row : {std::string(), whole.substr(1), whole.substr(0, 5), whole + "x",
                                 whole.substr(0, whole.size() - 1)}) {
    EXPECT_THAT(ParseBlock("n", row, &found),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected 64 tsuids")))
        << row.size();
  }
}

TEST(SeriesRowsTest, IndexRowsOfTwoChunksShareAPostingSetEach) {
  const TagUids host_1[] = {{.tagk = 1, .tagv = 1}, {.tagk = 2, .tagv = 9}};
  const TagUids host_2[] = {{.tagk = 1, .tagv = 2}, {.tagk = 2, .tagv = 9}};
  const TagUids host_3[] = {{.tagk = 1, .tagv = 3}, {.tagk = 2, .tagv = 9}};
  const std::string tsuids[] = {EncodeTsuid(kLayout, 5, host_1), EncodeTsuid(kLayout, 5, host_2),
                                EncodeTsuid(kLayout, 5, host_3)};
  const std::vector<NewSeries::Entry> entries = {{.number = 65534, .tsuid = tsuids[0]},
                                                 {.number = 65535, .tsuid = tsuids[1]},
                                                 {.number = 65536, .tsuid = tsuids[2]}};
  std::vector<Mutation> group;
  AppendIndexRows(kLayout, 5, entries, &group, &group);

  std::map<std::string, std::vector<SeriesNumber>> sets;
  std::map<std::string, std::string> numbers;
  for (const Mutation& mutation : group) {
    if (mutation.kind == Mutation::Kind::kSet) {
      numbers[mutation.key] = mutation.value;
      continue;
    }
    const auto chunk = LoadBigEndian(mutation.key.data() + mutation.key.size() - 6, 6);
    ASSERT_OK(DecodePosting(mutation.value, chunk, &sets[mutation.key]));
  }
  const auto posting = [&sets](std::string prefix, SeriesNumber number) {
    AppendPostingChunk(number, &prefix);
    return sets[prefix];
  };
  EXPECT_THAT(posting(MetricPostingPrefix(kLayout, 5), 1), ElementsAre(65534u, 65535u));
  EXPECT_THAT(posting(MetricPostingPrefix(kLayout, 5), 65536), ElementsAre(65536u));
  EXPECT_THAT(posting(TagPostingPrefix(kLayout, 5, {.tagk = 2, .tagv = 9}), 1),
              ElementsAre(65534u, 65535u));
  EXPECT_THAT(posting(TagPostingPrefix(kLayout, 5, {.tagk = 1, .tagv = 2}), 1),
              ElementsAre(65535u));
  EXPECT_THAT(posting(TagPostingPrefix(kLayout, 5, {.tagk = 1, .tagv = 3}), 1), IsEmpty());
  for (size_t i = 0; i < entries.size(); ++i)
    EXPECT_EQ(numbers[SeriesTsuidKey(tsuids[i])], EncodeU64(entries[i].number));
  EXPECT_THAT(group, SizeIs(3 + 4 + 3)) << "postings of the tags of two chunks, of two metrics";
}

}  // namespace
}  // namespace hourcell::series_rows_test
