#include "engine/opentsdb/give_back.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/engine/opentsdb/opentsdb_fixture.h"

namespace hourcell::give_back_test {
namespace {

using absl::StatusCode;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kWeb01[] = "00000150e22700000001000001";

class GiveBackTest : public OpenTsdbFixture {
 protected:
  // Into separate tables of names.
  absl::StatusOr<GiveBackProgress> GiveBack(Tsdb* store, const std::string& suffix) {
    return GiveBackTables(store, Tables("tsdb" + suffix, "tsdb-uid" + suffix).get(), {});
  }

  void PutRows() {
    PutNames();
    PutColumn(kWeb01, "00000010", "2a2b00");
    PutColumn(kWeb01, "0020", "2c");
    PutColumn(kWeb01, "f0017700", "2e");
    PutColumn(kWeb01, "050000", "004b40900000");
    PutColumn(kWeb01, "010005",
              ToHex(R"({"tsuid":"000001000001000001","startTime":1356998405,"endTime":0,)"
                    R"("description":"deploy","notes":"","custom":null})"));
    PutColumn("00000150e23510000001000001", "0010", "05");
    PutColumn("00000150e23510000001000001", "001b", "40900000", 1357000000001);
    PutColumn("00000150e24320000001000002", "00100020", "050600");
  }
};

// The bytes by hand: qualifiers ascend by their offset, the values follow in the same order, and
// the last byte is 01 where seconds and milliseconds are mixed, else 00. One point alone lacks it.
TEST_F(GiveBackTest, ARowIsOneColumnAsRowCompactionLeavesIt) {
  PutRows();
  ASSERT_OK(Adopt());
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  const auto done = GiveBack(store->get(), "-2");
  ASSERT_OK(done);
  EXPECT_EQ(done->rows, 3u);
  EXPECT_EQ(done->points, 8u);
  EXPECT_THAT(
      Dump("tsdb-2", {"t"}),
      ElementsAre("00000150e22700000001000001 t:00000010f00177000020004b=2a2b2e2c4090000001",
                  "00000150e22700000001000001 t:010005=" +
                      ToHex(R"({"tsuid":"000001000001000001","startTime":1356998405,"endTime":0,)"
                            R"("description":"deploy","notes":"","custom":null})"),
                  // Of the two of second 1 the later one: 4.5.
                  "00000150e23510000001000001 t:001b=40900000",
                  "00000150e24320000001000002 t:00100020=050600"));
  EXPECT_THAT(Dump("tsdb-uid-2", {"id", "name"}),
              testing::IsSupersetOf(
                  {"000001 name:6d657472696373=7379732e637075",
                   "7379732e637075 id:6d657472696373=000001", "000002 name:74616776=7765623032",
                   "7765623032 id:74616776=000002", "00 id:6d657472696373=0000000000000001"}));
}

TEST_F(GiveBackTest, ThereAndBackGivesTheSameBytes) {
  PutRows();
  ASSERT_OK(Adopt());
  {
    auto store = Open(/*is_adopting=*/false);
    ASSERT_OK(store);
    ASSERT_OK((*store)->points().Put(OwnedPoint("sys.cpu", "host=web03", kHour + 9, 300).view()));
    ASSERT_OK((*store)->points().Put(
        OwnedPoint("mem", "host=web03", {.ms = kHour * 1000 + 1, .is_ms = true}, Value::Float(0.1))
            .view()));
    ASSERT_OK(GiveBack(store->get(), "-2"));
    ASSERT_OK((*store)->Close());
  }
  // Another store on the tables that were given back.
  prefix_ = "second";
  const BigtableOptions second = Shared("tsdb-2");
  {
    auto store = OpenOn(second, {}, SharedRows::kToAdopt);
    ASSERT_OK(store);
    ASSERT_OK(AdoptTables(Tables("tsdb-2", "tsdb-uid-2").get(), store->get(), {}));
    ASSERT_OK((*store)->Close());
  }
  auto store = OpenOn(second);
  ASSERT_OK(store);
  ASSERT_OK(GiveBack(store->get(), "-3"));
  EXPECT_EQ(Dump("tsdb-3", {"t"}), Dump("tsdb-2", {"t"}));
  const auto names = Dump("tsdb-uid-2", {"name"});
  EXPECT_EQ(Dump("tsdb-uid-3", {"name"}), names);
  EXPECT_EQ(names.size(), 6u);
}

// So that an OpenTSDB can continue where the store shares its tables.
TEST_F(GiveBackTest, InPlaceARowHasOneCellAndItsOthersStay) {
  PutRows();
  PutColumn(kWeb01, "0600000bb8", "00");  // a histogram
  ASSERT_OK(Adopt());
  auto store = Open(/*is_adopting=*/false);
  ASSERT_OK(store);
  ASSERT_OK((*store)->points().Put(OwnedPoint("sys.cpu", "host=web01", kHour, 41).view()));
  const auto first = GiveBackTables(store->get(), Tables().get(), {});
  ASSERT_OK(first);
  // The annotation and the row of one compacted column were there.
  EXPECT_EQ(first->rows_written, 2u);
  const auto dump = Dump("tsdb", {"t"});
  EXPECT_THAT(
      dump, ElementsAre("00000150e22700000001000001 t:00000010f00177000020004b=292b2e2c4090000001",
                        HasSubstr("t:010005="), "00000150e22700000001000001 t:0600000bb8=00",
                        "00000150e23510000001000001 t:001b=40900000",
                        "00000150e24320000001000002 t:00100020=050600"));
  // The second time everything is done already.
  const auto again = GiveBackTables(store->get(), Tables().get(), {});
  ASSERT_OK(again);
  EXPECT_EQ(again->rows_written, 0u);
  EXPECT_EQ(Dump("tsdb", {"t"}), dump);
  EXPECT_EQ(PointsOf(store->get()).size(), 8u);
}

TEST_F(GiveBackTest, AStoreOfAnotherLayoutGetsTheSaltOfTheTables) {
  BigtableOptions own = Shared("");
  auto store = OpenOn(own);
  ASSERT_OK(store);
  ASSERT_OK((*store)->points().Put(OwnedPoint("sys.cpu", "host=web01", kHour + 1, 5).view()));
  ASSERT_OK(GiveBackTables(store->get(), Tables().get(), {.salt_width = 1, .salt_buckets = 4}));
  const auto dump = Dump("tsdb", {"t"});
  ASSERT_EQ(dump.size(), 1u);
  EXPECT_THAT(dump[0], testing::EndsWith("00000150e22700000001000001 t:0010=05"));
  EXPECT_EQ(dump[0].size(), std::string("SS00000150e22700000001000001 t:0010=05").size());
}

TEST_F(GiveBackTest, ANameThatIsAnothersIsRefused) {
  PutName("metrics", "other", "000001");
  PutCounter("metrics", "0000000000000063");
  auto store = OpenOn(Shared(""));
  ASSERT_OK(store);
  ASSERT_OK((*store)->points().Put(OwnedPoint("sys.cpu", "host=web01", kHour + 1, 5).view()));
  EXPECT_THAT(GiveBackTables(store->get(), Tables().get(), {}),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("row 000001 of the names has 6f74686572 in name:metrics")));
}

TEST_F(GiveBackTest, ACounterIsNeverLowered) {
  PutCounter("metrics", "0000000000000063");
  auto store = OpenOn(Shared(""));
  ASSERT_OK(store);
  ASSERT_OK((*store)->points().Put(OwnedPoint("sys.cpu", "host=web01", kHour + 1, 5).view()));
  ASSERT_OK(GiveBackTables(store->get(), Tables().get(), {}));
  EXPECT_THAT(Dump("tsdb-uid", {"id"}), Contains("00 id:6d657472696373=0000000000000063"));
}

// OpenTSDB divides a start that ends in 000, and looks for the annotation where that leaves it.
TEST_F(GiveBackTest, AnnotationsAreWhereOpenTsdbLooksForThem) {
  EXPECT_EQ(ToHex(OpenTsdbAnnotationQualifier(1425716001)), "010321");     // 801 s into the hour
  EXPECT_EQ(ToHex(OpenTsdbAnnotationQualifier(1425716000)), "010074");     // 1425716 s: 116
  EXPECT_EQ(ToHex(OpenTsdbAnnotationQualifier(1425716001000)), "010321");  // whole seconds
  EXPECT_EQ(ToHex(OpenTsdbAnnotationQualifier(1425716001500)), "01000c3adc");  // 801500 ms
}

}  // namespace
}  // namespace hourcell::give_back_test
