// A process that follows a store on Bigtable while another one writes to it.

#include "engine/role/follower.h"

#include <atomic>
#include <chrono>
#include <cstdint>
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

#include "codec/base/random.h"
#include "engine/bigtable/bigtable_storage.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/query/annotation.h"
#include "engine/salt_admin.h"
#include "engine/stats.h"
#include "engine/tsdb.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell::follower_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr int64_t kHour = 1356998400;
constexpr int64_t kNeverMs = 3'600'000;

// Value of each (tag, offset).
using Found = std::map<std::pair<std::string, int64_t>, int64_t>;

class FollowerTest : public testing::Test {
 protected:
  Options StoreOptions() {
    BigtableOptions bigtable = QuickBigtableOptions(fake_);
    bigtable.call_timeout_ms = 200;
    Options options = TinyOptions("bigtable");
    options.storage = std::make_shared<BigtableStorage>(
        bigtable, LeaseOptions{.lease_ms = 20, .heartbeat_ms = kNeverMs});
    options.seal_in_background = false;
    return options;
  }

  // Takes over from the previous process, which sends no heartbeats.
  absl::StatusOr<std::unique_ptr<Tsdb>> TryOpen() { return Tsdb::Open(StoreOptions()); }
  absl::StatusOr<std::unique_ptr<Tsdb>> TryFollow() {
    Options options = StoreOptions();
    options.follow = true;
    return Tsdb::Open(options);
  }

  std::unique_ptr<Tsdb> Open() {
    auto opened = TryOpen();
    EXPECT_OK(opened);
    return opened.ok() ? *std::move(opened) : nullptr;
  }
  std::unique_ptr<Tsdb> Follow() {
    auto opened = TryFollow();
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

  static absl::StatusOr<Found> TryQuery(Tsdb* node, const std::string& metric = "m") {
    const QuerySpec spec = MakeQuery(Aggregator::kNone, metric, {}, kHour - 3600, kHour + 36000);
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
  static Found Query(Tsdb* node, const std::string& metric = "m") {
    const auto found = TryQuery(node, metric);
    EXPECT_OK(found);
    return found.ok() ? *found : Found();
  }

  int WritingCalls() {
    const BigtableCalls& calls = *fake_.calls();
    return calls.mutate_rows + calls.check_and_mutate + calls.read_modify_write;
  }
  static int64_t StatOf(Tsdb* node, const std::string& name) {
    for (const StatSample& stat : node->stats().Snapshot()) {
      if (stat.name == name) return stat.value;
    }
    ADD_FAILURE() << "no " << name;
    return -1;
  }

  FakeBigtable fake_;
};

TEST_F(FollowerTest, WithoutAStoreThereIsNothingToFollow) {
  EXPECT_THAT(TryFollow(), StatusIs(StatusCode::kNotFound));
  Options in_directory = TinyOptions("path");
  in_directory.follow = true;
  EXPECT_THAT(Tsdb::Open(in_directory), StatusIs(StatusCode::kNotFound));
}

TEST_F(FollowerTest, AFollowerHasNoWriteSide) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> follower = Follow();
  const auto names_of = [](Tsdb* node) {
    std::set<std::string> names;
    for (const StatSample& stat : node->stats().Snapshot())
      names.insert(stat.name);
    return names;
  };
  // Each is a statistic of a part of the write side.
  const auto of_writing = {"journal.bytes",       "journal.replayed_points", "hours.open",
                           "append.waited",       "series.cache-size",       "seal.hours",
                           "storage.sync.errors", "retention.freed_bytes"};
  const std::set<std::string> at_writer = names_of(writer.get());
  const std::set<std::string> at_follower = names_of(follower.get());
  for (const char* name : of_writing) {
    EXPECT_TRUE(at_writer.contains(name)) << name;
    EXPECT_FALSE(at_follower.contains(name)) << name;
  }
  EXPECT_TRUE(at_follower.contains("series.created"));
  EXPECT_TRUE(follower->maintenance().Health().is_open);
}

TEST_F(FollowerTest, AnAnswerHasWhatWasAcknowledgedWhereverItIs) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> follower = Follow();
  EXPECT_THAT(Query(follower.get()), ElementsAre(Pair(Pair("a", 1), 10)));

