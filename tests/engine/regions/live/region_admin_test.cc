// Regions managed by hand, over both implementations of TableStore.

#include "engine/region_admin.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "codec/rows/row_key.h"
#include "engine/regions/live/region_history.h"
#include "engine/regions/live/rolling_split_state.h"
#include "engine/regions/region_name.h"
#include "engine/regions/split/split_settings.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/region_catalogue.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/mem_uid_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "uid/uid_directory.h"

namespace hourcell::region_admin_test {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr uint64_t kPinnedMs = uint64_t{30} * 24 * 3600 * 1000;

enum class Engine { kRocks, kMemory };

std::string Key(int i) {
  return fmt::format("k{:05}", i);
}

class RegionAdminTest : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    auto opened = UidDirectory::Open({}, &uid_store_);
    ASSERT_OK(opened);
    uids_ = *std::move(opened);
    Reopen();
  }

  // RocksDB's from disk.
  void Reopen() {
    admin_.reset();
    if (GetParam() == Engine::kMemory) {
      if (tables_ == nullptr) tables_ = std::make_unique<MemTableStore>();
    } else {
      tables_.reset();
      auto opened = OpenRocksTableStore(directory_.file("db"), TinyOptions(directory_.path()));
      ASSERT_OK(opened);
      tables_ = *std::move(opened);
    }
    Manage(settings_);
  }

  void Manage(const SplitSettings& settings) {
    settings_ = settings;
    admin_ =
        std::make_unique<RegionAdmin>(settings_, RegionAdmin::Parts{.tables = tables_.get(),
                                                                    .list = tables_.get(),
                                                                    .regions = tables_->regions(),
                                                                    .maintenance = tables_.get(),
                                                                    .row_keys = &row_keys_,
                                                                    .uids = uids_.get(),
                                                                    .clock = &clock_,
                                                                    .history = &history_});
  }

  void Set(TableId table, const std::string& key, const std::string& value) {
    const Mutation row{table, Mutation::Kind::kSet, key, value};
    ASSERT_OK(tables_->Apply({&row, 1}, false));
  }
  // Dissimilar rows k<first> to k<last - 1> of 200 bytes.
  void Fill(int first, int last) {
    for (int i = first; i < last; ++i) {
      std::string value;
      while (value.size() < 200)
        value += static_cast<char>(random_.Next());
      Set(TableId::kData, Key(i), value);
    }
  }

  std::vector<ListedRegion> List(ListDetail detail = ListDetail::kPlain) {
    absl::StatusOr<std::vector<ListedRegion>> list = admin_->List("data", detail);
    EXPECT_OK(list);
    return list.ok() ? *std::move(list) : std::vector<ListedRegion>();
  }
  std::vector<std::string> Starts() {
    std::vector<std::string> starts;
    for (const ListedRegion& region : List())
      starts.push_back(region.start);
    return starts;
  }
  absl::Status Split(const std::string& region, const std::string& at) {
    return admin_->Split({.region = region, .at = at}).status();
  }
  int CountRows(const std::string& start, const std::string& end) {
    int rows = 0;
    EXPECT_OK(tables_->Snapshot()->Scan(TableId::kData, {.begin = start, .end = end},
                                        [&](std::string_view, std::string_view) {
                                          ++rows;
                                          return true;
                                        }));
    return rows;
  }

  TempDir directory_;
  ManualClock clock_{kNowMs};
  RegionHistory history_;
  const RowKeyCodec row_keys_{Layout()};
  MemUidStore uid_store_;
  SplitSettings settings_;
  Random random_{1};
  std::unique_ptr<UidDirectory> uids_;
  std::unique_ptr<TableStore> tables_;
  std::unique_ptr<RegionAdmin> admin_;
};

TEST_P(RegionAdminTest, ListsWhatThereIs) {
  Fill(0, 100);
  ASSERT_OK(Split("1", "k00050"));

  const std::vector<ListedRegion> list = List();

  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0].start, "");
  EXPECT_EQ(list[0].end, "k00050");
  EXPECT_EQ(list[1].start, "k00050");
  EXPECT_EQ(list[1].end, "");
  EXPECT_EQ(list[1].state, "OPEN");
  EXPECT_THAT(list[1].parents, ElementsAre(1u));
  EXPECT_EQ(list[1].pinned_until_ms, kNowMs + kPinnedMs);
  EXPECT_EQ(list[1].name, PrintableRegionName("data", "k00050", {list[1].id}));
  EXPECT_EQ(list[1].encoded_name, EncodedRegionName("data", "k00050", {list[1].id}));
  EXPECT_GT(list[1].file_bytes + list[1].memory_bytes, 0u);
  EXPECT_EQ(list[1].explained, std::nullopt);

  EXPECT_THAT(admin_->List("uid", ListDetail::kPlain), IsOkAndHolds(SizeIs(1)));
  EXPECT_THAT(admin_->List("table", ListDetail::kPlain),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("expected data or annotation")));
}

