// Stores on Bigtable as the engine opens them: the state that a process finds after a takeover, and
// the calls that the previous writer may still make.

#include "engine/bigtable/bigtable_storage.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/bigtable/api/bigtable_channels.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/rows/row_tidy.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/bigtable/writer/secret_rows.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/fsck_admin.h"
#include "engine/region_admin.h"
#include "engine/rows/series_key.h"
#include "engine/tsdb.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell::bigtable_storage_test {
namespace {

using absl::StatusCode;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr int64_t kHour = 1356998400;
constexpr int64_t kNeverMs = 3'600'000;

class BigtableStorageTest : public testing::Test {
 protected:
  // A process that takes over soon, and sends no heartbeats, so that others take over from it.
  absl::StatusOr<std::unique_ptr<Tsdb>> TryOpen(LeaseOptions lease = {.lease_ms = 20,
                                                                      .heartbeat_ms = kNeverMs}) {
    lease.address = "node:4242";
    BigtableOptions bigtable = QuickBigtableOptions(fake_);
    bigtable.call_timeout_ms = 200;
    Options options = TinyOptions("bigtable");
    options.storage = std::make_shared<BigtableStorage>(bigtable, std::move(lease));
    options.seal_in_background = false;
    options.seal_grace_s = 60;
    options.clock = &clock_;
    return Tsdb::Open(options);
  }

  std::unique_ptr<Tsdb> Open() {
    auto opened = TryOpen();
    EXPECT_OK(opened);
    return opened.ok() ? *std::move(opened) : nullptr;
  }

  // The process ends, and none of its calls arrives any more.
  void Kill(std::unique_ptr<Tsdb>* node) {
    fake_.SetFaults({.refused = 1});
    node->reset();
    fake_.SetFaults({});
  }

  static absl::Status Put(Tsdb* node, const std::string& tag, int64_t offset_s, int64_t value) {
    return node->points().Put(OwnedPoint{"m", "h=" + tag, kHour + offset_s, value}.view());
  }

  // Value of each (tag, offset).
  using Found = std::map<std::pair<std::string, int64_t>, int64_t>;
  static absl::StatusOr<Found> Query(Tsdb* node) {
    QuerySpec spec = MakeQuery(Aggregator::kNone, "m", {}, kHour - 3600, kHour + 36000);
    absl::StatusOr<QueryResult> result = node->queries().Query(spec);
    if (!result.ok()) return result.status();
    Found found;
    for (const auto& series : result->series) {
      for (const ResultPoint& point : series.points) {
        found[{series.tags.at(0).second, point.ms / 1000 - kHour}] =
            static_cast<int64_t>(point.value.ToDouble());
      }
    }
    return found;
  }

