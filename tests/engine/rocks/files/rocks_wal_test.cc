#include "engine/rocks/files/rocks_wal.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/transaction_log.h>

#include "codec/base/random.h"
#include "tests/support/fault_fs.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_wal_test {
namespace {

constexpr char kFull = 1;
constexpr char kFirst = 2;
constexpr char kMiddle = 3;
constexpr char kLast = 4;

std::string Record(char type, size_t payload_bytes) {
  std::string record(4, 'c');
  record += static_cast<char>(payload_bytes & 0xff);
  record += static_cast<char>(payload_bytes >> 8);
  record += type;
  return record + std::string(payload_bytes, 'p');
}

TEST(WalRecordsTest, EndsWithTheLastWholeRecord) {
  WalRecords records;
  EXPECT_EQ(records.whole_bytes(), 0u);
  records.Add(Record(kFull, 10));
  EXPECT_EQ(records.whole_bytes(), 17u);
  const std::string next = Record(kFull, 300);
  records.Add({next.data(), 306});
  EXPECT_EQ(records.whole_bytes(), 17u);
  records.Add({next.data() + 306, 1});
  EXPECT_EQ(records.whole_bytes(), 17u + 307);
}

TEST(WalRecordsTest, FragmentsAreNoRecord) {
  WalRecords records;
  records.Add(Record(kFull, 1));
  // The rest of the first block, a block, and the end.
  records.Add(Record(kFirst, 32768 - 8 - 7));
  records.Add(Record(kMiddle, 32768 - 7));
  EXPECT_EQ(records.whole_bytes(), 8u);
  records.Add(Record(kLast, 5));
  EXPECT_EQ(records.whole_bytes(), 2 * 32768u + 12);
}

TEST(WalRecordsTest, ABlockEndsWithZerosWhereNoHeaderFits) {
  WalRecords records;
  const size_t before_zeros = 32768 - 6;
  records.Add(Record(kFull, before_zeros - 7));
  EXPECT_EQ(records.whole_bytes(), before_zeros);
  records.Add(std::string(6, '\0'));
  EXPECT_EQ(records.whole_bytes(), 32768u);
  records.Add(Record(kFull, 3));
  EXPECT_EQ(records.whole_bytes(), 32768u + 10);
}

TEST(WalRecordsTest, AFirstFragmentMayBeEmpty) {
  WalRecords records;
  records.Add(Record(kFull, 32768 - 14));
  records.Add(Record(kFirst, 0));
  EXPECT_EQ(records.whole_bytes(), 32768u - 7);
  records.Add(Record(kLast, 2));
  EXPECT_EQ(records.whole_bytes(), 32768u + 9);
}

// However the bytes are cut, of a log that RocksDB itself has written.
TEST(WalRecordsTest, TakesPiecesOfAnySize) {
  constexpr uint64_t kSeed = 7;
  std::printf("seed %lu\n", kSeed);
  TempDir directory;
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* raw = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, directory.file("db"), &raw).ok());
  const std::unique_ptr<rocksdb::DB> db(raw);
  rocksdb::VectorLogPtr logs;
  Random random(kSeed);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(db->Put({}, "key", std::string(random.Below(3000), 'v')).ok());
  }
  ASSERT_TRUE(db->GetSortedWalFiles(logs).ok());
  std::ifstream file(directory.file("db") + logs.back()->PathName(), std::ios::binary);
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(log.size(), 100'000u);

  WalRecords records;
  size_t at = 0;
  std::vector<uint64_t> ends;
  while (at < log.size()) {
    const size_t bytes = std::min<size_t>(1 + random.Below(2000), log.size() - at);
    records.Add({log.data() + at, bytes});
    at += bytes;
    if (ends.empty() || ends.back() != records.whole_bytes()) ends.push_back(records.whole_bytes());
  }
  EXPECT_EQ(records.whole_bytes(), log.size());
  EXPECT_GT(ends.size(), 20u);
}

