#include "engine/regions/live/sampled_keys.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/names/table_uid_store.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::sampled_keys_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t kHourS = 3'600;

class SampledKeysTest : public testing::Test {
 protected:
  SampledKeysTest() {
    options_.layout = layout_;
    uids_ = *UidDirectory::Open(options_, &uid_store_);
    table_ = *SeriesTable::Open(
        layout_, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);
  }

  // Series 1 to `count`.
  void Create(int count) {
    std::vector<OwnedPoint> points;
    for (int i = 0; i < count; ++i)
      points.push_back({"m", fmt::format("h=h{}", i), 0, 0});
    std::vector<const PointView*> views;
    for (OwnedPoint& point : points)
      views.push_back(&point.view());
    std::vector<Parsed<SeriesRef>> results;
    table_->GetOrCreate(views, &results);
    ASSERT_THAT(results, SizeIs(count));
  }

  std::string KeyOf(SeriesNumber number, uint32_t base_time_s) {
    std::vector<std::string> tsuids;
    EXPECT_OK(table_->TsuidsFound(std::span(&number, 1), &tsuids));
    std::string key;
    row_keys_.Append(tsuids[0], base_time_s, &key);
    return key;
  }

  const Layout layout_;
  UidOptions options_;
  MemTableStore tables_;
  TableUidStore uid_store_{layout_, &tables_};
  std::unique_ptr<UidDirectory> uids_;
  std::unique_ptr<SeriesTable> table_;
  RowKeyCodec row_keys_{layout_};
};

TEST_F(SampledKeysTest, AreTheKeysOfTheRows) {
  Create(3);
  SampledKeys keys(table_.get(), &row_keys_);
  const std::vector<SampledPut> puts = {{2, kHourS}, {1, kHourS}, {2, 2 * kHourS}, {9, kHourS}};
  for (int times = 0; times < 2; ++times) {
    EXPECT_THAT(keys.Of(puts), IsOkAndHolds(ElementsAre(KeyOf(2, kHourS), KeyOf(1, kHourS),
                                                        KeyOf(2, 2 * kHourS), "")));
  }
}

// The known samples are bounded, and a sample beyond the bound is answered like any other.
TEST_F(SampledKeysTest, MoreSeriesThanAreKept) {
  const int count = static_cast<int>(SampledKeys::kKnownMax) + 100;
  Create(count);
  SampledKeys keys(table_.get(), &row_keys_);
  for (int first = 1; first + 4'000 <= count; first += 2'000) {
    std::vector<SampledPut> puts;
    for (int i = 0; i < 4'000; ++i)
      puts.push_back({static_cast<uint64_t>(first + i), kHourS});
    const auto found = keys.Of(puts);
    ASSERT_OK(found);
    ASSERT_THAT(*found, SizeIs(puts.size()));
    for (size_t i = 0; i < puts.size(); i += 500)
      EXPECT_EQ((*found)[i], KeyOf(puts[i].series, kHourS));
  }
}

TEST_F(SampledKeysTest, NothingIsAskedForNothing) {
  SampledKeys keys(table_.get(), &row_keys_);
  EXPECT_THAT(keys.Of({}), IsOkAndHolds(IsEmpty()));
}

}  // namespace
}  // namespace hourcell::sampled_keys_test
