#include "engine/opentsdb/adoption.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "engine/fsck_admin.h"
#include "tests/engine/opentsdb/opentsdb_fixture.h"

namespace hourcell::adoption_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Row keys: metric, hour 50e22700, tagk, tagv.
constexpr char kWeb01[] = "00000150e22700000001000001";
constexpr char kWeb02[] = "00000150e22700000001000002";
constexpr char kWeb01Later[] = "00000150e23510000001000001";  // an hour on

class OpenTsdbAdoptionTest : public OpenTsdbFixture {
 protected:
  // Each kind of column in one row; codec/cells/hbase_row_test.cc describes them.
  void PutRows() {
    PutNames();
    PutColumn(kWeb01, "00000010", "2a2b00");        // compacted: 42 at 0 s, 43 at 1 s
    PutColumn(kWeb01, "0020", "2c");                // late: 44 at 2 s
    PutColumn(kWeb01, "050000", "00302d");          // appended: 45 at 3 s
    PutColumn(kWeb01, "f0017700", "2e");            // 46 at 1500 ms
    PutColumn(kWeb01, "004b", "0000000040900000");  // 4.5 at 4 s, 4 bytes written in 8
    PutColumn(kWeb01, "0600000bb8", "00");          // a histogram
    PutColumn(kWeb01, "010005",                     // an annotation at 5 s
              ToHex(R"({"tsuid":"000001000001000001","startTime":1356998405,"endTime":0,)"
                    R"("description":"deploy","notes":"","custom":null})"));
    // A global annotation: metric 0, no tags.
    PutColumn("00000050e22700", "010006",
              ToHex(R"({"startTime":1356998406,"endTime":0,"description":"all","notes":"",)"
                    R"("custom":null})"));
    PutColumn(kWeb02, "0011", "03e8");     // 1000 at 1 s
    PutColumn(kWeb01Later, "0000", "07");  // 7 at 0 s of the next hour
  }
};

TEST_F(OpenTsdbAdoptionTest, EachKindOfCellIsAnswered) {
  PutRows();
  const auto done = Adopt();
  ASSERT_OK(done);
  EXPECT_EQ(done->names, 4u);
  EXPECT_EQ(done->rows, 3u);
  EXPECT_EQ(done->points, 8u);
  EXPECT_EQ(done->annotations, 2u);
  EXPECT_EQ(done->skipped, 1u);
  EXPECT_EQ(done->faults, 0u);

  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  EXPECT_THAT(PointsOf(store->get()),
              ElementsAre("web01 0 42", "web01 1000 43", "web01 1500 46", "web01 2000 44",
                          "web01 3000 45", "web01 4000 4.5", "web01 3600000 7", "web02 1000 1000"));
  const auto note = (*store)->annotations().Get("000001000001000001", kHour + 5);
  ASSERT_OK(note);
  ASSERT_TRUE(note->has_value());
  EXPECT_EQ((*note)->description, "deploy");
  EXPECT_OK((*store)->annotations().Global(kHour * 1000, (kHour + 60) * 1000));
}

// The tables as a whole are those of the fake: nothing of OpenTSDB's is written.
TEST_F(OpenTsdbAdoptionTest, NothingOfOpenTsdbIsChanged) {
  PutRows();
  const auto data = Dump("tsdb", {"t"});
  const auto names = Dump("tsdb-uid", {"id", "name"});
  ASSERT_OK(Adopt());
  {
    auto store = Open(/*is_adopting=*/false);
    ASSERT_OK(store);
    ASSERT_OK((*store)->points().Put(OwnedPoint("sys.cpu", "host=web03", kHour + 9, 9).view()));
    ASSERT_OK((*store)->maintenance().Seal());
    ASSERT_OK((*store)->maintenance().Compact());
  }
  EXPECT_EQ(Dump("tsdb", {"t"}), data);
  EXPECT_EQ(Dump("tsdb-uid", {"id", "name"}), names);
}

TEST_F(OpenTsdbAdoptionTest, NamesKeepTheirUidsAndNewOnesComeAfterTheCounter) {
  PutRows();
  ASSERT_OK(Adopt());
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  EXPECT_EQ(ToHex((*store)->names().FindUid(UidKind::kTagv, "web02")->uid_bytes), "000002");
  ASSERT_OK((*store)->points().Put(OwnedPoint("sys.cpu", "host=new", kHour + 9, 9).view()));
  // 9 were given out; the ID range of the first process ends at a multiple of 256.
  const auto uid = (*store)->names().FindUid(UidKind::kTagv, "new");
  ASSERT_OK(uid);
  EXPECT_GE(ToHex(uid->uid_bytes), "00000a");
}