class RocksWalsTest : public testing::Test {
 protected:
  std::unique_ptr<rocksdb::FSWritableFile> New() { return wals_.New(path_, {}); }
  static bool Append(rocksdb::FSWritableFile* file, std::string_view bytes) {
    return file->Append({bytes.data(), bytes.size()}, {}, nullptr).ok();
  }
  std::string Content() const {
    std::ifstream file(path_, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  }
  uint64_t failures() const { return errors_->counts().wal; }

  TempDir directory_;
  const std::string path_ = directory_.file("000007.log");
  FaultFs fs_;
  std::shared_ptr<RocksErrorWatch> errors_ = std::make_shared<RocksErrorWatch>();
  RocksWals wals_{&fs_, errors_};
};

TEST_F(RocksWalsTest, AFileIsMadeWithItsFirstByte) {
  fs_.FailOn({.operations = FaultFs::kCreate});
  const auto file = New();
  EXPECT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(fs_.Count(FaultFs::kCreate), 0u);
  EXPECT_EQ(failures(), 0u);

  EXPECT_TRUE(Append(file.get(), Record(kFull, 3)));
  EXPECT_EQ(failures(), 1u);
  EXPECT_EQ(Content(), "");
}

// RocksDB may have synced the directory between the two.
TEST_F(RocksWalsTest, TheFirstSyncIsOfItsNameToo) {
  const auto file = New();
  EXPECT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(fs_.Count(FaultFs::kDirectorySync), 0u) << "there is none yet";
  ASSERT_TRUE(Append(file.get(), Record(kFull, 3)));
  EXPECT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(fs_.Count(FaultFs::kDirectorySync), 1u);
  ASSERT_TRUE(Append(file.get(), Record(kFull, 4)));
  EXPECT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(fs_.Count(FaultFs::kDirectorySync), 1u) << "it has it already";
  EXPECT_EQ(failures(), 0u);

  fs_.LoseUnsynced(/*seed=*/1);
  EXPECT_EQ(Content(), Record(kFull, 3) + Record(kFull, 4));
}

TEST_F(RocksWalsTest, ANameThatCannotBeSyncedIsCounted) {
  const auto file = New();
  ASSERT_TRUE(Append(file.get(), Record(kFull, 3)));
  fs_.FailOn({.operations = FaultFs::kDirectorySync});
  EXPECT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(failures(), 1u);

  EXPECT_TRUE(wals_.SyncBroken().ok());
  EXPECT_EQ(fs_.Count(FaultFs::kDirectorySync), 2u) << "what it has counts";
}

TEST_F(RocksWalsTest, AnAppendThatFailsIsCutOff) {
  const auto file = New();
  ASSERT_TRUE(Append(file.get(), Record(kFull, 3)));
  fs_.FailOn({.operations = FaultFs::kAppend, .append_bytes = 12});
  EXPECT_TRUE(Append(file.get(), Record(kFull, 20)));
  EXPECT_EQ(failures(), 1u);
  EXPECT_EQ(Content(), Record(kFull, 3));

  EXPECT_TRUE(Append(file.get(), Record(kFull, 4))) << "RocksDB sees no failure";
  EXPECT_EQ(failures(), 2u) << "but what it wrote counts as one";
  EXPECT_EQ(Content(), Record(kFull, 3));
}

TEST_F(RocksWalsTest, WhatWasNotCutAtOnceIsBeforeTheManifest) {
  const auto file = New();
  ASSERT_TRUE(Append(file.get(), Record(kFull, 3)));
  fs_.FailOn({.operations = FaultFs::kTruncate});
  fs_.FailOn({.operations = FaultFs::kAppend, .append_bytes = 12});
  EXPECT_TRUE(Append(file.get(), Record(kFull, 20)));
  EXPECT_EQ(Content().size(), 10u + 12);

  EXPECT_TRUE(wals_.SyncBroken().ok());
  EXPECT_EQ(Content(), Record(kFull, 3));
}

TEST_F(RocksWalsTest, ASyncThatFailsIsCountedAndNotTriedAgain) {
  const auto file = New();
  ASSERT_TRUE(Append(file.get(), Record(kFull, 3)));
  fs_.FailOn({.operations = FaultFs::kSync});
  EXPECT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(failures(), 1u);
  EXPECT_TRUE(Append(file.get(), Record(kFull, 3)));
  EXPECT_EQ(failures(), 2u);
}

TEST_F(RocksWalsTest, SyncsWhatBrokenOnesHave) {
  const auto file = New();
  ASSERT_TRUE(Append(file.get(), Record(kFull, 3)));
  const uint64_t syncs = fs_.Count(FaultFs::kSync);
  EXPECT_TRUE(wals_.SyncBroken().ok());
  EXPECT_EQ(fs_.Count(FaultFs::kSync), syncs) << "it is not broken";

  fs_.FailOn({.operations = FaultFs::kAppend});
  ASSERT_TRUE(Append(file.get(), Record(kFull, 3)));
  EXPECT_TRUE(wals_.SyncBroken().ok());
  EXPECT_EQ(fs_.Count(FaultFs::kSync), syncs + 1);
  fs_.FailOn({.operations = FaultFs::kSync});
  EXPECT_FALSE(wals_.SyncBroken().ok());
}

}  // namespace
}  // namespace hourcell::rocks_wal_test