TEST_P(RegionAdminTest, ExplainsWhereRegionsBegin) {
  ASSERT_OK(uids_->GetOrAssign(UidKind::kMetric, "cpu.user").status());
  ASSERT_OK(Split("1", "\\x00\\x00\\x01P\\xE2'\\x00"));

  const std::vector<ListedRegion> list = List(ListDetail::kExplained);

  ASSERT_THAT(list, SizeIs(2));
  EXPECT_THAT(list[0].explained, Optional(ExplainedKey()));
  ASSERT_TRUE(list[1].explained.has_value());
  EXPECT_EQ(KeyText(*list[1].explained), "cpu.user, 2013-01-01 00:00:00");
  const auto alone = admin_->Explain("data", "\\x00\\x00\\x01\\x02");
  ASSERT_OK(alone);
  EXPECT_EQ(KeyText(*alone), "cpu.user, 0x02");
  EXPECT_THAT(admin_->Explain("data", "\\x"), StatusIs(StatusCode::kInvalidArgument));
}

TEST_P(RegionAdminTest, CutsARegionAtAKey) {
  Fill(0, 100);
  const absl::StatusOr<SplitDone> done = admin_->Split({.region = "k00030", .at = "k00070"});
  ASSERT_OK(done);
  EXPECT_EQ(done->parent, 1u);
  ASSERT_THAT(done->daughters, SizeIs(2));
  EXPECT_EQ(done->daughters[1].start, "k00070");
  EXPECT_THAT(Starts(), ElementsAre("", "k00070"));
  EXPECT_EQ(CountRows("", ""), 100);

  // By the other ways to name a region.
  ASSERT_OK(Split(std::to_string(done->daughters[0].id), "k00010"));
  ASSERT_OK(Split(done->daughters[1].encoded_name, "k00080"));
  ASSERT_OK(Split(List()[3].name, "k00090"));
  EXPECT_THAT(Starts(), ElementsAre("", "k00010", "k00070", "k00080", "k00090"));
  EXPECT_EQ(CountRows("", ""), 100);
}

TEST_P(RegionAdminTest, RefusesKeysThatCutNothing) {
  Fill(0, 100);
  ASSERT_OK(Split("1", "k00050"));
  const std::string upper = std::to_string(List()[1].id);

  EXPECT_THAT(Split(upper, "k00010"), StatusIs(StatusCode::kInvalidArgument,
                                               HasSubstr("is outside; expected a key inside")));
  EXPECT_THAT(Split(upper, "k00050"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("is the region's start")));
  EXPECT_THAT(Split(upper, ""), StatusIs(StatusCode::kInvalidArgument, HasSubstr("is empty")));
  EXPECT_THAT(Split(upper, "\\xZZ"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Split("1", "k00010"), StatusIs(StatusCode::kNotFound, HasSubstr("\"1\"")));
  EXPECT_THAT(Split("", "k00010"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("missing")));
  EXPECT_THAT(admin_->Split({.table = "no", .region = upper}),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("table: expected data or annotation, got \"no\"")));
  EXPECT_FALSE(admin_->Split({.table = "uid", .region = "1", .at = "k"}).ok());
  EXPECT_THAT(Starts(), ElementsAre("", "k00050"));
}

TEST_P(RegionAdminTest, FindsThePointThatHalvesTheRows) {
  Fill(0, 400);
  ASSERT_OK(admin_->Split({.region = "1"}));
  const std::vector<ListedRegion> list = List();
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_NEAR(CountRows("", list[1].start), 200, 20);
  EXPECT_EQ(CountRows("", ""), 400);
}

