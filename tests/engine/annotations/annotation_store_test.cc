#include "engine/annotations/annotation_store.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/text/point_text.h"
#include "engine/rows/annotation_cell.h"
#include "engine/rows/annotation_key.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/vectors.h"

namespace hourcell::annotation_store_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::Pair;

constexpr const char* kTsuid = "000001000001000001";
constexpr const char* kOther = "000001000001000002";

class AnnotationStoreTest : public testing::Test {
 protected:
  AnnotationStoreTest() { Open(); }

  void Open(const RowExpiry* expiry = nullptr) {
    auto opened = AnnotationStore::Open(
        {.row_keys = &row_keys_, .tables = &tables_, .expiry = expiry}, /*sync=*/false);
    HOURCELL_CHECK(opened.ok());
    store_ = *std::move(opened);
  }

  absl::StatusOr<Annotation> Put(const AnnotationEdit& edit,
                                 AnnotationWrite write = AnnotationWrite::kMerge) {
    auto put = store_->Put({&edit, 1}, write);
    if (!put.ok()) return put.status();
    return put->front();
  }

  // Starts of the annotations of series (hex, ascending) from start to end, in seconds.
  std::vector<int64_t> OfSeries(const std::vector<std::string>& tsuids,
                                int64_t start,
                                int64_t end) {
    std::vector<std::string> bytes;
    for (const std::string& tsuid : tsuids)
      bytes.push_back(FromHex(tsuid).value());
    const std::vector<std::string_view> views(bytes.begin(), bytes.end());
    return StartsOf(store_->OfSeries(tables_.Snapshot().get(), views, start * 1000, end * 1000));
  }
  std::vector<int64_t> Global(int64_t start, int64_t end) {
    return StartsOf(store_->Global(tables_.Snapshot().get(), start * 1000, end * 1000));
  }

  MemTableStore tables_;
  const RowKeyCodec row_keys_{Layout{}};
  std::unique_ptr<AnnotationStore> store_;

 private:
  static std::vector<int64_t> StartsOf(const absl::StatusOr<std::vector<Annotation>>& found) {
    EXPECT_OK(found);
    std::vector<int64_t> starts;
    for (const Annotation& annotation : found.value_or(std::vector<Annotation>()))
      starts.push_back(annotation.start_time);
    return starts;
  }
};

