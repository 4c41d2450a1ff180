// The promises of views and of groups.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/table/conformance/conformance.h"

namespace hourcell {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

TEST_P(TableStoreTest, AViewDoesNotSeeLaterWrites) {
  HOURCELL_WANT_PROMISE(TableCapability::kSnapshots);
  ASSERT_OK(Set(TableId::kUid, "a", "1"));
  ASSERT_OK(Set(TableId::kUid, "b", "1"));
  const std::unique_ptr<TableView> view = store_->Snapshot();

  ASSERT_OK(Set(TableId::kUid, "a", "2"));
  ASSERT_OK(Delete(TableId::kUid, "b"));
  ASSERT_OK(Set(TableId::kUid, "c", "2"));

  EXPECT_THAT(view->Get(TableId::kUid, "a"), IsOkAndHolds(Optional(std::string("1"))));
  EXPECT_THAT(ScanOf(view.get(), TableId::kUid, {}), ElementsAre(Pair("a", "1"), Pair("b", "1")));
  const std::unique_ptr<RowCursor> row = view->NewCursor(TableId::kUid, {});
  row->SeekToLast();
  ASSERT_TRUE(row->valid());
  EXPECT_EQ(row->key(), "b");
  EXPECT_THAT(Scan(TableId::kUid, {}), ElementsAre(Pair("a", "2"), Pair("c", "2")));
}

TEST_P(TableStoreTest, ALsmCompactionTakesNothingFromAView) {
  HOURCELL_WANT_PROMISE(TableCapability::kSnapshots);
  ASSERT_OK(Set(TableId::kUid, "a", "1"));
  ASSERT_OK(Set(TableId::kUid, "b", "1"));
  const std::unique_ptr<TableView> view = store_->Snapshot();
  ASSERT_OK(Set(TableId::kUid, "a", "2"));
  ASSERT_OK(Delete(TableId::kUid, "b"));

  ASSERT_OK(store_->Compact(TableId::kUid));

  EXPECT_THAT(ScanOf(view.get(), TableId::kUid, {}), ElementsAre(Pair("a", "1"), Pair("b", "1")));
  EXPECT_THAT(Scan(TableId::kUid, {}), ElementsAre(Pair("a", "2")));
}

// Writes the same value to two rows of a table, again and again, while it lives.
class PairWriter {
 public:
  explicit PairWriter(TableStore* store)
      : thread_([this, store] {
          for (int i = 0; !is_over_ && failure_.ok(); ++i) {
            const std::string value = fmt::format("{}", i);
            const Mutation group[] = {{TableId::kUid, Mutation::Kind::kSet, "a", value},
                                      {TableId::kUid, Mutation::Kind::kSet, "z", value}};
            failure_ = store->Apply(group, /*sync=*/false);
          }
        }) {}
  ~PairWriter() { Stop().IgnoreError(); }  // a test that stopped it has seen the status
  PairWriter(const PairWriter&) = delete;
  PairWriter& operator=(const PairWriter&) = delete;

  absl::Status Stop() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    return failure_;
  }

 private:
  std::atomic<bool> is_over_{false};
  absl::Status failure_;
  std::thread thread_;
};

TEST_P(TableStoreTest, AViewStandsStillBesideAWriter) {
  HOURCELL_WANT_PROMISE(TableCapability::kSnapshots);
  PairWriter writer(store_.get());

  for (int i = 0; i < 50; ++i) {
    const std::unique_ptr<TableView> view = store_->Snapshot();
    const Rows first = ScanOf(view.get(), TableId::kUid, {});
    EXPECT_EQ(ScanOf(view.get(), TableId::kUid, {}), first);
  }

  EXPECT_OK(writer.Stop());
}

TEST_P(TableStoreTest, AViewSeesAllOfAGroupOrNothing) {
  HOURCELL_WANT_PROMISE(TableCapability::kAtomicGroups);
  PairWriter writer(store_.get());

  for (int i = 0; i < 50; ++i) {
    std::vector<std::optional<std::string>> values;
    const std::string keys[] = {"a", "z"};
    EXPECT_OK(store_->Snapshot()->GetMany(TableId::kUid, keys, &values));
    EXPECT_EQ(values.at(0), values.at(1));
  }

  EXPECT_OK(writer.Stop());
}

// A view made after Apply returned sees the group, whatever other threads write meanwhile.
TEST_P(TableStoreTest, AThreadReadsItsOwnWrites) {
  std::vector<std::thread> threads;
  std::atomic<int> missed{0};
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([this, id, &missed] {
      const std::string key = fmt::format("key-{}", id);
      for (int i = 0; i < 25; ++i) {
        const std::string value = fmt::format("{}", i);
        const bool is_set = Set(TableId::kUid, key, value).ok();
        if (!is_set || Get(TableId::kUid, key) != value) ++missed;
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();

  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace hourcell