  ASSERT_OK(Put(writer.get(), "a", 2, 11));
  ASSERT_OK(Put(writer.get(), "a", 1, 12));
  const Found want = {{{"a", 1}, 12}, {{"a", 2}, 11}};
  EXPECT_EQ(Query(follower.get()), want);
  ASSERT_OK(writer->maintenance().Seal());
  EXPECT_EQ(Query(follower.get()), want);
  ASSERT_OK(writer->maintenance().Flush());
  EXPECT_EQ(Query(follower.get()), want);
  ASSERT_OK(Put(writer.get(), "a", 1, 13));
  EXPECT_EQ(Query(follower.get()), (Found{{{"a", 1}, 13}, {{"a", 2}, 11}}));
  EXPECT_EQ(Query(Follow().get()), (Found{{{"a", 1}, 13}, {{"a", 2}, 11}}));
  // At first, and after the first row of a day.
  EXPECT_EQ(StatOf(follower.get(), "follow.loads"), 2);
}

TEST_F(FollowerTest, NewNamesAndSeriesAreFound) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> follower = Follow();
  EXPECT_THAT(TryQuery(follower.get(), "n"), StatusIs(StatusCode::kNotFound));
  Found want;
  // More than the series whose rows wait in memory are written in one block.
  for (int i = 0; i < 200; ++i) {
    ASSERT_OK(Put(writer.get(), fmt::format("t{}", i), 1, i));
    want[{fmt::format("t{}", i), 1}] = i;
    if (i % 20 == 0) {
      EXPECT_EQ(Query(follower.get()).size(), want.size() + 1);
    }
    if (i == 150) {
      ASSERT_OK(writer->maintenance().Flush());
    }
  }
  want[{"a", 1}] = 10;
  EXPECT_EQ(Query(follower.get()), want);
  ASSERT_OK(writer->points().Put(OwnedPoint{"n", "h=x", kHour, int64_t{5}}.view()));
  EXPECT_EQ(Query(follower.get(), "n"), (Found{{{"x", 0}, 5}}));
}

TEST_F(FollowerTest, AnotherWriterIsFollowedAndNoneIsNeeded) {
  std::unique_ptr<Tsdb> first = Open();
  ASSERT_OK(Put(first.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> follower = Follow();
  ASSERT_OK(Put(first.get(), "b", 2, 11));
  ASSERT_OK(first->maintenance().Seal());
  ASSERT_OK(Put(first.get(), "c", 3, 12));
  Kill(&first);
  Found want = {{{"a", 1}, 10}, {{"b", 2}, 11}, {{"c", 3}, 12}};
  EXPECT_EQ(Query(follower.get()), want);
  EXPECT_EQ(Query(Follow().get()), want);

  std::unique_ptr<Tsdb> second = Open();
  EXPECT_EQ(Query(follower.get()), want);
  ASSERT_OK(Put(second.get(), "d", 4, 13));
  ASSERT_OK(Put(second.get(), "a", 1, 14));
  want[{"d", 4}] = 13;
  want[{"a", 1}] = 14;
  EXPECT_EQ(Query(follower.get()), want);
  ASSERT_OK(second->Close());
  EXPECT_EQ(Query(follower.get()), want);
}

// The follower reads blocks that no longer exist.
TEST_F(FollowerTest, BlocksThatWereDeletedUnreadAreInCells) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> follower = Follow();
  for (int i = 2; i < 5; ++i)
    ASSERT_OK(Put(writer.get(), "a", i, i));
  ASSERT_OK(Put(writer.get(), "new", 6, 6));
  ASSERT_OK(writer->maintenance().Flush());
  ASSERT_OK(Put(writer.get(), "a", 5, 5));
  EXPECT_EQ(Query(follower.get()), (Found{{{"a", 1}, 10},
                                          {{"a", 2}, 2},
                                          {{"a", 3}, 3},
                                          {{"a", 4}, 4},
                                          {{"a", 5}, 5},
                                          {{"new", 6}, 6}}));
  EXPECT_EQ(StatOf(follower.get(), "follow.loads"), 2);
}

// A process that was replaced while it opened the store may write its fence where a block was, in a
// row that was deleted meanwhile. The block named a series that the follower does not know.
TEST_F(FollowerTest, AFenceInTheRowOfADeletedBlockHidesNoSeries) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "old", 5, 1));  // block 2
  const std::unique_ptr<Tsdb> follower = Follow();
  EXPECT_EQ(Query(follower.get()), (Found{{{"old", 5}, 1}}));
  ASSERT_OK(Put(writer.get(), "new", 10, 2));
  ASSERT_OK(Put(writer.get(), "old", 20, 3));
  ASSERT_OK(writer->maintenance().Flush());  // blocks 2 and 3 go
  fake_.PutCell("hourcell-journal", EncodeNumber(3), {"h", "f"}, 2000, "");

  EXPECT_EQ(Query(follower.get()), (Found{{{"old", 5}, 1}, {{"new", 10}, 2}, {{"old", 20}, 3}}));
}

