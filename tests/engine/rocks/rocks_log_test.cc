#include "engine/rocks/rocks_log.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "tests/support/temp_dir.h"

namespace hourcell::rocks_log_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(RocksLogTest, KeepsWarningsAndNothingLess) {
  const TempDir dir;
  const auto log = OpenRocksLog(dir.file("log"));

  rocksdb::Info(log, "read %d files", 7);
  rocksdb::Warn(log, "read %d files twice", 8);

  EXPECT_THAT(TextOf(dir.file("log")),
              AllOf(HasSubstr("read 8 files twice\n"), Not(HasSubstr("read 7 files"))));
}

TEST(RocksLogTest, CutsLongLines) {
  const TempDir dir;
  const auto log = OpenRocksLog(dir.file("log"));

  rocksdb::Error(log, "%s", std::string(5000, 'x').c_str());
  rocksdb::Error(log, "next");

  EXPECT_LT(TextOf(dir.file("log")).size(), 1100u);
  EXPECT_THAT(TextOf(dir.file("log")), HasSubstr("x\n"));
}

TEST(RocksLogTest, ALargeOneIsPutAside) {
  const TempDir dir;
  std::ofstream(dir.file("log")) << std::string((1 << 20) + 1, 'x');

  rocksdb::Error(OpenRocksLog(dir.file("log")), "new");

  EXPECT_LT(TextOf(dir.file("log")).size(), 100u);
  EXPECT_EQ(std::filesystem::file_size(dir.file("log.old")), (1u << 20) + 1);
}

TEST(RocksLogTest, WhatCannotBeWrittenIsDropped) {
  const TempDir dir;
  const auto nowhere = OpenRocksLog(dir.file("no/such/log"));
  const auto full = OpenRocksLog("/dev/full");

  for (int i = 0; i < 3; ++i) {
    rocksdb::Error(nowhere, "line %d", i);
    rocksdb::Error(full, "line %d", i);
  }
}

}  // namespace
}  // namespace hourcell::rocks_log_test