  FakeBigtable fake_;
  ManualClock clock_{(kHour + 7200) * 1000};
};

TEST_F(BigtableStorageTest, AStoreThatWasClosedIsOpenedByAnotherProcess) {
  std::unique_ptr<Tsdb> first = Open();
  ASSERT_OK(Put(first.get(), "a", 1, 10));
  ASSERT_OK(Put(first.get(), "b", 4000, 20));
  ASSERT_OK(first->Close());

  const std::unique_ptr<Tsdb> second = Open();
  ASSERT_OK(Put(second.get(), "c", 2, 30));

  EXPECT_THAT(*Query(second.get()), ElementsAre(Pair(Pair("a", 1), 10), Pair(Pair("b", 4000), 20),
                                                Pair(Pair("c", 2), 30)));
}

TEST_F(BigtableStorageTest, AKilledProcessLosesNothing) {
  std::unique_ptr<Tsdb> first = Open();
  ASSERT_OK(Put(first.get(), "a", 1, 10));
  ASSERT_OK(first->maintenance().Seal());
  ASSERT_OK(Put(first.get(), "a", 2, 11));
  ASSERT_OK(Put(first.get(), "new", 3, 12));
  Kill(&first);

  const std::unique_ptr<Tsdb> second = Open();

  EXPECT_THAT(*Query(second.get()), ElementsAre(Pair(Pair("a", 1), 10), Pair(Pair("a", 2), 11),
                                                Pair(Pair("new", 3), 12)));
}

TEST_F(BigtableStorageTest, AProcessThatWasReplacedAcknowledgesAndAnswersNothing) {
  const std::unique_ptr<Tsdb> paused = Open();
  ASSERT_OK(Put(paused.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> active = Open();
  ASSERT_OK(Put(active.get(), "a", 1, 11));

  EXPECT_THAT(Query(paused.get()), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(Put(paused.get(), "a", 1, 12), StatusIs(StatusCode::kUnavailable));
  EXPECT_TRUE(paused->maintenance().Health().must_reopen);
  // Nor do its writes hide points of the other one.
  paused->maintenance().Seal().IgnoreError();
  EXPECT_THAT(*Query(active.get()), ElementsAre(Pair(Pair("a", 1), 11)));
}

// A replaced writer continues where it was paused: at a checkpoint, whose log start is above that
// of its successor.
TEST_F(BigtableStorageTest, AReplacedWriterTakesNoBlockOfTheNextOne) {
  const std::unique_ptr<Tsdb> w1 = Open();
  ASSERT_OK(Put(w1.get(), "a", 10, 1));         // an hour that is over: block 2
  ASSERT_OK(Put(w1.get(), "a", 7200 + 10, 2));  // the hour under way: blocks 3, 4, 5
  ASSERT_OK(Put(w1.get(), "a", 7200 + 20, 3));
  ASSERT_OK(Put(w1.get(), "a", 7200 + 30, 4));
  std::unique_ptr<Tsdb> w2 = Open();  // w1 is paused
  ASSERT_OK(Put(w2.get(), "b", 7200 + 40, 5));
  clock_.Advance(120'000);
  ASSERT_OK(w2->maintenance().SealDue());  // the hour that is over
  clock_.Advance(301'000);
  ASSERT_OK(w2->maintenance().SealDue());  // the checkpoint

  // w1 continues. The notice of its first row of a day fails, as it was replaced.
  EXPECT_THAT(w1->maintenance().Flush(), StatusIs(StatusCode::kUnavailable));
  ASSERT_OK(Put(w2.get(), "b", 7200 + 50, 6));
  Kill(&w2);

  const std::unique_ptr<Tsdb> w3 = Open();
  ASSERT_NE(w3, nullptr);
  EXPECT_EQ(Query(w3.get())->size(), 6U);
}

// An earlier version could leave a log start above the low mark of the writer after it. The blocks
// below the log start are in the tables.
TEST_F(BigtableStorageTest, ALogStartAboveTheLowMarkLosesNothing) {
  std::unique_ptr<Tsdb> first = Open();
  ASSERT_OK(Put(first.get(), "a", 10, 1));
  ASSERT_OK(Put(first.get(), "a", 7200 + 10, 2));
  ASSERT_OK(first->maintenance().Seal());
  Kill(&first);
  const BigtableOptions options = QuickBigtableOptions(fake_);
  BigtableClient client(options, *OpenBigtableChannels(options));
  fake_.PutCell(ClusterTable("hourcell"), std::string(kActiveRow), {"h", "s"},
                MicrosOf(FirstVersionOf(1) + 1000), EncodeNumber(3));
  RowMutations removal = DeletedSystemRow(EncodeNumber(2));
  ASSERT_OK(client.Mutate(JournalTable("hourcell"), {removal}));

  const std::unique_ptr<Tsdb> second = Open();
  EXPECT_EQ(Query(second.get())->size(), 2U);
}

// Such as one whose row has become too large.
TEST_F(BigtableStorageTest, ARowThatTheServiceRefusesHoldsUpNoOtherHour) {
  const std::unique_ptr<Tsdb> node = Open();
  // Its row key is the longest of all.
  ASSERT_OK(node->points().Put(OwnedPoint{"m", "a=1 b=1 c=1 d=1", kHour, 1}.view()));
  ASSERT_OK(Put(node.get(), "a", 1, 10));
  ASSERT_OK(Put(node.get(), "a", 7200, 11));
  ASSERT_OK(node->maintenance().Seal());
  ASSERT_OK(node->points().Put(OwnedPoint{"m", "a=1 b=1 c=1 d=1", kHour + 1, 2}.view()));
  ASSERT_OK(Put(node.get(), "a", 2, 20));
  ASSERT_OK(Put(node.get(), "a", 7201, 21));
  const auto stat = [&node](std::string_view name) {
    for (const StatSample& sample : node->stats().Snapshot()) {
      if (sample.name == name) return sample.value;
    }
    return int64_t{-1};
  };

  fake_.SetLimits({.key_bytes_max = 3 + 4 + 4 * 6 - 1});
  ASSERT_OK(node->maintenance().Seal());
  fake_.SetLimits({});

  EXPECT_EQ(stat("hours.open"), 0);
  EXPECT_EQ(stat("seal.set_aside"), 1);
  const auto found = Query(node.get());
  ASSERT_OK(found);
  EXPECT_THAT(*found, Contains(Pair(Pair("a", 2), 20)));
  EXPECT_THAT(*found, Contains(Pair(Pair("a", 7201), 21)));
  EXPECT_THAT(*found, Contains(Pair(Pair("1", 0), 1)));
}

// Back-pressure: if the service refuses points, clients get a retryable error.
TEST_F(BigtableStorageTest, PutsThatTheServiceHasNoRoomForMayBeRepeated) {
  const std::unique_ptr<Tsdb> node = Open();
  ASSERT_OK(Put(node.get(), "a", 1, 10));

  fake_.SetFaults({.refused = 1, .refused_as = grpc::StatusCode::RESOURCE_EXHAUSTED});
  EXPECT_THAT(Put(node.get(), "a", 2, 11), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(Put(node.get(), "new", 2, 12), StatusIs(StatusCode::kUnavailable));
  fake_.SetFaults({});
  ASSERT_OK(Put(node.get(), "a", 2, 13));
  ASSERT_OK(Put(node.get(), "new", 2, 14));

  EXPECT_THAT(*Query(node.get()), ElementsAre(Pair(Pair("a", 1), 10), Pair(Pair("a", 2), 13),
                                              Pair(Pair("new", 2), 14)));
}

// Such a call may take effect after the next process has begun.
TEST_F(BigtableStorageTest, AProcessWithACallWithoutAnAnswerHasNotLeft) {
  const auto has_left = [this] {
    return DecodeActiveNode(fake_.TableOf("hourcell-system")["active"]["a"].begin()->second)
        ->has_left;
  };
  std::unique_ptr<Tsdb> node = Open();
  ASSERT_OK(Put(node.get(), "a", 1, 10));
  fake_.SetFaults({.refused = 1});
  EXPECT_FALSE(node->maintenance().Seal().ok());
  fake_.SetFaults({});
  ASSERT_OK(node->Close());
  EXPECT_FALSE(has_left());

  node = Open();
  EXPECT_THAT(*Query(node.get()), ElementsAre(Pair(Pair("a", 1), 10)));
  ASSERT_OK(node->Close());
  EXPECT_TRUE(has_left());
}

TEST_F(BigtableStorageTest, ASecondProcessIsTold) {
  const auto active = TryOpen({.heartbeat_ms = 10});
  ASSERT_OK(active);
  EXPECT_THAT(TryOpen({.lease_ms = 500, .wait_ms = 0}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("node:4242")));
}

// A call that is not answered lasts for seconds, and is repeated for a minute.
TEST_F(BigtableStorageTest, AProcessThatEndsWaitsForNoCallOfItsOpening) {
  std::atomic<bool> is_ending = false;
  std::promise<void> answers;
  const std::shared_future<void> answered = answers.get_future().share();
  fake_.SetGate([&is_ending, answered](const std::string&) {
    is_ending = true;
    answered.wait();
    return FakeBigtable::Fate::kAnswered;
  });
  LeaseOptions lease{.lease_ms = 20, .heartbeat_ms = kNeverMs};
  lease.events.gives_up = [&is_ending] { return is_ending.load(); };

  EXPECT_THAT(TryOpen(lease), StatusIs(StatusCode::kCancelled));

  answers.set_value();
  fake_.SetGate(nullptr);
}

TEST_F(BigtableStorageTest, ProcessesShareASecret) {
  const auto secrets = [&] {
    return BigtableStorage(QuickBigtableOptions(fake_), {}).Join("a:1", {});
  };
  const absl::StatusOr<SharedSecrets> first = secrets();
  ASSERT_OK(first);
  EXPECT_EQ(first->current.size(), 32U);
  EXPECT_THAT(first->accepted, ElementsAre(first->current));
  EXPECT_THAT(secrets(), IsOkAndHolds(*first));
}

TEST_F(BigtableStorageTest, ASecretIsReplacedByTheProcessesThatRun) {
  ManualClock clock(0);
  BigtableStorage storage(QuickBigtableOptions(fake_), {.clock = &clock});
  EXPECT_THAT(storage.RefreshSecrets(), StatusIs(StatusCode::kFailedPrecondition));
  const absl::StatusOr<SharedSecrets> first = storage.Join("a:1", {});
  ASSERT_OK(first);
  for (int i = 0; i < 3; ++i) {
    clock.Advance(SecretRows::kPeriodMs);
    ASSERT_OK(storage.RefreshSecrets());
  }
  const absl::StatusOr<SharedSecrets> last = storage.RefreshSecrets();
  ASSERT_OK(last);
  EXPECT_NE(last->current, first->current);
  EXPECT_THAT(last->accepted, Not(Contains(first->current)));
}

// The cells of a table's longest row.
size_t LongestRow(const FakeBigtable::Table& table) {
  size_t longest = 0;
  for (const auto& [key, columns] : table) {
    size_t cells = 0;
    for (const auto& [qualifier, versions] : columns)
      cells += versions.size();
    longest = std::max(longest, cells);
  }
  return longest;
}

// A batch of a new series each twelve hours, and no table is ever compacted.
TEST_F(BigtableStorageTest, AYearOfBatchesOfNewSeriesLeavesShortRows) {
  constexpr int kBatches = 2 * 365;
  constexpr int64_t kStepS = 12 * 3600;
  ManualClock clock(kHour * 1000);
  Options options = TinyOptions("bigtable");
  options.storage = std::make_shared<BigtableStorage>(QuickBigtableOptions(fake_),
                                                      LeaseOptions{.heartbeat_ms = kNeverMs});
  options.seal_in_background = false;
  options.clock = &clock;
  auto node = Tsdb::Open(options);
  ASSERT_OK(node);
  for (int i = 0; i < kBatches; ++i) {
    ASSERT_OK(Put(node->get(), "h" + std::to_string(i), i * kStepS, i));
    clock.Advance(kStepS * 1000);
    if (i % 10 != 9) continue;
    ASSERT_OK((*node)->maintenance().Seal());
    ASSERT_OK((*node)->maintenance().Flush());
  }

  for (const char* const table : {"meta", "uid", "series", "annotation", "system"}) {
    EXPECT_LE(LongestRow(fake_.TableOf(std::string("hourcell-") + table)), 2 * RowTidy::kWritesMax)
        << table;
  }
  size_t log_rows = 0;
  for (const auto& [key, columns] : fake_.TableOf("hourcell-series"))
    log_rows += key.starts_with(LogRowPrefix()) ? 1U : 0U;
  EXPECT_LE(log_rows, RowTidy::kMarksMax + 10);
}

TEST_F(BigtableStorageTest, ANameWhoseMakingFailedHalfwaySharesItsUidWithNoOther) {
  std::unique_ptr<Tsdb> node = Open();
  ASSERT_OK(Put(node.get(), "a", 1, 10));
  fake_.RefuseMutateRows(/*skipped=*/4, /*count=*/1000);  // all but the log of series
  EXPECT_FALSE(Put(node.get(), "lost", 1, 99).ok());
  fake_.RefuseMutateRows(0, 0);
  ASSERT_OK(Put(node.get(), "kept", 1, 20));

  Kill(&node);
  node = Open();
  const auto lost = node->names().FindUid(UidKind::kTagv, "lost");
  ASSERT_OK(lost);
  const auto kept = node->names().FindUid(UidKind::kTagv, "kept");
  ASSERT_OK(kept);
  EXPECT_NE(lost->uid_bytes, kept->uid_bytes);
  EXPECT_THAT(*Query(node.get()), ElementsAre(Pair(Pair("a", 1), 10), Pair(Pair("kept", 1), 20)));
}

TEST_F(BigtableStorageTest, NamesOfAReplacedProcessAreNobodyElses) {
  const std::unique_ptr<Tsdb> paused = Open();
  ASSERT_OK(Put(paused.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> active = Open();
  // Both make a name at the same time; the first one's point is not acknowledged.
  EXPECT_FALSE(Put(paused.get(), "lost", 1, 99).ok());
  ASSERT_OK(Put(active.get(), "kept", 1, 20));

  const auto kept = active->names().FindUid(UidKind::kTagv, "kept");
  ASSERT_OK(kept);
  const auto lost = active->names().FindUid(UidKind::kTagv, "lost");
  if (lost.ok()) {
    EXPECT_NE(lost->uid_bytes, kept->uid_bytes);
  }
  EXPECT_THAT(*Query(active.get()), ElementsAre(Pair(Pair("a", 1), 10), Pair(Pair("kept", 1), 20)));
}

// The costs of docs/cluster.md.

TEST_F(BigtableStorageTest, AGroupCommitIsOneCall) {
  const std::unique_ptr<Tsdb> node = Open();
  ASSERT_OK(Put(node.get(), "a", 0, 0));
  std::vector<OwnedPoint> points;
  for (int64_t second = 0; second < 1000; ++second)
    points.emplace_back("m", "h=a", kHour + second, second);
  std::vector<PointView> views;
  for (OwnedPoint& point : points)
    views.push_back(point.view());
  const int commits = fake_.calls()->check_and_mutate;
  const int reads = fake_.calls()->read_rows;
  const int writes = fake_.calls()->mutate_rows;

  ASSERT_OK(node->points().Append(views, nullptr).Wait());

  EXPECT_EQ(fake_.calls()->check_and_mutate - commits, 1);
  EXPECT_EQ(fake_.calls()->read_rows - reads, 0);
  EXPECT_EQ(fake_.calls()->mutate_rows - writes, 0);
}

// The calls of a batch of points of new series, each with a different tag value.
TEST_F(BigtableStorageTest, ManyNewSeriesAreAsManyCallsAsOne) {
  const std::unique_ptr<Tsdb> node = Open();
  ASSERT_OK(Put(node.get(), "a", 0, 0));
  const auto calls_of = [&](int from, int to) {
    std::vector<OwnedPoint> points;
    for (int i = from; i < to; ++i)
      points.emplace_back("m", fmt::format("h=n{}", i), kHour, i);
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    const int reads = fake_.calls()->read_rows;
    const int writes = fake_.calls()->mutate_rows;
    const int commits = fake_.calls()->check_and_mutate;
    EXPECT_OK(node->points().Append(views, nullptr).Wait());
    return std::vector<int>{fake_.calls()->read_rows - reads, fake_.calls()->mutate_rows - writes,
                            fake_.calls()->check_and_mutate - commits};
  };

  // Reads: the names; the next number that is taken. Writes: two tables' counters, reverse rows,
  // forward rows, the log row. Commits: the points; numbers of tag values.
  EXPECT_THAT(calls_of(0, 1), ElementsAre(2, 5, 1));
  EXPECT_THAT(calls_of(1, 1001), ElementsAre(2, 5, 1 + 1));
  EXPECT_EQ(Query(node.get())->size(), 1002U);
}

TEST_F(BigtableStorageTest, AQueryAsksOnceWhoWrites) {
  const std::unique_ptr<Tsdb> node = Open();
  ASSERT_OK(Put(node.get(), "a", 1, 10));
  QuerySpec spec = MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 3600);
  const auto reads_of = [&](size_t queries) {
    spec.queries.resize(queries, spec.queries.front());
    const int before = fake_.calls()->read_rows;
    EXPECT_OK(node->queries().Query(spec));
    return fake_.calls()->read_rows - before;
  };
  reads_of(1);  // names are kept from now on
  const int reads_of_one = reads_of(1);
  const int reads_of_two = reads_of(2);

  // A query reads everything except its rows once.
  EXPECT_EQ(reads_of_one - (reads_of_two - reads_of_one), 1);
}

TEST_F(BigtableStorageTest, HeartbeatIsTwoReadsAndAWrite) {
  const auto node = TryOpen({.heartbeat_ms = 5});
  ASSERT_OK(node);
  const int reads = fake_.calls()->read_rows;
  const int writes = fake_.calls()->mutate_rows;
  while (fake_.calls()->mutate_rows < writes + 20)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));

  EXPECT_NEAR(fake_.calls()->read_rows - reads, 2 * (fake_.calls()->mutate_rows - writes), 2);
}

// Processes are killed, paused and replaced at random while clients put and overwrite values, and
// calls fail in every way. An answer has acknowledged values, or values that were sent and may have
// been accepted, and nothing else.
class TakeoverHistoryTest : public BigtableStorageTest,
                            public testing::WithParamInterface<uint64_t> {
 protected:
  struct Cell {
    std::optional<int64_t> acknowledged;
    std::set<int64_t> unknown;
  };

  void SetRandomFaults() {
    fake_.SetFaults({.seed = random_.Below(1U << 30),
                     .refused = 0.03,
                     .unanswered = 0.05,
                     .late = 0.05,
                     .doubled = 0.1,
                     .partial = 0.1,
                     .cut_streams = 0.03});
  }

  void PutSome(Tsdb* node) {
    for (int i = 0; i < 8; ++i) {
      const std::string tag = fmt::format("{}", random_.Below(6));
      const auto offset = static_cast<int64_t>(random_.Below(4) * 1000);
      Cell& cell = cells_[{tag, offset}];
      const int64_t value = ++last_value_;
      if (Put(node, tag, offset, value).ok()) {
        cell.acknowledged = value;
      } else {
        cell.unknown.insert(value);
      }
    }
  }

  void CheckAnswer(Tsdb* node) {
    const auto found = Query(node);
    if (!found.ok()) return;  // may be repeated
    ++answers_;
    for (const auto& [where, value] : *found) {
      ASSERT_TRUE(cells_.contains(where)) << where.first << " " << where.second;
      const Cell& cell = cells_[where];
      EXPECT_TRUE(cell.acknowledged == value || cell.unknown.contains(value))
          << "tag " << where.first << " offset " << where.second << ": " << value;
    }
    for (const auto& [where, cell] : cells_) {
      if (cell.acknowledged.has_value()) {
        EXPECT_TRUE(found->contains(where)) << "tag " << where.first << " offset " << where.second;
      }
    }
  }

  Random random_{GetParam()};
  std::map<std::pair<std::string, int64_t>, Cell> cells_;
  int64_t last_value_ = 0;
  int answers_ = 0;
};

TEST_P(TakeoverHistoryTest, AnswersHaveWhatWasAcknowledged) {
  std::vector<std::unique_ptr<Tsdb>> nodes;
  for (int step = 0; step < 30; ++step) {
    SetRandomFaults();
    if (nodes.empty() || random_.Below(6) == 0) {
      auto opened = TryOpen();
      if (opened.ok()) nodes.push_back(*std::move(opened));
      continue;
    }
    // The newest is mostly the one that writes; the others were paused.
    const size_t last = nodes.size() - 1;
    std::unique_ptr<Tsdb>& node = nodes[random_.Below(3) == 0 ? random_.Below(nodes.size()) : last];
    switch (random_.Below(8)) {
      case 0:
        Kill(&node);
        nodes.erase(nodes.begin() + (&node - nodes.data()));
        break;
      case 1:
        node->maintenance().Seal().IgnoreError();
        break;
      case 2:
      case 3:
        CheckAnswer(node.get());
        break;
      default:
        PutSome(node.get());
    }
  }
  fake_.SetFaults({});
  const std::unique_ptr<Tsdb> last = Open();
  ASSERT_NE(last, nullptr);
  const int before = answers_;
  CheckAnswer(last.get());
  EXPECT_EQ(answers_, before + 1);
  for (std::unique_ptr<Tsdb>& node : nodes)
    Kill(&node);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TakeoverHistoryTest, testing::Range<uint64_t>(1, 5));

// SampleRowKeys returns keys inside the tables, as if the service had divided a table.
TEST_F(BigtableStorageTest, AStoreOfSeveralTabletsIsChecked) {
  const std::unique_ptr<Tsdb> node = Open();
  for (int i = 0; i < 20; ++i)
    ASSERT_OK(Put(node.get(), fmt::format("host{}", i), i, i));
  ASSERT_OK(node->maintenance().Seal());
  const auto regions = node->maintenance().regions()->List("data", ListDetail::kPlain);
  ASSERT_OK(regions);
  ASSERT_GT(regions->size(), 1u);

  const absl::StatusOr<FsckReport> report = node->maintenance().fsck()->Check({});

  ASSERT_OK(report);
  EXPECT_THAT(report->examples, testing::IsEmpty());
}

// A scrape would wait for the service, and be paid for.
TEST_F(BigtableStorageTest, StatisticsAskTheServiceNothing) {
  const std::unique_ptr<Tsdb> node = Open();
  const int samples = fake_.calls()->sample_row_keys;
  const int reads = fake_.calls()->read_rows;

  const std::vector<StatSample> statistics = node->stats().Snapshot();

  EXPECT_FALSE(statistics.empty());
  EXPECT_EQ(fake_.calls()->sample_row_keys, samples);
  EXPECT_EQ(fake_.calls()->read_rows, reads);
}

TEST_F(BigtableStorageTest, AStoreSaysWhichTableItShares) {
  const BigtableOptions options = QuickBigtableOptions(fake_);
  EXPECT_THAT(SharedDataTableOf(options), StatusIs(StatusCode::kNotFound));
  ASSERT_NE(Open(), nullptr);
  EXPECT_THAT(SharedDataTableOf(options), IsOkAndHolds(""));
  fake_.MakeTable("shared-system", {"h"});
  fake_.PutCell("shared-system", "format", "f", 1000, "2 tsdb");
  BigtableOptions sharing = options;
  sharing.table_prefix = "shared";
  EXPECT_THAT(SharedDataTableOf(sharing), IsOkAndHolds("tsdb"));

  for (const char* const own : {"data", "uid", "meta", "journal", "system"})
    EXPECT_TRUE(IsTableOfStore(sharing, fmt::format("shared-{}", own))) << own;
  EXPECT_FALSE(IsTableOfStore(sharing, "tsdb"));
  EXPECT_FALSE(IsTableOfStore(sharing, "shared-tsdb"));
}

}  // namespace
}  // namespace hourcell::bigtable_storage_test