TEST_F(FollowerTest, WhatIsDeletedStaysDeleted) {
  const std::unique_ptr<Tsdb> writer = Open();
  for (int i = 1; i < 4; ++i)
    ASSERT_OK(Put(writer.get(), "a", i, i));
  const std::unique_ptr<Tsdb> follower = Follow();
  EXPECT_EQ(Query(follower.get()).size(), 3U);
  ASSERT_OK(
      writer->points().DeletePoints(MakeQuery(Aggregator::kNone, "m", {}, kHour + 2, kHour + 2)));
  EXPECT_EQ(Query(follower.get()), (Found{{{"a", 1}, 1}, {{"a", 3}, 3}}));
  ASSERT_OK(Put(writer.get(), "a", 2, 7));
  EXPECT_EQ(Query(follower.get()), (Found{{{"a", 1}, 1}, {{"a", 2}, 7}, {{"a", 3}, 3}}));
}

TEST_F(FollowerTest, NamesTtlsAndAnnotationsAreThoseOfTheWriter) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> follower = Follow();
  EXPECT_EQ(Query(follower.get()).size(), 1U);

  ASSERT_OK(writer->names().RenameUid(UidKind::kMetric, "m", "n"));
  EXPECT_THAT(TryQuery(follower.get(), "m"), StatusIs(StatusCode::kNotFound));
  EXPECT_EQ(Query(follower.get(), "n"), (Found{{{"a", 1}, 10}}));
  EXPECT_THAT(follower->names().FindUid(UidKind::kMetric, "m"), StatusIs(StatusCode::kNotFound));

  ASSERT_OK(writer->retention().SetMetricTtl("n", 3600));
  EXPECT_THAT(Query(follower.get(), "n"), IsEmpty());
  ASSERT_OK(writer->retention().SetMetricTtl("n", 0));
  EXPECT_EQ(Query(follower.get(), "n").size(), 1U);

  ASSERT_OK(writer->saved_views().Change(
      "v", [](const std::optional<std::string>&) { return std::optional<std::string>("a view"); }));
  EXPECT_THAT(follower->saved_views().Find("v"),
              IsOkAndHolds(testing::Optional(std::string("a view"))));

  const AnnotationEdit edit{.tsuid = "", .start_time = kHour, .description = "deploy"};
  ASSERT_OK(writer->annotations().Put({&edit, 1}, AnnotationWrite::kMerge));
  const auto notes = follower->annotations().Global((kHour - 10) * 1000, (kHour + 10) * 1000);
  ASSERT_OK(notes);
  EXPECT_EQ(notes->size(), 1U);
}