TEST_F(OpenTsdbAdoptionTest, APointOfTheStoreWinsOverOneOfOpenTsdb) {
  PutRows();
  ASSERT_OK(Adopt());
  {
    auto store = Open(/*is_adopting=*/false);
    ASSERT_OK(store);
    ASSERT_OK((*store)->points().Put(OwnedPoint("sys.cpu", "host=web02", kHour + 1, 1001).view()));
    ASSERT_OK((*store)->points().Put(OwnedPoint("sys.cpu", "host=web02", kHour + 2, 1002).view()));
    EXPECT_THAT(PointsOf(store->get()),
                testing::IsSupersetOf({"web02 1000 1001", "web02 2000 1002", "web01 0 42"}));
    ASSERT_OK((*store)->maintenance().Flush());
    ASSERT_OK((*store)->Close());
  }
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  EXPECT_THAT(PointsOf(store->get()),
              testing::IsSupersetOf({"web02 1000 1001", "web02 2000 1002", "web01 0 42"}));
}

TEST_F(OpenTsdbAdoptionTest, WhatIsDeletedStaysDeleted) {
  PutRows();
  ASSERT_OK(Adopt());
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  // All of web02, and of web01 all but the hour's first two seconds.
  ASSERT_OK((*store)->points().DeletePoints(
      MakeQuery(Aggregator::kNone, "sys.cpu", {}, kHour + 1, kHour + 36000)));
  EXPECT_THAT(PointsOf(store->get()), ElementsAre("web01 0 42"));
}

TEST_F(OpenTsdbAdoptionTest, BeforeItIsDoneTheStoreDoesNotOpen) {
  PutRows();
  EXPECT_THAT(Open(/*is_adopting=*/false),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("hourcell opentsdb adopt")));
  ASSERT_OK(Adopt());
  EXPECT_OK(Open(/*is_adopting=*/false));
  BigtableOptions other = Shared("");
  EXPECT_THAT(OpenOn(other), StatusIs(StatusCode::kFailedPrecondition,
                                      HasSubstr("share OpenTSDB's data table tsdb")));
}

TEST_F(OpenTsdbAdoptionTest, WhatWasCutGoesOn) {
  PutRows();
  page_rows_ = 1;
  // After the pages of names (9 rows), one page of rows with points, and another one.
  uint64_t rows_seen = 0;
  const auto cut = Adopt({.progress = [&](const AdoptionProgress& progress) {
    rows_seen = progress.rows;
    return progress.rows < 2;
  }});
  EXPECT_THAT(cut, StatusIs(StatusCode::kCancelled));
  EXPECT_EQ(rows_seen, 2u);
  EXPECT_THAT(Open(/*is_adopting=*/false), StatusIs(StatusCode::kFailedPrecondition));
  const auto mark = Tables()->ReadMark();
  ASSERT_OK(mark);
  EXPECT_EQ(mark->rows, 2u);

  const int reads_before = fake_.calls()->read_rows;
  const auto done = Adopt();
  ASSERT_OK(done);
  EXPECT_EQ(done->rows, 3u);
  EXPECT_EQ(done->points, 8u);
  EXPECT_GT(fake_.calls()->read_rows, reads_before);
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  EXPECT_EQ(PointsOf(store->get()).size(), 8u);
}

TEST_F(OpenTsdbAdoptionTest, ADamagedCellIsNamedAndLeftOutOnlyIfTold) {
  PutRows();
  PutColumn(kWeb02, "0022", "010203");  // an integer of 3 bytes
  EXPECT_THAT(Adopt(), StatusIs(StatusCode::kDataLoss,
                                AllOf(HasSubstr("row 00000150e22700000001000002, column 0022"),
                                      HasSubstr("project/instance/tsdb"))));
  std::vector<std::string> faults;
  const auto done = Adopt(
      {.skip_faults = true, .fault = [&](std::string_view fault) { faults.emplace_back(fault); }});
  ASSERT_OK(done);
  EXPECT_EQ(done->faults, 1u);
  EXPECT_THAT(faults, ElementsAre(HasSubstr("column 0022")));
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  EXPECT_EQ(PointsOf(store->get()).size(), 8u);
}

// Later damage by an OpenTSDB that is not stopped is an error, and not fewer points.
TEST_F(OpenTsdbAdoptionTest, ALaterDamageIsAnError) {
  PutRows();
  ASSERT_OK(Adopt());
  PutColumn(kWeb02, "0022", "010203");
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  EXPECT_THAT(
      (*store)->queries().Query(MakeQuery(Aggregator::kNone, "sys.cpu", {}, kHour, kHour + 3600)),
      StatusIs(StatusCode::kDataLoss));
}

