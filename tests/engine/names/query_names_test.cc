#include "engine/names/query_names.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "engine/query.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/mem_uid_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::query_names_test {
namespace {

constexpr int64_t kHour = 1356998400;

TEST(QueryNamesTest, AUidWithoutANameIsInHexAndOneThatCannotBeReadIsAnError) {
  const Layout layout;
  MemUidStore store;
  const auto uids = UidDirectory::Open({.layout = layout}, &store);
  ASSERT_OK(uids);
  QueryNames names(layout, uids->get());
  EXPECT_EQ(names.NameOf(UidKind::kTagv, 0xab), "0000AB");
  EXPECT_OK(names.status());
  store.FailReads(true);
  names.NameOf(UidKind::kTagv, 0xcd);
  EXPECT_EQ(names.status().code(), absl::StatusCode::kUnavailable);
}

TEST(QueryNamesTest, ManyNamesOfAllKindsAreToldApart) {
  const Layout layout;
  MemUidStore store;
  const auto uids = UidDirectory::Open({.layout = layout}, &store);
  ASSERT_OK(uids);
  constexpr UidKind kKinds[] = {UidKind::kMetric, UidKind::kTagk, UidKind::kTagv};
  std::vector<std::vector<std::pair<Uid, std::string>>> of_kinds;
  for (const UidKind kind : kKinds) {
    std::vector<std::pair<Uid, std::string>>& known = of_kinds.emplace_back();
    for (int i = 0; i < 100; ++i) {
      const std::string name = "name_" + std::to_string(i) + "." + std::to_string(of_kinds.size());
      known.emplace_back(*(*uids)->GetOrAssign(kind, name), name);
    }
  }
  QueryNames names(layout, uids->get());

  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < of_kinds.front().size(); ++i) {
      for (size_t kind = 0; kind < of_kinds.size(); ++kind) {
        const auto& [uid, name] = of_kinds[kind][i];
        EXPECT_EQ(names.NameOf(kKinds[kind], uid), name);
        EXPECT_EQ(names.NameOf(kKinds[kind], uid), name);
      }
    }
    names.ForgetMany();
  }
  EXPECT_OK(names.status());
}

// The names that queries and scans give to the one series of a store whose n-th read fails.
class UnreadNameTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.env = env_.get();
    tsdb_ = *Tsdb::Open(options_);
    OwnedPoint point("m", "host=a", Timestamp{.ms = kHour * 1000}, Value::Integer(1));
    ASSERT_OK(tsdb_->points().Append({{point.view()}}, nullptr, {}).Wait());
    Reopen();
  }

  void Reopen() {
    ASSERT_OK(tsdb_->Close());
    tsdb_ = *Tsdb::Open(options_);
  }

  // Until one call, each on a store that was just opened, meets no fault.
  template <typename Call>
  void FailEachReadOf(const Call& call) {
    uint64_t failed = 0;
    for (uint64_t n = 1;; ++n) {
      SCOPED_TRACE(testing::Message() << "read " << n);
      const size_t before = fs_->Log().size();
      fs_->FailOn({.operations = FaultFs::kAllReads, .nth = n});
      const absl::Status status = call();
      fs_->Heal();
      if (fs_->Log().size() == before) break;
      if (!status.ok()) ++failed;
      Reopen();
    }
    EXPECT_GE(failed, 1U);
  }

  TempDir directory_;
  const std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(fs_);
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(UnreadNameTest, AnAnswerNamesItsSeriesOrIsAnError) {
  FailEachReadOf([this]() -> absl::Status {
    const auto results =
        tsdb_->queries().Query(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 3600));
    if (!results.ok()) return results.status();
    EXPECT_EQ(results->series.size(), 1U);
    for (const auto& series : results->series)
      EXPECT_THAT(series.tags, testing::ElementsAre(testing::Pair("host", "a")));
    return absl::OkStatus();
  });
}

TEST_F(UnreadNameTest, AScanNamesItsRowsOrIsAnError) {
  FailEachReadOf([this] {
    uint64_t rows = 0;
    const absl::Status scanned = tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      ++rows;
      EXPECT_EQ(row.metric, "m");
      EXPECT_EQ(row.tags[0].key, "host");
      EXPECT_EQ(row.tags[0].value, "a");
      return true;
    });
    EXPECT_TRUE(!scanned.ok() || rows == 1);
    return scanned;
  });
}

}  // namespace
}  // namespace hourcell::query_names_test