TEST_F(FollowerTest, VirtualMetricsAreThoseOfTheWriter) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> follower = Follow();
  EXPECT_EQ(Query(follower.get()).size(), 1U);

  MetricExpression expression;
  expression.formula = "2 * a";
  SubQuery& input = expression.inputs.emplace_back();
  input.aggregator = Aggregator::kNone;
  input.metric = "m";
  ASSERT_OK(writer->names().DefineMetric("v", expression));
  EXPECT_EQ(Query(follower.get(), "v"), (Found{{{"a", 1}, 20}}));
  ASSERT_OK(Put(writer.get(), "a", 2, 11));
  EXPECT_EQ(Query(follower.get(), "v"), (Found{{{"a", 1}, 20}, {{"a", 2}, 22}}));
  expression.formula = "3 * a";
  ASSERT_OK(writer->names().DefineMetric("v", expression));
  EXPECT_EQ(Query(follower.get(), "v"), (Found{{{"a", 1}, 30}, {{"a", 2}, 33}}));
  ASSERT_OK(writer->names().DropMetric("v"));
  EXPECT_THAT(Query(follower.get(), "v"), IsEmpty());
}

TEST_F(FollowerTest, MemoryGoesAfterSealing) {
  const std::unique_ptr<Tsdb> writer = Open();
  const std::unique_ptr<Tsdb> follower = Follow();
  for (int i = 0; i < 50; ++i)
    ASSERT_OK(Put(writer.get(), fmt::format("{}", i), i, i));
  EXPECT_EQ(Query(follower.get()).size(), 50U);
  ASSERT_OK(Put(writer.get(), "0", 99, 99));
  EXPECT_EQ(Query(follower.get()).size(), 51U);
  const int64_t before = StatOf(follower.get(), "follow.memory_bytes");
  ASSERT_OK(writer->maintenance().Flush());
  ASSERT_OK(Put(writer.get(), "0", 100, 100));
  EXPECT_EQ(Query(follower.get()).size(), 52U);
  // One block is left, and one in the journal that is kept.
  EXPECT_LT(StatOf(follower.get(), "follow.memory_bytes"), before / 10);
  // At first, and after the first row of a day.
  EXPECT_EQ(StatOf(follower.get(), "follow.loads"), 2);
}

TEST_F(FollowerTest, NothingIsWrittenAndAllThatWritesIsRefused) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "a", 1, 10));
  const int before = WritingCalls();
  const std::unique_ptr<Tsdb> follower = Follow();
  EXPECT_EQ(Query(follower.get()).size(), 1U);
  const auto refused = StatusIs(StatusCode::kFailedPrecondition, HasSubstr("only reads"));
  EXPECT_THAT(Put(follower.get(), "a", 1, 11), refused);
  EXPECT_THAT(Put(follower.get(), "new", 1, 11), refused);
  EXPECT_THAT(
      follower->points().DeletePoints(MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 1)),
      refused);
  EXPECT_THAT(follower->names().AssignUid(UidKind::kMetric, "x"), refused);
  EXPECT_THAT(follower->names().RenameUid(UidKind::kMetric, "m", "x"), refused);
  EXPECT_THAT(follower->retention().SetMetricTtl("m", 1), refused);
  EXPECT_THAT(follower->maintenance().Flush(), refused);
  EXPECT_FALSE(follower->maintenance().salt()->Change(2, std::nullopt).ok());
  EXPECT_EQ(Query(follower.get()), (Found{{{"a", 1}, 10}}));
  ASSERT_OK(follower->Close());
  EXPECT_EQ(WritingCalls(), before);
}