// More than a probe of rows covers, so storage finds the point; it had most rows in memory.
TEST_P(RegionAdminTest, FindsThePointOfALargerRegion) {
  if (GetParam() == Engine::kMemory) GTEST_SKIP() << "has no files to go by";
  const std::string half_a_megabyte(512 << 10, '\0');
  for (int i = 0; i < 20; ++i) {
    std::string value = half_a_megabyte;
    for (char& c : value)
      c = static_cast<char>(random_.Next());
    Set(TableId::kData, Key(i), value);
  }
  ASSERT_OK(admin_->Split({.region = "1", .into = 4}));
  const std::vector<ListedRegion> list = List();
  ASSERT_THAT(list, SizeIs(4));
  for (const ListedRegion& region : list)
    EXPECT_NEAR(CountRows(region.start, region.end), 5, 2) << region.start;
}

TEST_P(RegionAdminTest, CutsIntoManyOfEqualSize) {
  Fill(0, 500);
  const absl::StatusOr<SplitDone> done = admin_->Split({.region = "1", .into = 5});
  ASSERT_OK(done);
  ASSERT_THAT(done->daughters, SizeIs(5));
  for (const ListedRegion& region : List())
    EXPECT_NEAR(CountRows(region.start, region.end), 100, 10) << region.start;

  EXPECT_THAT(admin_->Split({.region = "k00001", .at = "k00002", .into = 3}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("one or the other")));
  for (const uint32_t parts : {0U, 1U, 1025U}) {
    EXPECT_THAT(admin_->Split({.region = "k00001", .into = parts}),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("expected 2 to 1024 parts")));
  }
}

// A row of an hour of one series of metric `metric`, and a sampled put to it.
RegionHistory::PutsOfKey PutTo(const RowKeyCodec& row_keys, int metric, int host) {
  const auto uid = [](int i) { return std::string{'\0', '\0', static_cast<char>(i)}; };
  RegionHistory::PutsOfKey put{.key = {}, .count = 10};
  row_keys.Append(uid(metric) + uid(1) + uid(host), 1'699'999'200, &put.key);
  return put;
}

TEST_P(RegionAdminTest, TheHottestKeyDividesTheSampledWrites) {
  std::vector<RegionHistory::PutsOfKey> puts;
  for (int i = 0; i < 40; ++i) {
    // Most rows are of metric 1, most writes to metrics 2 to 5.
    puts.push_back(PutTo(row_keys_, i < 36 ? 1 : i - 34, i));
    Set(TableId::kData, puts.back().key, std::string(100, 'v'));
    puts.back().count = i < 36 ? 0 : 10;
  }
  history_.Note(kNowMs, *tables_->RegionUses(TableId::kData));
  history_.NotePuts(puts, 2'560);
  const SplitRequest request{.region = "1", .at = std::string(kAtHottest)};

  const auto plan = admin_->PlanSplit(request);
  ASSERT_OK(plan);
  EXPECT_EQ(plan->source, SplitSource::kWrites);
  EXPECT_EQ(plan->sampled_writes, 4u);
  EXPECT_EQ(plan->undivided, "");
  ASSERT_THAT(plan->daughters, SizeIs(2));
  EXPECT_EQ(plan->daughters[0].end, "\\x00\\x00\\x04");
  EXPECT_EQ(plan->daughters[1].start_hex, "000004");
  EXPECT_DOUBLE_EQ(plan->daughters[0].write_share, 0.5);
  EXPECT_DOUBLE_EQ(plan->daughters[1].write_share, 0.5);
  EXPECT_GT(plan->daughters[0].bytes, 10 * plan->daughters[1].bytes);
  EXPECT_GT(plan->daughters[1].bytes, 200u);
  EXPECT_THAT(Starts(), ElementsAre(""));

  ASSERT_OK(admin_->Split(request));
  EXPECT_THAT(Starts(), ElementsAre("", "\\x00\\x00\\x04"));
}

TEST_P(RegionAdminTest, WithoutAKeyThatDividesTheWritesTheSettingsChooseOne) {
  std::vector<RegionHistory::PutsOfKey> puts;
  for (int host = 0; host < 40; ++host) {
    puts.push_back(PutTo(row_keys_, 1, host));
    Set(TableId::kData, puts.back().key, std::string(100, 'v'));
  }
  history_.Note(kNowMs, *tables_->RegionUses(TableId::kData));
  history_.NotePuts(puts, 2'560);

  const auto plan = admin_->PlanSplit({.region = "1", .at = std::string(kAtHottest)});
  ASSERT_OK(plan);
  EXPECT_EQ(plan->source, SplitSource::kPolicy);
  EXPECT_THAT(plan->undivided, HasSubstr("a salt would divide them"));
  ASSERT_THAT(plan->daughters, SizeIs(2));
  EXPECT_DOUBLE_EQ(plan->daughters[1].write_share, 1);
  EXPECT_NEAR(static_cast<double>(plan->daughters[0].bytes),
              static_cast<double>(plan->daughters[1].bytes), 300);

  const auto parts = admin_->PlanSplit({.region = "1", .into = 4});
  ASSERT_OK(parts);
  EXPECT_THAT(parts->daughters, SizeIs(4));
  EXPECT_THAT(Starts(), ElementsAre(""));
}

TEST_P(RegionAdminTest, APlanIsRefusedLikeItsSplit) {
  const SplitRequest hottest{.region = "1", .at = std::string(kAtHottest)};
  EXPECT_THAT(admin_->PlanSplit(hottest),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("region 1 cannot be cut into 2 parts"),
                             HasSubstr("no writes to the region were sampled"))));
  EXPECT_THAT(admin_->PlanSplit({.region = "1", .at = std::string(kAtHottest), .into = 3}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("got a key and 3 parts")));
  EXPECT_THAT(admin_->PlanSplit({.region = "9"}), StatusIs(StatusCode::kNotFound, HasSubstr("9")));
  settings_.is_enabled = false;
  Manage(settings_);
  EXPECT_THAT(admin_->PlanSplit(hottest),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("split: refused")));
}

