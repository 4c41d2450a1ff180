#include "bench/lab/layouts/split_worker.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/table/tables.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::layouts::split_worker_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::SizeIs;

void Write(Tables* store, const std::string& key) {
  const Mutation mutation{TableId::kData, Mutation::Kind::kSet, key, "value"};
  ASSERT_OK(store->ApplyUnlogged({&mutation, 1}));
}

TEST(SplitWorkerTest, CutsInTheOrderAskedForAndSaysWhen) {
  MemTableStore store;
  SplitWorker worker(&store);
  for (const char* const key : {"a", "b", "c", "d"})
    Write(&store, key);
  worker.Split("c");
  worker.Split("b");

  ASSERT_OK(worker.Finish(std::vector<std::string>{"", "b", "c"}));

  ASSERT_THAT(worker.splits(), SizeIs(2));
  EXPECT_LE(worker.splits()[0].begin, worker.splits()[0].end);
  EXPECT_LE(worker.splits()[0].end, worker.splits()[1].begin);
}

TEST(SplitWorkerTest, PresplitsAnEmptyTable) {
  MemTableStore store;
  SplitWorker worker(&store);
  ASSERT_OK(worker.Presplit(std::vector<std::string>{"b", "c"}));

  EXPECT_OK(worker.Finish(std::vector<std::string>{"", "b", "c"}));
  EXPECT_THAT(worker.splits(), SizeIs(0));
}

TEST(SplitWorkerTest, PaceWaitsForNothingWithoutSplitsAndEndsWithThem) {
  MemTableStore store;
  SplitWorker worker(&store);
  Write(&store, "a");
  worker.Pace();
  for (const char* const key : {"b", "c", "d", "e", "f"})
    worker.Split(key);
  worker.Pace();

  EXPECT_OK(worker.Finish(std::vector<std::string>{"", "b", "c", "d", "e", "f"}));
}

TEST(SplitWorkerTest, SaysWhichRegionsAreNotThoseThatWereCut) {
  MemTableStore store;
  Write(&store, "a");
  SplitWorker fewer(&store);
  fewer.Split("b");

  EXPECT_THAT(fewer.Finish(std::vector<std::string>{""}),
              StatusIs(StatusCode::kDataLoss, HasSubstr("2 regions; expected 1")));
  SplitWorker others(&store);
  EXPECT_THAT(others.Finish(std::vector<std::string>{"", "c"}),
              StatusIs(StatusCode::kDataLoss, HasSubstr("region 1 begins at 62; expected 63")));
}

TEST(SplitWorkerTest, TheFirstErrorIsKeptAndNothingIsCutAfterIt) {
  MemTableStore store;
  SplitWorker worker(&store);
  worker.Split("");
  worker.Split("b");

  EXPECT_THAT(worker.Finish(std::vector<std::string>{""}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(store.Regions(TableId::kData), SizeIs(1));
}

TEST(TimeSpanTest, OverlapsWhatItHasAnInstantInCommonWith) {
  const TimeSpanNs span{.begin = 10, .end = 20};

  EXPECT_TRUE(span.Overlaps({.begin = 19, .end = 30}));
  EXPECT_TRUE(span.Overlaps({.begin = 0, .end = 11}));
  EXPECT_FALSE(span.Overlaps({.begin = 20, .end = 30}));
  EXPECT_FALSE(span.Overlaps({.begin = 0, .end = 10}));
}

}  // namespace
}  // namespace hourcell::layouts::split_worker_test