// One of the journal, one of the system, and those of its rows.
TEST_F(FollowerTest, AQueryIsTwoCallsBesideItsRows) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> follower = Follow();
  QuerySpec spec = MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 3600);
  const auto reads_of = [&](size_t queries) {
    spec.queries.resize(queries, spec.queries.front());
    const int before = fake_.calls()->read_rows;
    EXPECT_OK(follower->queries().Query(spec));
    return fake_.calls()->read_rows - before;
  };
  reads_of(1);  // names are kept from now on
  const int reads_of_one = reads_of(1);
  const int reads_of_two = reads_of(2);
  EXPECT_EQ(reads_of_one - (reads_of_two - reads_of_one), 2);
  // New points cost no more.
  ASSERT_OK(Put(writer.get(), "a", 2, 10));
  EXPECT_EQ(reads_of(1), reads_of_one);
  ASSERT_OK(Put(writer.get(), "b", 2, 10));
  reads_of(1);  // the log of series is read once
  EXPECT_EQ(reads_of(1), reads_of_one);
}

TEST_F(FollowerTest, AProcessThatWaitsToWriteFollowsMeanwhile) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "a", 1, 10));
  Options options = StoreOptions();
  options.storage = std::make_shared<BigtableStorage>(
      QuickBigtableOptions(fake_), LeaseOptions{.lease_ms = 1000, .heartbeat_ms = kNeverMs});
  std::atomic<bool> waits{false};
  std::atomic<bool> gives_up{false};
  StorageEvents events;
  events.on_waiting = [&waits](const std::string&) { waits = true; };
  events.gives_up = [&gives_up] { return gives_up.load(); };
  ASSERT_OK(options.storage->shared()->Join("node:4242", std::move(events)));
  std::thread waiting(
      [&options] { EXPECT_THAT(Tsdb::Open(options), StatusIs(StatusCode::kCancelled)); });
  while (!waits)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Options following = options;
  following.follow = true;
  const auto follower = Tsdb::Open(following);
  EXPECT_OK(follower);
  EXPECT_EQ(follower.ok() ? Query(follower->get()) : Found(), (Found{{{"a", 1}, 10}}));
  gives_up = true;
  waiting.join();
}

TEST_F(FollowerTest, ANewSaltEpochIsReadByAFollower) {
  Options options = StoreOptions();
  options.layout.salt_width = 1;
  options.layout.salt_buckets = 2;
  const auto writer = Tsdb::Open(options);
  ASSERT_OK(writer);
  Options following = options;
  following.follow = true;
  const auto follower = Tsdb::Open(following);
  ASSERT_OK(follower);
  ASSERT_OK(Put(writer->get(), "a", 1, 10));
  ASSERT_OK((*writer)->maintenance().salt()->Change(7, kHour + 3600));
  Found want = {{{"a", 1}, 10}};
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK(Put(writer->get(), fmt::format("{}", i), 4000, i));
    want[{fmt::format("{}", i), 4000}] = i;
  }
  ASSERT_OK((*writer)->maintenance().Flush());
  ASSERT_OK(Put(writer->get(), "a", 2, 11));
  want[{"a", 2}] = 11;
  EXPECT_EQ(Query(follower->get()), want);
}

TEST_F(FollowerTest, QueriesThatComeAtOnceCatchUpTogether) {
  const std::unique_ptr<Tsdb> writer = Open();
  ASSERT_OK(Put(writer.get(), "a", 1, 10));
  const std::unique_ptr<Tsdb> follower = Follow();
  Query(follower.get());
  const int64_t before = StatOf(follower.get(), "follow.catch_ups");
  fake_.SetFaults({.latency_ms = 20});
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { EXPECT_EQ(Query(follower.get()).size(), 1U); });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_LE(StatOf(follower.get(), "follow.catch_ups") - before, 4);
}

// One process writes, overwrites, deletes, seals, and is killed or replaced at random, while calls
// fail in every way; another one follows, and is checked after each step.
class FollowerHistoryTest : public FollowerTest, public testing::WithParamInterface<uint64_t> {
 protected:
  struct Cell {
    std::optional<int64_t> acknowledged;
    bool is_deleted = false;         // perhaps
    std::set<int64_t> unknown = {};  // sent after that
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