TEST_F(AnnotationStoreTest, AMergeKeepsWhatIsNotSetAndAReplacementDoesNot) {
  ASSERT_OK(Put({.tsuid = kTsuid,
                 .start_time = 1388450562,
                 .end_time = 1388450600,
                 .description = "Hello!",
                 .notes = "My Notes",
                 .custom = {{{"b", "2"}, {"a", "1"}, {"b", "3"}}}}));

  const auto merged = Put({.tsuid = kTsuid, .start_time = 1388450562, .description = "Boo"});
  const Annotation want{.tsuid = kTsuid,
                        .start_time = 1388450562,
                        .end_time = 1388450600,
                        .description = "Boo",
                        .notes = "My Notes",
                        .custom = {{"a", "1"}, {"b", "3"}}};
  EXPECT_THAT(merged, IsOkAndHolds(want));
  EXPECT_THAT(store_->Get(kTsuid, 1388450562), IsOkAndHolds(Optional(want)));

  const auto replaced =
      Put({.tsuid = kTsuid, .start_time = 1388450562, .notes = "n"}, AnnotationWrite::kReplace);
  const Annotation rest{.tsuid = kTsuid, .start_time = 1388450562, .notes = "n"};
  EXPECT_THAT(replaced, IsOkAndHolds(rest));
  EXPECT_THAT(store_->Get(kTsuid, 1388450562), IsOkAndHolds(Optional(rest)));
  EXPECT_THAT(store_->Get(kTsuid, 1388450563), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(store_->Get("", 1388450562), IsOkAndHolds(std::nullopt));
}

TEST_F(AnnotationStoreTest, AnInstantIsOneWhateverItsSpelling) {
  ASSERT_OK(Put({.tsuid = kTsuid, .start_time = 1388450562, .description = "s"}));

  // An odd count of digits lacks a leading 0.
  const auto merged =
      Put({.tsuid = "00001000001000001", .start_time = 1388450562000, .notes = "n"});

  ASSERT_OK(merged);
  EXPECT_EQ(merged->description, "s");
  EXPECT_EQ(merged->start_time, 1388450562);
  EXPECT_THAT(store_->Get(kTsuid, 1388450562000), IsOkAndHolds(Optional(*merged)));
  EXPECT_THAT(store_->Get(kTsuid, 1388450562500), IsOkAndHolds(std::nullopt));
}

TEST_F(AnnotationStoreTest, IsStoredAsInOpenTsdb) {
  ASSERT_OK(Put({.tsuid = kTsuid, .start_time = 1388450562, .description = "Hello!"}));

  const std::string key = FromHex("00000152c20900000001000001010a02").value();
  EXPECT_THAT(tables_.Snapshot()->Get(TableId::kAnnotation, key),
              IsOkAndHolds(Optional(
                  std::string(R"({"tsuid":"000001000001000001","startTime":1388450562,"endTime":0,)"
                              R"("description":"Hello!","notes":"","custom":null})"))));
}

TEST_F(AnnotationStoreTest, ABatchIsAllOrNothingAndLaterEditsSeeEarlierOnes) {
  const AnnotationEdit edits[] = {{.tsuid = "", .start_time = 100, .description = "a"},
                                  {.tsuid = kTsuid, .start_time = 100, .description = "b"},
                                  {.tsuid = "", .start_time = 100, .notes = "c"}};
  const auto put = store_->Put(edits, AnnotationWrite::kMerge);

  const Annotation both{.tsuid = "", .start_time = 100, .description = "a", .notes = "c"};
  ASSERT_OK(put);
  EXPECT_EQ(put->size(), 3U);
  EXPECT_EQ(put->at(0).notes, "");
  EXPECT_EQ(put->at(2), both);
  EXPECT_THAT(store_->Get("", 100), IsOkAndHolds(Optional(both)));

  const AnnotationEdit bad[] = {{.tsuid = "", .start_time = 200, .notes = "x"},
                                {.tsuid = "zz", .start_time = 200, .notes = "x"}};
  EXPECT_THAT(store_->Put(bad, AnnotationWrite::kMerge),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(store_->Get("", 200), IsOkAndHolds(std::nullopt));
}

TEST_F(AnnotationStoreTest, RefusesWhatNoSeriesOfThisStoreCanBe) {
  struct Case {
    AnnotationEdit edit;
    std::string says;
  };
  const Case cases[] = {
      {{.tsuid = "xyz", .start_time = 1, .notes = "n"}, "not hex"},
      {{.tsuid = "000001", .start_time = 1, .notes = "n"}, "expected a metric of 3 and"},
      {{.tsuid = "0000010000010000", .start_time = 1, .notes = "n"}, "expected a metric of 3 and"},
      {{.tsuid = "000000000001000001", .start_time = 1, .notes = "n"}, "not zero"},
      {{.tsuid = "000001000001000000", .start_time = 1, .notes = "n"}, "not zero"},
      {{.tsuid = "000001000000000001", .start_time = 1, .notes = "n"}, "not zero"},
      {{.tsuid = "000001000002000001000001000001", .start_time = 1, .notes = "n"}, "ascend"},
      {{.tsuid = "000001000001000001000001000002", .start_time = 1, .notes = "n"}, "ascend"},
      {{.tsuid = "", .start_time = 0, .notes = "n"}, "invalid timestamp: 0"},
      {{.tsuid = "", .start_time = -1, .notes = "n"}, "invalid timestamp: -1"},
      {{.tsuid = "", .start_time = kTimestampMsMax + 1, .notes = "n"}, "bad timestamp"},
      {{.tsuid = "", .start_time = 1, .end_time = -1}, "invalid timestamp: -1"},
      {{.tsuid = "", .start_time = 1}, "nothing is set"},
      {{.tsuid = "", .start_time = 1, .notes = "\xff"}, "not UTF-8"},
      {{.tsuid = "", .start_time = 1, .custom = {{{"k", "\xff"}}}}, "not UTF-8"},
      {{.tsuid = "", .start_time = 1, .notes = std::string(1 << 20, 'n')},
       "expected at most 1048576"}};
  for (const auto& [edit, says] : cases) {
    EXPECT_THAT(Put(edit), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(says)))
        << edit.tsuid;
  }
  EXPECT_FALSE(store_->has_any());
}

TEST_F(AnnotationStoreTest, GlobalVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "annotation.global_scan")) {
    SCOPED_TRACE(vector.from);
    if (vector.wants_error()) continue;  // TsdbAnnotationsTest
    std::vector<int64_t> want;
    for (const auto stored : simdjson::dom::array(vector.given["stored"])) {
      ASSERT_OK(Put({.tsuid = "",
                     .start_time = IntOf(stored, "startTime"),
                     .end_time = IntOf(stored, "endTime")}));
    }
    for (const int64_t start : simdjson::dom::array(vector.expect["returned"]))
      want.push_back(start);
    EXPECT_EQ(Global(IntOf(vector.given, "start"), IntOf(vector.given, "end")), want);
    ++run;
  }
  EXPECT_EQ(run, 2);
}