TEST_P(RegionAdminTest, SaysWhyThereIsNoPoint) {
  EXPECT_THAT(
      admin_->Split({.region = "1"}),
      StatusIs(StatusCode::kFailedPrecondition, AllOf(HasSubstr("no bytes"), HasSubstr("a key"))));
  Set(TableId::kData, "only", std::string(100'000, 'v'));
  EXPECT_THAT(admin_->Split({.region = "1"}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("would leave 0 and 100004")));
  Set(TableId::kData, "other", "v");
  EXPECT_THAT(admin_->Split({.region = "1", .into = 3}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("into 3 parts")));
  EXPECT_THAT(Starts(), SizeIs(1));
  EXPECT_OK(admin_->Split({.region = "1"}));
}

TEST_P(RegionAdminTest, ObeysTheSettings) {
  Fill(0, 100);
  SplitSettings settings;
  settings.policy = SplitPolicyKind::kDisabled;
  Manage(settings);
  EXPECT_THAT(Split("1", "k00010"),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("policy Disabled")));
  EXPECT_THAT(admin_->RollingSplit("data", "keys:k00010"),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("policy Disabled")));

  settings.policy = SplitPolicyKind::kIncreasingToUpperBound;
  settings.is_enabled = false;
  Manage(settings);
  EXPECT_THAT(Split("1", "k00010"),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("switched off")));

  settings.is_enabled = true;
  settings.restriction = {.kind = RestrictionKind::kKeyPrefix, .prefix_length = 4};
  Manage(settings);
  ASSERT_OK(Split("1", "k00055"));
  EXPECT_THAT(Starts(), ElementsAre("", "k000"));
  EXPECT_THAT(Split("k00055", "k00077"),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("cut to \"k000\""), HasSubstr("the region's start"))));
  EXPECT_THAT(admin_->RollingSplit("data", "keys:k001,k0022"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("\"k0022\"")));
  EXPECT_THAT(admin_->UnfinishedRollingSplit("data"), IsOkAndHolds(std::nullopt));
}

TEST_P(RegionAdminTest, MergesNeighbours) {
  Fill(0, 100);
  ASSERT_OK(admin_->RollingSplit("data", "keys:k00020,k00040,k00060,k00080"));
  const std::vector<ListedRegion> list = List();
  ASSERT_THAT(list, SizeIs(5));

  const auto merged =
      admin_->Merge("data", {list[2].encoded_name, std::to_string(list[1].id), "k00065"});

  ASSERT_OK(merged);
  EXPECT_EQ(merged->start, "k00020");
  EXPECT_EQ(merged->end, "k00080");
  EXPECT_THAT(merged->parents, SizeIs(3));
  EXPECT_THAT(Starts(), ElementsAre("", "k00020", "k00080"));
  EXPECT_EQ(CountRows("", ""), 100);
}

