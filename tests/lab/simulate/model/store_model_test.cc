#include "bench/lab/simulate/model/store_model.h"

#include <string>

#include <gtest/gtest.h>

namespace hourcell::store_model_test {
namespace {

KeyMass Mass(uint64_t bytes) {
  return {.cells = bytes, .rows = 1, .bytes = bytes};
}

// A store with a file of one byte at each of the keys.
void AddFile(StoreModel* store, std::string_view keys, uint64_t bytes = 1, uint64_t time_ms = 1) {
  for (const char key : keys)
    store->Put(std::string(1, key), Mass(bytes), time_ms);
  store->BeginFlush();
  store->FinishFlush();
}

TEST(StoreModelTest, PutsGoThroughMemoryToAFile) {
  StoreModel store(16);
  store.Put("a", Mass(10), 1);
  store.BeginFlush();
  store.Put("b", Mass(5), 2);

  EXPECT_EQ(store.memory_bytes(), 15U);
  EXPECT_EQ(store.active_bytes(), 5U);
  EXPECT_EQ(store.file_bytes(), 0U);
  EXPECT_EQ(store.FinishFlush(), 10U);
  EXPECT_EQ(store.memory_bytes(), 5U);
  EXPECT_EQ(store.file_bytes(), 10U);
  EXPECT_EQ(store.files(), 1U);
  EXPECT_EQ(store.mass().bytes, 15U);
  EXPECT_EQ(store.LargestBelow("c"), "b");
  EXPECT_EQ(store.LargestBelow("b"), "a");
}

TEST(StoreModelTest, AnEmptyFlushMakesNoFile) {
  StoreModel store(16);
  store.BeginFlush();

  EXPECT_EQ(store.FinishFlush(), 0U);
  EXPECT_EQ(store.files(), 0U);
}

TEST(StoreModelTest, ARewriteJoinsFilesInThePlaceOfTheOldest) {
  StoreModel store(16);
  AddFile(&store, "a", 100);
  AddFile(&store, "b", 10);
  AddFile(&store, "c", 10);
  AddFile(&store, "d", 10);
  const RatioSettings settings{.ratio = 1.2, .files_min = 3, .files_max = 10, .bytes_min = 0};

  const std::vector<uint64_t> files = store.SelectForMinorRewrite(settings);
  const FileRewrite rewrite = store.RewriteFiles(files, 0);

  EXPECT_EQ(files.size(), 3U);
  EXPECT_TRUE(rewrite.is_done);
  EXPECT_EQ(rewrite.read_bytes, 30U);
  EXPECT_EQ(rewrite.written_bytes, 30U);
  ASSERT_EQ(store.files(), 2U);
  EXPECT_EQ(store.Spans()[0].bytes, 100U);
  EXPECT_EQ(store.Spans()[1].smallest, "b");
  EXPECT_EQ(store.Spans()[1].largest, "d");
}

TEST(StoreModelTest, ARewriteOfFilesThatAreGoneIsNone) {
  StoreModel store(16);
  AddFile(&store, "a");
  const uint64_t unknown = 99;

  EXPECT_FALSE(store.RewriteFiles(std::span(&unknown, 1), 0).is_done);
  EXPECT_EQ(store.files(), 1U);
}

TEST(StoreModelTest, WhatIsExpiredGoesWithTheRewrite) {
  StoreModel store(16);
  AddFile(&store, "a", 10, 100);
  AddFile(&store, "b", 10, 200);

  const FileRewrite rewrite = store.RewriteFiles(store.FileIds(), 150);

  EXPECT_EQ(rewrite.expired.bytes, 10U);
  EXPECT_EQ(rewrite.written_bytes, 10U);
  EXPECT_EQ(store.DropExpiredFiles(200).bytes, 0U);
  EXPECT_EQ(store.DropExpiredFiles(201).bytes, 10U);
  EXPECT_EQ(store.files(), 0U);
}

TEST(StoreModelTest, ACutSharesFilesOut) {
  StoreModel store(16);
  AddFile(&store, "ab");   // wholly left
  AddFile(&store, "xyz");  // wholly right
  AddFile(&store, "aax");  // across

  StoreModel right = store.CutFrom("m");

  EXPECT_EQ(store.file_bytes(), 4U);
  EXPECT_EQ(right.file_bytes(), 4U);
  EXPECT_EQ(store.files(), 2U);
  EXPECT_EQ(right.files(), 2U);
  EXPECT_EQ(store.ReferenceIds().size(), 1U);
  EXPECT_TRUE(right.has_references());
  EXPECT_TRUE(right.RewriteFiles(right.ReferenceIds(), 0).is_done);
  EXPECT_FALSE(right.has_references());
}

TEST(StoreModelTest, AMergeLeavesReferences) {
  StoreModel left(16);
  StoreModel right(16);
  AddFile(&left, "ab");
  AddFile(&right, "xy");

  left.Absorb(std::move(right));

  EXPECT_EQ(left.file_bytes(), 4U);
  EXPECT_EQ(left.files(), 2U);
  EXPECT_EQ(left.ReferenceIds().size(), 1U);
}

TEST(StoreModelTest, TheProbeSeesFilesOnly) {
  StoreModel store(16);
  AddFile(&store, "abcd", 10);
  store.Put("b", Mass(1'000), 1);
  const SplitProbe probe = store.Probe();

  EXPECT_EQ(probe.bytes_between("b", "d"), 20U);
  EXPECT_EQ(probe.first_row_from("bb"), "c");
  EXPECT_NEAR(store.ShareOfCellsBelow("b"), 10.0 / 1'040, 1e-9);
}

TEST(StoreModelTest, TheHeaviestKeyIsNamed) {
  StoreModel store(4);
  for (int i = 0; i < 100; ++i)
    store.Put(std::string(1, static_cast<char>('A' + i % 50)), Mass(1), 1);
  store.Put("Q", Mass(500), 1);
  store.BeginFlush();
  store.FinishFlush();

  AddFile(&store, "Q", 100);

  EXPECT_EQ(store.HeaviestKey().key, "Q");
  EXPECT_GE(store.HeaviestKey().bytes, 600U);
  EXPECT_EQ(StoreModel(4).HeaviestKey().key, "");
}

}  // namespace
}  // namespace hourcell::store_model_test