TEST_F(AnnotationStoreTest, GlobalOnesCountByStartAndEnd) {
  ASSERT_OK(Put({.tsuid = "", .start_time = 10'000, .notes = "n"}));
  ASSERT_OK(Put({.tsuid = "", .start_time = 20'000'000'500, .notes = "n"}));
  ASSERT_OK(Put({.tsuid = "", .start_time = 30'000'000, .end_time = 30'000'000'700}));
  ASSERT_OK(Put({.tsuid = kTsuid, .start_time = 20'000'001, .notes = "n"}));

  EXPECT_THAT(Global(0, 40'000'000), ElementsAre(10'000, 20'000'000'500, 30'000'000));
  EXPECT_THAT(Global(10'001, 20'000'000), ElementsAre());
  EXPECT_THAT(Global(20'000'000, 20'000'001), ElementsAre(20'000'000'500));
  EXPECT_THAT(Global(30'000'000, 30'000'000), ElementsAre());  // it ends later
  EXPECT_THAT(Global(30'000'000, 30'000'001), ElementsAre(30'000'000));
  // The second that the range begins in counts whole.
  const auto found = store_->Global(tables_.Snapshot().get(), 10'000'999, 10'001'000);
  ASSERT_OK(found);
  EXPECT_EQ(found->size(), 1U);
}

TEST_F(AnnotationStoreTest, SeriesHaveTheirOwnByTime) {
  ASSERT_OK(Put({.tsuid = kTsuid, .start_time = 7200, .notes = "n"}));
  ASSERT_OK(Put({.tsuid = kTsuid, .start_time = 3599, .notes = "n"}));
  ASSERT_OK(Put({.tsuid = kOther, .start_time = 3600, .notes = "n"}));
  ASSERT_OK(Put({.tsuid = "000002000001000001", .start_time = 3700, .notes = "n"}));
  ASSERT_OK(Put({.tsuid = "", .start_time = 3800, .notes = "n"}));

  EXPECT_THAT(OfSeries({kTsuid}, 0, 10'000), ElementsAre(3599, 7200));
  EXPECT_THAT(OfSeries({kTsuid, kOther}, 3599, 7199), ElementsAre(3599, 3600));
  EXPECT_THAT(OfSeries({kOther, "000002000001000001"}, 0, 10'000), ElementsAre(3600, 3700));
  EXPECT_THAT(OfSeries({}, 0, 10'000), ElementsAre());
}

TEST_F(AnnotationStoreTest, DeleteVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "annotation.delete_range")) {
    SCOPED_TRACE(vector.from);
    const int64_t base = IntOf(vector.given, "base_time");
    std::vector<std::string> kept;
    for (const std::string_view qualifier : simdjson::dom::array(vector.given["qualifiers"])) {
      if (!qualifier.starts_with("01")) continue;  // points are in another table
      const auto offset = static_cast<int64_t>(
          LoadBigEndian(FromHex(std::string(qualifier)).value().data() + 1, 2));
      ASSERT_OK(Put({.tsuid = kTsuid, .start_time = base + offset, .notes = "n"}));
    }
    const std::string tsuids[] = {kTsuid};
    EXPECT_THAT(store_->DeleteRange(tsuids, /*global=*/false, IntOf(vector.given, "start_ms"),
                                    IntOf(vector.given, "end_ms")),
                IsOkAndHolds(simdjson::dom::array(vector.expect["deleted"]).size()));
    for (const std::string_view qualifier : simdjson::dom::array(vector.expect["deleted"])) {
      const auto offset = static_cast<int64_t>(
          LoadBigEndian(FromHex(std::string(qualifier)).value().data() + 1, 2));
      EXPECT_THAT(store_->Get(kTsuid, base + offset), IsOkAndHolds(std::nullopt));
    }
    ++run;
  }
  EXPECT_EQ(run, 3);
}

TEST_F(AnnotationStoreTest, DeletesOneOrMany) {
  std::vector<AnnotationEdit> edits;
  for (int64_t i = 1; i <= 2500; ++i)
    edits.push_back({.tsuid = i % 2 == 0 ? kTsuid : "", .start_time = i * 10, .notes = "n"});
  ASSERT_OK(store_->Put(edits, AnnotationWrite::kMerge));

  EXPECT_OK(store_->Delete("", 10));
  EXPECT_OK(store_->Delete("", 11));
  EXPECT_THAT(Global(0, 40), ElementsAre(30));
  const std::string tsuids[] = {kTsuid, kTsuid, kOther};
  EXPECT_THAT(store_->DeleteRange(tsuids, /*global=*/false, 0, 100'000), IsOkAndHolds(5U));
  EXPECT_THAT(store_->DeleteRange(tsuids, /*global=*/true, 0, INT64_MAX), IsOkAndHolds(2494U));
  EXPECT_THAT(Global(0, 100'000), ElementsAre());
  EXPECT_THAT(OfSeries({kTsuid}, 0, 100'000), ElementsAre());
  const std::string empty[] = {""};
  EXPECT_THAT(store_->DeleteRange(empty, /*global=*/false, 0, 1),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(AnnotationStoreTest, KnowsWhetherThereAreAny) {
  EXPECT_FALSE(store_->has_any());
  ASSERT_OK(Put({.tsuid = "", .start_time = 1, .notes = "n"}));
  EXPECT_TRUE(store_->has_any());
  Open();
  EXPECT_TRUE(store_->has_any());
  ASSERT_OK(store_->Delete("", 1));
  Open();
  EXPECT_FALSE(store_->has_any());
}

TEST_F(AnnotationStoreTest, AFailedWriteIsReportedAndChangesNothing) {
  tables_.FailApplies(1);
  EXPECT_THAT(Put({.tsuid = "", .start_time = 1, .notes = "n"}),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store_->Get("", 1), IsOkAndHolds(std::nullopt));
}

TEST_F(AnnotationStoreTest, DamageIsDataLoss) {
  ASSERT_OK(Put({.tsuid = "", .start_time = 1, .notes = "n"}));
  std::string key;
  AppendAnnotationKey(row_keys_, "", {.ms = 1000}, &key);
  std::string others;
  AppendAnnotationCell({.tsuid = "", .start_time = 2}, &others);
  for (const std::string& value : {std::string("{"), others}) {
    const Mutation bad{TableId::kAnnotation, Mutation::Kind::kSet, key, value};
    ASSERT_OK(tables_.Apply({&bad, 1}, /*sync=*/false));
    EXPECT_THAT(store_->Get("", 1), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_THAT(store_->Global(tables_.Snapshot().get(), 0, 2000),
                StatusIs(absl::StatusCode::kDataLoss));
  }
}

TEST_F(AnnotationStoreTest, WhatHasExpiredIsNeitherShownNorTaken) {
  ManualClock clock(100'000'000);
  Retention retention;
  const RowExpiry expiry(row_keys_.layout(), &retention, &clock);
  Open(&expiry);
  ASSERT_OK(Put({.tsuid = kTsuid, .start_time = 50'000, .notes = "n"}));
  ASSERT_OK(Put({.tsuid = "", .start_time = 50'000, .notes = "n"}));

  retention.Set({.store_ttl_s = 40'000, .metric_ttl_s = {}});
  EXPECT_THAT(store_->Get(kTsuid, 50'000), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(OfSeries({kTsuid}, 0, 100'000), ElementsAre());
  EXPECT_THAT(Global(0, 100'000), ElementsAre());
  EXPECT_THAT(Put({.tsuid = kTsuid, .start_time = 50'000, .description = "d"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expired")));

  retention.Set({.store_ttl_s = 40'000, .metric_ttl_s = {{1, 0}}});
  EXPECT_THAT(OfSeries({kTsuid}, 0, 100'000), ElementsAre(50'000));
  EXPECT_THAT(Global(0, 100'000), ElementsAre());
}

TEST_F(AnnotationStoreTest, WritersOfOneAnnotationLoseNothing) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 50; ++i) {
        AnnotationEdit edit{.tsuid = "", .start_time = 1 + i};
        if (t == 0) edit.end_time = 7;
        if (t == 1) edit.description = "d";
        if (t == 2) edit.notes = "n";
        if (t == 3) edit.custom = {{{"k", "v"}}};
        EXPECT_OK(Put(edit));
        EXPECT_OK(store_->Global(tables_.Snapshot().get(), 0, 100'000));
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (int i = 0; i < 50; ++i) {
    const Annotation all{.tsuid = "",
                         .start_time = 1 + i,
                         .end_time = 7,
                         .description = "d",
                         .notes = "n",
                         .custom = {{"k", "v"}}};
    EXPECT_THAT(store_->Get("", 1 + i), IsOkAndHolds(Optional(all)));
  }
}

// Through the whole engine.
class TsdbAnnotationsTest : public testing::Test {
 protected:
  TsdbAnnotationsTest() { Open(); }

  void Open() {
    auto opened = Tsdb::Open(options_);
    HOURCELL_CHECK(opened.ok());
    tsdb_ = *std::move(opened);
  }

  void Put(const AnnotationEdit& edit) {
    ASSERT_OK(tsdb_->annotations().Put({&edit, 1}, AnnotationWrite::kMerge));
  }

  TempDir directory_;
  Options options_ = TinyOptions(directory_.path());
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(TsdbAnnotationsTest, SurviveReopeningAndLsmCompaction) {
  Put({.tsuid = kTsuid, .start_time = 1388450562, .notes = "n"});
  Put({.tsuid = "", .start_time = 1388450562500, .notes = "g"});
  ASSERT_OK(tsdb_->maintenance().Compact());
  Put({.tsuid = kTsuid, .start_time = 1388450562, .description = "d"});
  ASSERT_OK(tsdb_->Close());
  EXPECT_THAT(tsdb_->annotations().Get("", 1), StatusIs(absl::StatusCode::kFailedPrecondition));
  Open();

  const Annotation want{
      .tsuid = kTsuid, .start_time = 1388450562, .description = "d", .notes = "n"};
  EXPECT_THAT(tsdb_->annotations().Get(kTsuid, 1388450562), IsOkAndHolds(Optional(want)));
  const auto global = tsdb_->annotations().Global(0, INT64_MAX);
  ASSERT_OK(global);
  EXPECT_EQ(global->size(), 1U);
  const std::string tsuids[] = {kTsuid};
  EXPECT_THAT(tsdb_->annotations().DeleteRange(tsuids, /*global=*/true, 0, INT64_MAX),
              IsOkAndHolds(2U));
  ASSERT_OK(tsdb_->maintenance().Compact());
  EXPECT_THAT(tsdb_->annotations().Get(kTsuid, 1388450562), IsOkAndHolds(std::nullopt));
}

TEST_F(TsdbAnnotationsTest, GlobalRangesThatAreNoneAreRefused) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "annotation.global_scan")) {
    if (!vector.wants_error()) continue;
    SCOPED_TRACE(vector.from);
    EXPECT_THAT(tsdb_->annotations().Global(IntOf(vector.given, "start") * 1000,
                                            IntOf(vector.given, "end") * 1000),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("end timestamp")));
    ++run;
  }
  EXPECT_EQ(run, 2);
}

TEST_F(TsdbAnnotationsTest, QueriesAnswerThoseOfTheirSeriesAndTheGlobalOnes) {
  constexpr int64_t kStart = 1356998400;
  for (const char* const host : {"host=a", "host=b", "host=c"})
    ASSERT_OK(tsdb_->points().Put(OwnedPoint("m", host, kStart, 1).view()));
  Put({.tsuid = kOther, .start_time = kStart + 5, .notes = "b5"});
  Put({.tsuid = kTsuid, .start_time = kStart + 9, .notes = "a9"});
  Put({.tsuid = kTsuid, .start_time = (kStart + 2) * 1000 + 1, .notes = "a2"});
  Put({.tsuid = kTsuid, .start_time = kStart + 11, .notes = "late"});
  Put({.tsuid = "", .start_time = kStart + 3, .notes = "g"});
  const auto notes = [](const std::vector<Annotation>& annotations) {
    std::vector<std::string> texts;
    for (const Annotation& annotation : annotations)
      texts.push_back(annotation.notes);
    return texts;
  };

  QuerySpec all = MakeQuery(Aggregator::kSum, "m", {}, kStart, kStart + 10);
  all.global_annotations = true;
  const auto summed = tsdb_->queries().Query(all);
  ASSERT_OK(summed);
  ASSERT_EQ(summed->series.size(), 1U);
  EXPECT_THAT(notes(summed->series[0].annotations), ElementsAre("a2", "b5", "a9"));
  EXPECT_THAT(notes(summed->global_annotations), ElementsAre("g"));

  const auto each =
      tsdb_->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kStart, kStart + 10));
  ASSERT_OK(each);
  ASSERT_EQ(each->series.size(), 3U);
  EXPECT_THAT(notes(each->series[0].annotations), ElementsAre("a2", "a9"));
  EXPECT_THAT(notes(each->series[1].annotations), ElementsAre("b5"));
  EXPECT_THAT(notes(each->series[2].annotations), ElementsAre());
  EXPECT_THAT(each->global_annotations, ElementsAre());

  all.annotations = false;
  const auto none = tsdb_->queries().Query(all);
  ASSERT_OK(none);
  EXPECT_THAT(none->series[0].annotations, ElementsAre());
  EXPECT_THAT(none->global_annotations, ElementsAre());
}

}  // namespace
}  // namespace hourcell::annotation_store_test