TEST_P(RegionAdminTest, MergesNothingElse) {
  ASSERT_OK(admin_->RollingSplit("data", "keys:b,c,d"));
  using Names = std::vector<std::string>;
  EXPECT_THAT(admin_->Merge("data", Names{"b"}),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("regions: expected two neighbours or more, got 1")));
  EXPECT_THAT(admin_->Merge("data", Names{"b", "bb"}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("is there twice")));
  EXPECT_THAT(admin_->Merge("data", Names{"a", "c"}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(admin_->Merge("data", Names{"a", "77"}), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(Starts(), ElementsAre("", "b", "c", "d"));
}

TEST_P(RegionAdminTest, FindsNothingWrongAfterChangesAndDamageWhereItIs) {
  Fill(0, 100);
  ASSERT_OK(admin_->RollingSplit("data", "keys:k00020,k00040"));
  ASSERT_OK(admin_->Merge("data", {"k00000", "k00020"}));
  EXPECT_THAT(admin_->Check("data"), IsOkAndHolds(IsEmpty()));

  // A catalogue with other contents: two regions of all keys, and an invalid row.
  RegionInfo other{.table = "data", .range = {}, .id = {5}, .state = RegionState::kOpen};
  Set(TableId::kSystem, RegionKey("data", {5}), EncodeRegion(other));
  Set(TableId::kSystem, RegionKey("data", {6}), EncodeRegion({.table = "data", .id = {6}}));
  Set(TableId::kSystem, RegionKey("data", {7}), "sausage");
  const auto lines = admin_->Check("data");
  ASSERT_OK(lines);
  EXPECT_THAT(*lines, testing::Contains(HasSubstr("sausage")));
  EXPECT_THAT(*lines, testing::Contains(HasSubstr("catalogue: overlap between region data.5")));
  EXPECT_THAT(admin_->Check("annotation"), IsOkAndHolds(IsEmpty()));
}

TEST_P(RegionAdminTest, RollsThroughAllKeys) {
  Fill(0, 100);
  ASSERT_OK(Split("1", "k00050"));

  const auto done = admin_->RollingSplit("data", "keys:k00025,k00050,k00075,k00090");

  ASSERT_OK(done);
  EXPECT_EQ(done->keys, 4u);
  EXPECT_EQ(done->made, 3u);
  EXPECT_EQ(done->there, 1u);
  EXPECT_FALSE(done->is_resumed);
  EXPECT_THAT(Starts(), ElementsAre("", "k00025", "k00050", "k00075", "k00090"));
  EXPECT_EQ(CountRows("", ""), 100);
  EXPECT_THAT(admin_->UnfinishedRollingSplit("data"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(admin_->RollingSplit("data", ""),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("no unfinished one")));
  Reopen();
  EXPECT_THAT(Starts(), ElementsAre("", "k00025", "k00050", "k00075", "k00090"));
}

// One that was killed has left its row and some of its regions.
TEST_P(RegionAdminTest, GoesOnWithARollingSplitThatWasEnded) {
  Fill(0, 100);
  const std::string split = "keys:k00025,k00050,k00075";
  const Mutation row =
      SetRolling("data", {.split = split, .keys = 3, .made = 1, .started_ms = kNowMs});
  Set(row.table, row.key, row.value);
  ASSERT_OK(Split("1", "k00050"));
  Reopen();

  const auto unfinished = admin_->UnfinishedRollingSplit("data");
  ASSERT_OK(unfinished);
  ASSERT_TRUE(unfinished->has_value());
  EXPECT_EQ((*unfinished)->split, split);
  EXPECT_EQ((*unfinished)->made, 1u);
  EXPECT_THAT(admin_->RollingSplit("data", "hex:4"),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("hex:4"), HasSubstr("1 of 3 keys"))));

  const auto done = admin_->RollingSplit("data", "");
  ASSERT_OK(done);
  EXPECT_TRUE(done->is_resumed);
  EXPECT_EQ(done->made, 3u);
  EXPECT_THAT(Starts(), ElementsAre("", "k00025", "k00050", "k00075"));
  EXPECT_THAT(admin_->UnfinishedRollingSplit("data"), IsOkAndHolds(std::nullopt));
}

TEST_P(RegionAdminTest, ForgetsARollingSplitThatIsAbandoned) {
  const Mutation row = SetRolling("data", {.split = "keys:a", .keys = 1});
  Set(row.table, row.key, row.value);
  ASSERT_OK(admin_->AbandonRollingSplit("data"));
  EXPECT_THAT(admin_->AbandonRollingSplit("data"), StatusIs(StatusCode::kNotFound));
  ASSERT_OK(admin_->RollingSplit("data", "keys:b"));
  EXPECT_THAT(Starts(), ElementsAre("", "b"));
}

TEST_P(RegionAdminTest, RefusesRollingSplitsThatMakeNoSense) {
  for (const char* const wrong :
       {"sausage", "hex:0", "hex:1", "hex:5000", "salt", "keys:a,a", "file:keys.txt"}) {
    EXPECT_THAT(admin_->RollingSplit("data", wrong), StatusIs(StatusCode::kInvalidArgument))
        << wrong;
  }
  EXPECT_THAT(admin_->UnfinishedRollingSplit("data"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(Starts(), SizeIs(1));
}

// Where a daughter may not be cut before it is trimmed, it is trimmed first.
TEST_P(RegionAdminTest, RollsWithoutNestedReferences) {
  Fill(0, 1000);
  SplitSettings settings;
  settings.allow_nested_references = false;
  Manage(settings);
  ASSERT_OK(admin_->RollingSplit("data", "keys:k00200,k00400,k00600,k00800"));
  EXPECT_THAT(Starts(), SizeIs(5));
  EXPECT_EQ(CountRows("", ""), 1000);
}

TEST_P(RegionAdminTest, OneRollingSplitAtATime) {
  Fill(0, 300);
  std::atomic<int> busy = 0;
  std::atomic<int> done = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      const auto rolled = admin_->RollingSplit("data", "keys:k00100,k00200");
      if (rolled.ok()) ++done;
      if (absl::IsUnavailable(rolled.status())) ++busy;
    });
  }
  threads.clear();
  EXPECT_GE(done, 1);
  EXPECT_EQ(done + busy, 3);
  EXPECT_THAT(Starts(), ElementsAre("", "k00100", "k00200"));
}