TEST_F(OpenTsdbAdoptionTest, RowsThatNoNameStandsForAreFaults) {
  PutRows();
  PutColumn("00000950e22700000001000001", "0010", "01");  // metric 9
  PutColumn("00000150e227ff000001000001", "0010", "01");  // no whole hour
  std::vector<std::string> faults;
  const auto done = Adopt(
      {.skip_faults = true, .fault = [&](std::string_view fault) { faults.emplace_back(fault); }});
  ASSERT_OK(done);
  EXPECT_THAT(faults, ElementsAre(HasSubstr("row 00000150e227ff000001000001"),
                                  HasSubstr("No such unique ID for 'metrics': 000009")));
  EXPECT_EQ(done->rows, 3u);
  // Nor do scans meet them.
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  uint64_t points = 0;
  EXPECT_OK((*store)->queries().Scan({}, [&](const ScannedRow& row) {
    points += row.times.size();
    return true;
  }));
  EXPECT_EQ(points, done->points);
}

// A crash in the middle of a rename leaves the old name, too.
TEST_F(OpenTsdbAdoptionTest, OfTwoNamesOfOneUidTheReverseRowSaysWhichHolds) {
  PutRows();
  fake_.PutCell("tsdb-uid", "old.cpu", {"id", "metrics"}, 1000, Bytes("000001"));
  std::vector<std::string> faults;
  ASSERT_OK(Adopt(
      {.skip_faults = true, .fault = [&](std::string_view fault) { faults.emplace_back(fault); }}));
  EXPECT_THAT(faults, ElementsAre(HasSubstr("metrics name 'old.cpu' has UID 1, which is the name "
                                            "'sys.cpu'")));
}

TEST_F(OpenTsdbAdoptionTest, RandomUidsAreRefused) {
  PutNames();
  PutName("metrics", "random", "f00000");
  EXPECT_THAT(Adopt({.skip_faults = true}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("random UIDs")));
}

TEST_F(OpenTsdbAdoptionTest, SaltedRowsAreReadWithTheirSalt) {
  PutNames();
  const Layout salted{.salt_width = 1, .salt_buckets = 20};
  // The salt of 000001000001000001 in 20 buckets: Java's Arrays.hashCode of these bytes is
  // h = 1; for each byte h = 31 h + byte.
  int32_t hash = 1;
  for (const char byte : Bytes("000001000001000001"))
    hash = static_cast<int32_t>(31U * static_cast<uint32_t>(hash) + static_cast<uint32_t>(byte));
  const std::string salt = fmt::format("{:02x}", std::abs(hash % 20));
  PutColumn(salt + kWeb01, "0010", "05");
  ASSERT_OK(Adopt({}, salted));
  auto store = Open(/*is_adopting=*/false, salted);
  ASSERT_OK(store);
  EXPECT_THAT(PointsOf(store->get()), ElementsAre("web01 1000 5"));
}

TEST_F(OpenTsdbAdoptionTest, AnotherNumberOfBucketsIsAFault) {
  PutNames();
  PutColumn(std::string("63") + kWeb01, "0010", "05");  // bucket 99
  EXPECT_THAT(Adopt({}, {.salt_width = 1, .salt_buckets = 20}),
              StatusIs(StatusCode::kDataLoss, HasSubstr("the salt's width or buckets differ")));
}

TEST_F(OpenTsdbAdoptionTest, OnceMoreItFindsWhatOpenTsdbHasWrittenSince) {
  PutRows();
  ASSERT_OK(Adopt());
  PutName("tagv", "web03", "00000a");
  PutColumn("00000150e2270000000100000a", "0010", "05");
  ASSERT_OK(Adopt());
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  EXPECT_THAT(PointsOf(store->get()), testing::Contains("web03 1000 5"));
}

TEST_F(OpenTsdbAdoptionTest, WhatIsAdoptedIsWholeForFsck) {
  PutRows();
  ASSERT_OK(Adopt());
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  const auto report = (*store)->maintenance().fsck()->Check({});
  ASSERT_OK(report);
  EXPECT_EQ(report->faults(), 0u);
  EXPECT_EQ(report->points, 8u);
}

TEST_F(OpenTsdbAdoptionTest, EmptyTablesAreAdopted) {
  const auto done = Adopt();
  ASSERT_OK(done);
  EXPECT_EQ(done->rows, 0u);
  EXPECT_OK(Open(/*is_adopting=*/false));
}

}  // namespace
}  // namespace hourcell::adoption_test
