// The behavior of every store for the rows of one group and of one table.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/engine/table/conformance/conformance.h"

namespace hourcell {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

TEST_P(TableStoreTest, ReadsWhatWasSet) {
  ASSERT_OK(Set(TableId::kUid, "a", "1"));

  EXPECT_THAT(store_->Snapshot()->Get(TableId::kUid, "a"),
              IsOkAndHolds(Optional(std::string("1"))));
  EXPECT_THAT(store_->Snapshot()->Get(TableId::kUid, "b"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(store_->Snapshot()->Get(TableId::kSystem, "a"), IsOkAndHolds(std::nullopt));
}

TEST_P(TableStoreTest, AnEmptyValueIsNoAbsentRow) {
  ASSERT_OK(Set(TableId::kUid, "a", ""));

  EXPECT_THAT(Get(TableId::kUid, "a"), Optional(std::string()));
}

TEST_P(TableStoreTest, KeysAndValuesAreAnyBytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += static_cast<char>(byte);
  ASSERT_OK(Set(TableId::kUid, all, all));

  EXPECT_THAT(Scan(TableId::kUid, {}), ElementsAre(Pair(all, all)));
}

TEST_P(TableStoreTest, StopsAScanWhenToldTo) {
  ASSERT_OK(Set(TableId::kUid, "a", "1"));
  ASSERT_OK(Set(TableId::kUid, "b", "2"));

  int visited = 0;
  ASSERT_OK(store_->Snapshot()->Scan(TableId::kUid, {}, [&](std::string_view, std::string_view) {
    ++visited;
    return false;
  }));

  EXPECT_EQ(visited, 1);
}

TEST_P(TableStoreTest, GetManyKeepsTheOrderOfTheKeys) {
  ASSERT_OK(Set(TableId::kUid, "a", "1"));
  ASSERT_OK(Set(TableId::kUid, "c", "3"));

  std::vector<std::optional<std::string>> values;
  const std::string keys[] = {"c", "b", "a", "c"};
  ASSERT_OK(store_->Snapshot()->GetMany(TableId::kUid, keys, &values));

  EXPECT_THAT(values, ElementsAre(Optional(std::string("3")), std::nullopt,
                                  Optional(std::string("1")), Optional(std::string("3"))));
}

TEST_P(TableStoreTest, AppliesTheMutationsOfARowInOrder) {
  const Mutation group[] = {{TableId::kUid, Mutation::Kind::kSet, "a", "1"},
                            {TableId::kUid, Mutation::Kind::kDelete, "a", ""},
                            {TableId::kUid, Mutation::Kind::kSet, "b", "1"},
                            {TableId::kUid, Mutation::Kind::kSet, "b", "2"},
                            {TableId::kUid, Mutation::Kind::kDelete, "c", ""},
                            {TableId::kUid, Mutation::Kind::kSet, "c", "3"}};
  ASSERT_OK(store_->Apply(group, /*sync=*/true));

  EXPECT_EQ(Get(TableId::kUid, "a"), std::nullopt);
  EXPECT_THAT(Get(TableId::kUid, "b"), Optional(std::string("2")));
  EXPECT_THAT(Get(TableId::kUid, "c"), Optional(std::string("3")));
}

TEST_P(TableStoreTest, AnEmptyGroupDoesNothing) {
  EXPECT_OK(store_->Apply({}, /*sync=*/true));
  EXPECT_OK(store_->ApplyUnlogged({}));

  EXPECT_THAT(Scan(TableId::kUid, {}), ElementsAre());
}

TEST_P(TableStoreTest, OneGroupWritesSeveralTables) {
  const Mutation group[] = {{TableId::kUid, Mutation::Kind::kSet, "k", "uid"},
                            {TableId::kSystem, Mutation::Kind::kSet, "k", "meta"},
                            {TableId::kAnnotation, Mutation::Kind::kSet, "k", "note"}};
  ASSERT_OK(store_->Apply(group, /*sync=*/false));

  EXPECT_THAT(Get(TableId::kUid, "k"), Optional(std::string("uid")));
  EXPECT_THAT(Get(TableId::kSystem, "k"), Optional(std::string("meta")));
  EXPECT_THAT(Get(TableId::kAnnotation, "k"), Optional(std::string("note")));
}

TEST_P(TableStoreTest, WhatIsUnloggedIsReadAtOnce) {
  const Mutation set{TableId::kData, Mutation::Kind::kSet, "k", "v"};
  ASSERT_OK(store_->ApplyUnlogged({&set, 1}));

  EXPECT_THAT(Get(TableId::kData, "k"), Optional(std::string("v")));
}

TEST_P(TableStoreTest, RefusesWritesOnceClosed) {
  ASSERT_OK(store_->Close());

  EXPECT_THAT(Set(TableId::kUid, "a", "1"), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_P(TableStoreTest, ScansARangeInByteOrder) {
  HOURCELL_WANT_PROMISE(TableCapability::kOrderedScans);
  for (const char* const key : {"b", "\xff", "a", "ab", "c"})
    ASSERT_OK(Set(TableId::kUid, key, "x"));

  EXPECT_THAT(Scan(TableId::kUid, {.begin = "a", .end = "c"}),
              ElementsAre(Pair("a", "x"), Pair("ab", "x"), Pair("b", "x")));
  EXPECT_THAT(Scan(TableId::kUid, {.begin = "c", .end = ""}),
              ElementsAre(Pair("c", "x"), Pair("\xff", "x")));
}

// The expected answers of a cursor, from a map.
class ModelCursor {
 public:
  using Rows = std::map<std::string, std::string>;

  ModelCursor(const Rows& rows, const ScanRange& range) {
    for (const auto& [key, value] : rows) {
      if (key >= range.begin && (range.end.empty() || key < range.end)) keys_.push_back(key);
    }
    at_ = keys_.size();
  }

  void Seek(const std::string& key) { at_ = Below(key); }
  void SeekBefore(const std::string& key) { To(Below(key)); }
  void SeekToLast() { To(keys_.size()); }
  void Next() { ++at_; }
  std::string at() const { return at_ < keys_.size() ? keys_[at_] : "none"; }

 private:
  size_t Below(const std::string& key) const {
    return static_cast<size_t>(std::ranges::lower_bound(keys_, key) - keys_.begin());
  }
  void To(size_t end) { at_ = end == 0 ? keys_.size() : end - 1; }

  std::vector<std::string> keys_;
  size_t at_;
};

std::string PlaceOf(const RowCursor& cursor) {
  return cursor.valid() ? std::string(cursor.key()) : std::string("none");
}

// Ranges without rows, that end before they begin, or that lie above and below all rows included.
TEST_P(TableStoreTest, ACursorGoesWhereAMapSays) {
  HOURCELL_WANT_PROMISE(TableCapability::kOrderedScans);
  const uint64_t seed = 22;
  SCOPED_TRACE(seed);
  Random random(seed);
  const auto key = [&] {
    std::string bytes;
    for (size_t length = 1 + random.Below(2); length > 0; --length)
      bytes += static_cast<char>('a' + random.Below(5));
    return bytes;
  };
  ModelCursor::Rows rows;
  for (int i = 0; i < 9; ++i) {
    rows[key()] = "x";
    ASSERT_OK(Set(TableId::kUid, key(), "deleted"));
  }
  for (const auto& [deleted, value] : Scan(TableId::kUid, {}))
    ASSERT_OK(Delete(TableId::kUid, deleted));
  for (const auto& [each, value] : rows)
    ASSERT_OK(Set(TableId::kUid, each, value));

  const std::unique_ptr<TableView> view = store_->Snapshot();
  for (int round = 0; round < 60; ++round) {
    const ScanRange range = {.begin = random.Below(5) == 0 ? "" : key(),
                             .end = random.Below(3) == 0 ? "" : key()};
    const std::unique_ptr<RowCursor> cursor = view->NewCursor(TableId::kUid, range);
    ModelCursor model(rows, range);
    ASSERT_EQ(PlaceOf(*cursor), "none") << "at no row yet";
    for (int step = 0; step < 8; ++step) {
      const std::string to = random.Below(6) == 0 ? "zz" : key();
      const uint64_t kind = cursor->valid() ? random.Below(5) : random.Below(3);
      switch (kind) {
        case 0:
          cursor->Seek(to), model.Seek(to);
          break;
        case 1:
          cursor->SeekBefore(to), model.SeekBefore(to);
          break;
        case 2:
          cursor->SeekToLast(), model.SeekToLast();
          break;
        default:
          cursor->Next(), model.Next();
      }
      ASSERT_EQ(PlaceOf(*cursor), model.at())
          << "[" << range.begin << ", " << range.end << ") step " << kind << " to " << to;
      ASSERT_OK(cursor->status());
    }
  }
}

TEST_P(TableStoreTest, KeepsEverythingAcrossAReopen) {
  HOURCELL_WANT_PROMISE(TableCapability::kDurable);
  ASSERT_OK(Set(TableId::kUid, "a", "1"));
  ASSERT_OK(Set(TableId::kUid, "b", "2"));
  ASSERT_OK(Delete(TableId::kUid, "b"));

  Reopen();
  EXPECT_THAT(Scan(TableId::kUid, {}), ElementsAre(Pair("a", "1")));
  ASSERT_OK(Set(TableId::kUid, "a", "2"));
  ASSERT_OK(store_->Close());
  Reopen();
  EXPECT_THAT(Scan(TableId::kUid, {}), ElementsAre(Pair("a", "2")));
}

TEST_P(TableStoreTest, AStoreThatIsNotDurableBeginsEmpty) {
  if (Promises(TableCapability::kDurable)) GTEST_SKIP() << "it is durable";
  ASSERT_OK(Set(TableId::kUid, "a", "1"));

  Reopen();

  EXPECT_THAT(Scan(TableId::kUid, {}), ElementsAre());
}

TEST_P(TableStoreTest, OnlyTablesThatAreFilesPinThem) {
  const absl::StatusOr<std::unique_ptr<PinnedFiles>> pinned = store_->PinFiles();

  if (Promises(TableCapability::kPinnedFiles)) {
    ASSERT_OK(pinned);
    EXPECT_FALSE((*pinned)->files().empty());
  } else {
    EXPECT_THAT(pinned, StatusIs(absl::StatusCode::kUnimplemented));
  }
}

}  // namespace
}  // namespace hourcell