TEST_P(RegionAdminTest, AStoreThatIsClosedSaysSo) {
  if (GetParam() == Engine::kMemory) GTEST_SKIP() << "has no way to say so";
  ASSERT_OK(tables_->Close());
  const auto is_closed = StatusIs(StatusCode::kFailedPrecondition, HasSubstr("closed"));
  EXPECT_THAT(admin_->List("data", ListDetail::kPlain), is_closed);
  EXPECT_THAT(admin_->Split({.region = "1"}), is_closed);
  EXPECT_THAT(admin_->Merge("data", {"1", "2"}), is_closed);
  EXPECT_THAT(admin_->Check("data"), is_closed);
  EXPECT_THAT(admin_->RollingSplit("data", "keys:a"), is_closed);
  EXPECT_THAT(admin_->AbandonRollingSplit("data"), is_closed);
}

TEST_P(RegionAdminTest, AStoreWithoutRegionsIsListedAndNotChanged) {
  Fill(0, 10);
  RegionAdmin admin(settings_, RegionAdmin::Parts{.tables = tables_.get(),
                                                  .list = tables_.get(),
                                                  .regions = nullptr,
                                                  .engine = "own",
                                                  .maintenance = tables_.get(),
                                                  .row_keys = &row_keys_,
                                                  .uids = uids_.get(),
                                                  .clock = &clock_});
  const auto refused =
      StatusIs(StatusCode::kUnimplemented, "own: the service divides tables by itself");
  EXPECT_THAT(admin.Split({.region = "1"}), refused);
  EXPECT_THAT(admin.Split({.region = "1", .at = "k00002"}), refused);
  EXPECT_THAT(admin.Merge("data", {"1", "2"}), refused);
  EXPECT_THAT(admin.RollingSplit("data", "keys:a"), refused);

  EXPECT_THAT(admin.List("data", ListDetail::kPlain), IsOkAndHolds(SizeIs(1)));
  EXPECT_THAT(admin.Check("data"), IsOkAndHolds(SizeIs(0)));
  EXPECT_THAT(admin.UnfinishedRollingSplit("data"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(admin.AbandonRollingSplit("data"), StatusIs(StatusCode::kNotFound));
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         RegionAdminTest,
                         testing::Values(Engine::kRocks, Engine::kMemory),
                         [](const auto& param_info) {
                           return param_info.param == Engine::kRocks ? "Rocks" : "Memory";
                         });

TEST(SplitOfFileTest, MakesKeysOfLines) {
  EXPECT_THAT(SplitOfFile("b\na\\x00\r\nc\\x2Cd\n"), IsOkAndHolds(R"(keys:a\x00,b,c\x2Cd)"));
  EXPECT_THAT(SplitOfFile(""), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(SplitOfFile("a\n\nb\n"), StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace hourcell::region_admin_test
