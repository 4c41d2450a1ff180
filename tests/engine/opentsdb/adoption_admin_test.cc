#include "engine/adoption_admin.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "engine/fsck_admin.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::adoption_admin_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kHour = 1356998400;  // 50e22700

class AdoptionAdminTest : public testing::Test {
 protected:
  AdoptionAdminTest() {
    auto opened = Tsdb::Open(TinyOptions(dir_.path() + "/store"));
    EXPECT_OK(opened);
    store_ = *std::move(opened);
  }

  // m is 000005, host 000006, a 000007.
  void RestoreNames() {
    const RestoredName metric[] = {{.name = "m", .uid = 5}};
    const RestoredName tagk[] = {{.name = "host", .uid = 6}};
    const RestoredName tagv[] = {{.name = "a", .uid = 7}};
    ASSERT_OK(store_->maintenance().adoption()->RestoreNames(UidKind::kMetric, metric, 9));
    ASSERT_OK(store_->maintenance().adoption()->RestoreNames(UidKind::kTagk, tagk, 0));
    ASSERT_OK(store_->maintenance().adoption()->RestoreNames(UidKind::kTagv, tagv, 0));
  }

  static std::string Bytes(const std::string& hex) { return *FromHex(hex); }

  TempDir dir_;
  std::unique_ptr<Tsdb> store_;
};

TEST_F(AdoptionAdminTest, NamesHaveTheirUidsAndNewOnesComeAfterTheHighest) {
  RestoreNames();
  RestoreNames();
  EXPECT_EQ(ToHex(store_->names().FindUid(UidKind::kMetric, "m")->uid_bytes), "000005");
  EXPECT_EQ(store_->names().FindName(UidKind::kTagv, 7)->name, "a");
  EXPECT_EQ(store_->maintenance().adoption()->HighestUid(UidKind::kMetric), 9u);
  EXPECT_EQ(ToHex(store_->names().AssignUid(UidKind::kMetric, "n")->uid_bytes), "00000a");
  EXPECT_EQ(ToHex(store_->names().AssignUid(UidKind::kTagk, "k")->uid_bytes), "000007");
}

TEST_F(AdoptionAdminTest, ANameOrUidOfAnotherIsRefusedAndNoneIsRestored) {
  RestoreNames();
  const RestoredName other_uid[] = {{.name = "new", .uid = 8}, {.name = "m", .uid = 6}};
  EXPECT_THAT(store_->maintenance().adoption()->RestoreNames(UidKind::kMetric, other_uid, 0),
              StatusIs(StatusCode::kDataLoss, HasSubstr("metrics 'm': has UID 5; expected 6")));
  const RestoredName other_name[] = {{.name = "new", .uid = 5}};
  EXPECT_THAT(store_->maintenance().adoption()->RestoreNames(UidKind::kMetric, other_name, 0),
              StatusIs(StatusCode::kDataLoss, HasSubstr("metrics UID 5: has the name 'm'")));
  const RestoredName too_large[] = {{.name = "new", .uid = 1 << 24}};
  EXPECT_THAT(store_->maintenance().adoption()->RestoreNames(UidKind::kMetric, too_large, 0),
              StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(store_->names().FindUid(UidKind::kMetric, "new"), StatusIs(StatusCode::kNotFound));
}

TEST_F(AdoptionAdminTest, RowsOfTheTableAreFoundOnceTheyAreIndexed) {
  RestoreNames();
  const std::vector<std::string> keys = {Bytes("00000550e22700000006000007"),
                                         Bytes("00000550e23510000006000007")};
  std::vector<RowFault> faults;
  ASSERT_OK(store_->maintenance().adoption()->IndexRows(keys, &faults));
  EXPECT_THAT(faults, IsEmpty());
  // 42 at second 1, and 43 at second 2 of the next hour.
  ASSERT_OK(store_->maintenance().adoption()->ReplaceRow(keys[0], Bytes("0100102a")));
  ASSERT_OK(store_->maintenance().adoption()->ReplaceRow(keys[1], Bytes("0100202b")));

  const auto result =
      store_->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 7200));
  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 1u);
  EXPECT_EQ(result->series[0].points.size(), 2u);
  EXPECT_EQ(store_->maintenance().fsck()->Check({})->faults(), 0u);

  ASSERT_OK(store_->maintenance().adoption()->ReplaceRow(keys[1], ""));
  EXPECT_EQ(store_->queries()
                .Query(MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 7200))
                ->series[0]
                .points.size(),
            1u);
}

TEST_F(AdoptionAdminTest, RowsThatAreNoneOfTheStoreAreTold) {
  RestoreNames();
  const std::vector<std::string> keys = {
      Bytes("00000550e22700000006000007"),              // good
      Bytes("00000550e22700000006000008"),              // no such tag value
      Bytes("00000550e22701000006000007"),              // no whole hour
      Bytes("00000150e22700000006000007"),              // no such metric
      Bytes("00000550e22700000006000007000006000007"),  // the tag twice
  };
  std::vector<RowFault> faults;
  ASSERT_OK(store_->maintenance().adoption()->IndexRows(keys, &faults));
  ASSERT_EQ(faults.size(), 4u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(faults[i].index, i + 1);
  EXPECT_THAT(faults[0].fault, HasSubstr("'tagv': 000008"));
  EXPECT_THAT(faults[2].fault, HasSubstr("'metrics': 000001"));
  EXPECT_THAT(faults[3].fault, HasSubstr("expected each tag key once"));
}

}  // namespace
}  // namespace hourcell::adoption_admin_test