  void PutSome() {
    for (int i = 0; i < 4; ++i) {
      const std::string tag =
          fmt::format("{}", random_.Below(8 + static_cast<uint64_t>(last_value_) / 8));
      const auto offset = static_cast<int64_t>(random_.Below(4) * 1000);
      Cell& cell = cells_[{tag, offset}];
      const int64_t value = ++last_value_;
      if (Put(writer_.get(), tag, offset, value).ok()) {
        cell = {.acknowledged = value};
      } else {
        cell.unknown.insert(value);
      }
    }
  }

  void DeleteSome() {
    const auto offset = static_cast<int64_t>(random_.Below(4) * 1000);
    const auto deleted = writer_->points().DeletePoints(
        MakeQuery(Aggregator::kNone, "m", {}, kHour + offset, kHour + offset));
    if (absl::IsNotFound(deleted.status())) return;
    for (auto& [where, cell] : cells_) {
      if (where.second != offset) continue;
      if (deleted.ok()) {
        cell = {};
      } else {
        cell.is_deleted = true;
      }
    }
  }

  void Step() {
    switch (random_.Below(12)) {
      case 0:
        Kill(&writer_);
        break;
      case 1:
        writer_->maintenance().Seal().IgnoreError();
        break;
      case 2:
        writer_->maintenance().Flush().IgnoreError();
        break;
      case 3:
        DeleteSome();
        break;
      case 4:
        // It hands over; points that it could not seal are in the journal.
        writer_->Close().IgnoreError();
        writer_ = nullptr;
        break;
      default:
        PutSome();
    }
  }

  void CheckAnswer(Tsdb* follower) {
    const auto found = TryQuery(follower);
    if (!found.ok()) {  // may be repeated
      EXPECT_TRUE(absl::IsUnavailable(found.status()) || absl::IsNotFound(found.status()))
          << found.status();
      return;
    }
    ++answers_;
    for (const auto& [where, value] : *found) {
      const Cell& cell = cells_[where];
      EXPECT_TRUE(cell.acknowledged == value || cell.unknown.contains(value))
          << "tag " << where.first << " offset " << where.second << ": " << value;
    }
    for (const auto& [where, cell] : cells_) {
      if (cell.acknowledged.has_value() && !cell.is_deleted) {
        EXPECT_TRUE(found->contains(where)) << "tag " << where.first << " offset " << where.second;
      }
    }
  }

  Random random_{GetParam()};
  std::unique_ptr<Tsdb> writer_;
  std::map<std::pair<std::string, int64_t>, Cell> cells_;
  int64_t last_value_ = 0;
  int answers_ = 0;
};

TEST_P(FollowerHistoryTest, AnswersHaveWhatWasAcknowledged) {
  const bool has_faults = GetParam() % 3 != 0;
  writer_ = Open();
  std::unique_ptr<Tsdb> follower = Follow();
  for (int step = 0; step < 40 && !HasFailure(); ++step) {
    SCOPED_TRACE(fmt::format("seed {}, step {}", GetParam(), step));
    if (has_faults) SetRandomFaults();
    if (writer_ == nullptr || random_.Below(10) == 0) {
      auto opened = TryOpen();  // the one before may be alive
      if (opened.ok()) writer_ = *std::move(opened);
    } else {
      Step();
    }
    if (follower == nullptr || random_.Below(15) == 0) {
      auto opened = TryFollow();
      if (opened.ok()) follower = *std::move(opened);
    }
    if (follower != nullptr) CheckAnswer(follower.get());
  }
  fake_.SetFaults({});
  const int before = answers_;
  CheckAnswer(follower.get());
  EXPECT_EQ(answers_, before + 1);
  Kill(&writer_);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FollowerHistoryTest, testing::Range<uint64_t>(1, 5));

}  // namespace
}  // namespace hourcell::follower_test
