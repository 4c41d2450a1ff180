#include "engine/bigtable/writer/id_ranges.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/bigtable/api/bigtable_channels.h"
#include "engine/bigtable/bigtable_table_store.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/rows/uid_key.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/status_matchers.h"

namespace hourcell::id_ranges_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class IdRangesTest : public testing::Test {
 protected:
  IdRangesTest() {
    const BigtableOptions options = QuickBigtableOptions(fake_);
    client_ = std::make_unique<BigtableClient>(options, *OpenBigtableChannels(options));
    store_ = *OpenBigtableTableStore(options);
  }

  // As another process would.
  std::unique_ptr<IdRanges> Open(uint64_t writer, bool has_clean_past) {
    auto ranges = std::make_unique<IdRanges>(client_.get(), writer);
    const auto moved = ranges->Open(has_clean_past, store_->Snapshot().get());
    EXPECT_OK(moved);
    moved_ = *moved;
    return ranges;
  }

  static std::vector<Mutation> CounterAt(uint64_t number) {
    return {{TableId::kUid, Mutation::Kind::kSet, UidCounterKey(UidKind::kMetric),
             EncodeNumber(number)}};
  }

  FakeBigtable fake_;
  std::unique_ptr<BigtableClient> client_;
  std::unique_ptr<TableStore> store_;
  std::vector<Mutation> moved_;
};

TEST_F(IdRangesTest, AChunkIsOneCall) {
  const auto ranges = Open(1, /*has_clean_past=*/true);
  const int before = fake_.calls()->check_and_mutate;
  for (uint64_t number = 1; number <= 16; ++number)
    ASSERT_OK(ranges->ReserveFor(CounterAt(number)));
  EXPECT_EQ(fake_.calls()->check_and_mutate - before, 1);
  ASSERT_OK(ranges->ReserveFor(CounterAt(17)));
  EXPECT_EQ(fake_.calls()->check_and_mutate - before, 2);
}

TEST_F(IdRangesTest, ManyChunksAreOneCall) {
  const auto dead = Open(1, /*has_clean_past=*/true);
  ASSERT_OK(dead->ReserveFor(CounterAt(3)));
  const int before = fake_.calls()->check_and_mutate;
  ASSERT_OK(dead->ReserveFor(CounterAt(100'000)));
  ASSERT_OK(dead->ReserveFor(CounterAt(100'000)));
  EXPECT_EQ(fake_.calls()->check_and_mutate - before, 1);

  // The next writer, and one after a good end, continue after all earlier ID ranges.
  const auto ranges = Open(2, /*has_clean_past=*/false);
  ASSERT_THAT(moved_, SizeIs(1));
  EXPECT_EQ(moved_[0].value, EncodeNumber(100'000));
  const int reserved = fake_.calls()->check_and_mutate;
  ASSERT_OK(ranges->ReserveFor(CounterAt(100'016)));
  EXPECT_EQ(fake_.calls()->check_and_mutate, reserved);
  const auto later = Open(3, /*has_clean_past=*/true);
  ASSERT_OK(later->ReserveFor(CounterAt(100'016)));
  EXPECT_EQ(fake_.calls()->check_and_mutate, reserved);
  EXPECT_THAT(dead->ReserveFor(CounterAt(100'001)), StatusIs(StatusCode::kFailedPrecondition));
}

TEST_F(IdRangesTest, WritersReserveTheSameRow) {
  const auto first = Open(1, /*has_clean_past=*/true);
  ASSERT_OK(first->ReserveFor(CounterAt(160)));
  const auto next = Open(2, /*has_clean_past=*/false);

  EXPECT_OK(first->ReserveFor(CounterAt(160)));
  EXPECT_THAT(first->ReserveFor(CounterAt(1'000)), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_OK(next->ReserveFor(CounterAt(1'000)));
}

TEST_F(IdRangesTest, CrashSkipsReservedIds) {
  const auto dead = Open(1, /*has_clean_past=*/true);
  ASSERT_OK(dead->ReserveFor(CounterAt(3)));
  ASSERT_OK(store_->Apply(CounterAt(3), false));

  const auto ranges = Open(2, /*has_clean_past=*/false);

  ASSERT_THAT(moved_, SizeIs(1));
  EXPECT_EQ(moved_[0].value, EncodeNumber(16));
  EXPECT_OK(ranges->ReserveFor(CounterAt(17)));
}

TEST_F(IdRangesTest, OrderlyEndWastesNoIds) {
  const auto first = Open(1, /*has_clean_past=*/true);
  ASSERT_OK(first->ReserveFor(CounterAt(3)));
  const auto ranges = Open(2, /*has_clean_past=*/true);
  EXPECT_THAT(moved_, IsEmpty());
  EXPECT_OK(ranges->ReserveFor(CounterAt(4)));
}

TEST_F(IdRangesTest, ReplacedWriterAssignsNoMoreIds) {
  const auto replaced = Open(1, /*has_clean_past=*/true);
  ASSERT_OK(replaced->ReserveFor(CounterAt(16)));
  const auto ranges = Open(2, /*has_clean_past=*/false);

  EXPECT_THAT(replaced->ReserveFor(CounterAt(17)),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("metric counter")));
}

TEST_F(IdRangesTest, UnansweredReservationIsFound) {
  const auto ranges = Open(1, /*has_clean_past=*/true);
  for (uint64_t seed = 1; seed < 5; ++seed) {
    fake_.SetFaults({.seed = seed, .unanswered = 0.5});
    EXPECT_OK(ranges->ReserveFor(CounterAt(seed * 160)));
  }
}

}  // namespace
}  // namespace hourcell::id_ranges_test
