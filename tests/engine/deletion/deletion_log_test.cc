#include "engine/deletion/deletion_log.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "codec/rows/layout.h"
#include "engine/fsck.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::deletion_log_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kDay = 1'356'998'400;
constexpr int64_t kUndoS = 7 * 86'400;

// The points of metric m: "a", second after kDay -> value.
using StoredPoints = std::map<std::pair<std::string, int64_t>, double>;

absl::StatusOr<StoredPoints> PointsOf(Tsdb* tsdb) {
  HOURCELL_ASSIGN_OR_RETURN(
      const QueryResult result,
      tsdb->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kDay, kDay + 864'000)));
  StoredPoints points;
  for (const ResultSeries& series : result.series) {
    for (const ResultPoint& point : series.points)
      points[{series.tags.front().second, point.ms / 1000 - kDay}] = point.value.ToDouble();
  }
  return points;
}

QuerySpec Selection(int64_t from_s, int64_t until_s, const std::string& hosts = "*") {
  const FilterType type = hosts.ends_with('*') ? FilterType::kWildcard : FilterType::kLiteralOr;
  return MakeQuery(Aggregator::kSum, "m", {{"h", type, hosts, false}}, kDay + from_s,
                   kDay + until_s);
}

struct StoreKind {
  std::string name;
  size_t salt_width = 0;
  uint32_t day_row_points = 0;
  bool has_time_first = false;  // in row keys, before the metric
};

void PrintTo(const StoreKind& kind, std::ostream* out) {
  *out << kind.name;
}

class DeletionLogTest : public testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.undo_s = kUndoS;
    options_.layout.salt_width = GetParam().salt_width;
    options_.day_row_points = GetParam().day_row_points;
    std::vector<RowField>& fields = options_.layout.fields;
    if (GetParam().has_time_first) std::swap(fields[1], fields[2]);
    Open();
  }

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  // As after kill -9.
  void Crash() {
    auto copy = std::make_unique<TempDir>();
    options_.path = CopyStore(options_.path, *copy);
    Open();
    directories_.push_back(std::move(copy));
  }

  void Put(const std::string& host, int64_t second, int64_t value) {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint("m", "h=" + host, kDay + second, value).view()));
  }

  uint64_t Delete(int64_t from_s, int64_t until_s, const std::string& hosts = "*") {
    const auto deleted = tsdb_->points().DeletePoints(Selection(from_s, until_s, hosts));
    EXPECT_OK(deleted);
    return deleted.ok() ? deleted->undo_id : 0;
  }

  StoredPoints All() {
    const auto points = PointsOf(tsdb_.get());
    EXPECT_OK(points);
    return points.value_or(StoredPoints());
  }

  // The stored cells, as a scan shows them.
  std::vector<std::string> Cells() {
    std::vector<std::string> cells;
    EXPECT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      cells.push_back(ToHex(row.qualifiers) + " " + ToHex(row.values));
      return true;
    }));
    return cells;
  }

  // A check of the closed store finds no fault.
  void CheckClosed() {
    ASSERT_OK(tsdb_->Close());
    const auto report = RunFsck(options_, {});
    ASSERT_OK(report);
    EXPECT_EQ(report->faults(), 0u)
        << (report->examples.empty() ? "" : report->examples.front().text);
    Open();
  }

  TempDir directory_;
  ManualClock clock_{(kDay + 10 * 86'400) * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::vector<std::unique_ptr<TempDir>> directories_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_P(DeletionLogTest, AnUndoBringsAllPointsBack) {
  for (int64_t second = 0; second < 10'800; second += 600) {
    Put("a", second, second);
    Put("b", second, -second);
  }
  ASSERT_OK(tsdb_->maintenance().Seal());
  const StoredPoints before = All();
  const std::vector<std::string> cells = Cells();

  const auto deleted = tsdb_->points().DeletePoints(Selection(3000, 7200, "a"));
  ASSERT_OK(deleted);
  EXPECT_EQ(*deleted, (DeletedPoints{.series = 1, .undo_id = 1}));
  StoredPoints want = before;
  std::erase_if(want, [](const auto& point) {
    return point.first.first == "a" && point.first.second >= 3000 && point.first.second <= 7200;
  });
  EXPECT_EQ(All(), want);
  Crash();
  EXPECT_EQ(All(), want);
  ASSERT_OK(tsdb_->maintenance().Compact());
  EXPECT_EQ(All(), want);

  ASSERT_OK(tsdb_->points().Undo(1));
  EXPECT_EQ(All(), before);
  EXPECT_EQ(Cells(), cells);
  Crash();
  EXPECT_EQ(All(), before);
  EXPECT_THAT(tsdb_->points().Deletions(), IsOkAndHolds(IsEmpty()));
}

TEST_P(DeletionLogTest, TheListNamesEachDelete) {
  Put("a", 10, 1);
  Put("b", 10, 2);
  ASSERT_OK(tsdb_->points().Put(OwnedPoint("other", "h=a", kDay + 10, 1).view()));
  const int64_t now_ms = clock_.NowMs();
  EXPECT_EQ(Delete(0, 60), 1u);
  QuerySpec of_tag;
  of_tag.start_ms = kDay * 1000;
  of_tag.end_ms = (kDay + 60) * 1000;
  of_tag.queries.emplace_back().filters = {{"h", FilterType::kLiteralOr, "a", false}};
  ASSERT_OK(tsdb_->points().DeletePoints(of_tag));

  const Deletion first{.id = 1,
                       .deleted_ms = now_ms,
                       .undo_until_ms = now_ms + kUndoS * 1000,
                       .start_ms = kDay * 1000,
                       .end_ms = (kDay + 60) * 1000,
                       .metrics = {"m"},
                       .series = 2,
                       .can_be_undone = true};
  Deletion second = first;
  second.id = 2;
  second.metrics = {"m", "other"};
  EXPECT_THAT(tsdb_->points().Deletions(), IsOkAndHolds(ElementsAre(first, second)));
  Open();
  EXPECT_THAT(tsdb_->points().Deletions(), IsOkAndHolds(ElementsAre(first, second)));
}

TEST_P(DeletionLogTest, AnUnknownDeleteIsNamed) {
  EXPECT_THAT(tsdb_->points().Undo(7), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(tsdb_->points().Forget(7), StatusIs(absl::StatusCode::kNotFound));
  Put("a", 10, 1);
  EXPECT_EQ(Delete(0, 60, "z*"), 0u) << "no series";
  EXPECT_EQ(Delete(0, 60), 1u);
  ASSERT_OK(tsdb_->points().Undo(1));
  EXPECT_THAT(tsdb_->points().Undo(1), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(Delete(0, 60), 2u) << "ids are not reused";
}

TEST_P(DeletionLogTest, ARangeMayEndAfterTheLastTimestamp) {
  constexpr int64_t kAfterAllS = 9'999'999'999 - kDay;
  Put("a", 10, 1);
  Put("a", 90'000, 2);
  const StoredPoints before = All();
  EXPECT_EQ(Delete(kAfterAllS - 10, kAfterAllS), 0u) << "no point can be there";
  const uint64_t first = Delete(1 - kDay, kAfterAllS);
  EXPECT_THAT(All(), IsEmpty());
  ASSERT_OK(tsdb_->points().Undo(first));
  EXPECT_EQ(All(), before);
  ASSERT_OK(tsdb_->points().Forget(Delete(1 - kDay, kAfterAllS)));
  EXPECT_THAT(All(), IsEmpty());
  CheckClosed();
}

TEST_P(DeletionLogTest, PointsThatArePutAgainAreThere) {
  for (int64_t second = 0; second < 7200; second += 100)
    Put("a", second, second);
  const StoredPoints before = All();
  const uint64_t id = Delete(0, 3599);
  Put("a", 100, -1);
  Put("a", 150, -2);
  const StoredPoints late = {{{"a", 100}, -1}, {{"a", 150}, -2}};
  StoredPoints want = late;
  want.insert(before.lower_bound({"a", 3600}), before.end());
  EXPECT_EQ(All(), want);
  ASSERT_OK(tsdb_->maintenance().Seal());
  EXPECT_EQ(All(), want);
  Crash();
  EXPECT_EQ(All(), want);

  ASSERT_OK(tsdb_->points().Undo(id));
  want = late;
  want.insert(before.begin(), before.end());  // the later point of an instant stays
  EXPECT_EQ(All(), want);
  Crash();
  EXPECT_EQ(All(), want);
  CheckClosed();
}

TEST_P(DeletionLogTest, ThePointsLeaveFilesAfterTheTime) {
  for (int64_t second = 0; second < 7200; second += 100)
    Put("a", second, second);
  Put("b", 10, 1);
  const uint64_t id = Delete(0, 5000);
  Put("a", 200, -1);
  ASSERT_OK(tsdb_->maintenance().Seal());
  const StoredPoints want = All();
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_THAT(tsdb_->points().Deletions(), IsOkAndHolds(SizeIs(1)));

  clock_.Advance(kUndoS * 1000);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(All(), want);
  EXPECT_THAT(tsdb_->points().Undo(id), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(tsdb_->points().Deletions(), IsOkAndHolds(IsEmpty()));
  Open();
  EXPECT_EQ(All(), want);
  const size_t points = want.size();
  ASSERT_OK(tsdb_->Close());
  const auto report = RunFsck(options_, {});
  ASSERT_OK(report);
  EXPECT_EQ(report->points, points) << "points without those that were deleted";
}

TEST_P(DeletionLogTest, AStoreOpenedWithoutTheSettingKeepsHiddenPoints) {
  Put("a", 10, 1);
  Put("a", 20, 2);
  Put("b", 30, 3);
  const uint64_t id = Delete(0, 10, "a");
  options_.undo_s = 0;
  Open();
  EXPECT_THAT(tsdb_->points().DeletePoints(Selection(0, 60)),
              IsOkAndHolds(DeletedPoints{.points = 2, .rows = 2}));
  EXPECT_THAT(All(), IsEmpty());
  ASSERT_OK(tsdb_->retention().DropExpired());

  ASSERT_OK(tsdb_->points().Undo(id));
  EXPECT_EQ(All(), (StoredPoints{{{"a", 10}, 1}}));
  CheckClosed();
  EXPECT_EQ(All(), (StoredPoints{{{"a", 10}, 1}}));
}

TEST_P(DeletionLogTest, AForgottenDeleteIsFinal) {
  Put("a", 10, 1);
  Put("a", 20, 2);
  const uint64_t first = Delete(10, 10);
  const uint64_t second = Delete(10, 20);
  ASSERT_OK(tsdb_->points().Forget(second));
  EXPECT_THAT(All(), IsEmpty());
  ASSERT_OK(tsdb_->points().Undo(first));
  EXPECT_THAT(All(), IsEmpty()) << "both had deleted the first point";
  CheckClosed();
}

TEST_P(DeletionLogTest, OverlappingDeletesAreUndoneInAnyOrder) {
  for (const bool is_first_first : {true, false}) {
    for (int64_t second = 0; second < 50; second += 10)
      Put("a", second, second);
    const StoredPoints before = All();
    const uint64_t first = Delete(0, 20);
    const uint64_t second = Delete(20, 40);
    Put("a", 45, 45);
    EXPECT_THAT(All(), ElementsAre(testing::Key(std::pair<std::string, int64_t>("a", 45))));
    ASSERT_OK(tsdb_->maintenance().Seal());
    ASSERT_OK(tsdb_->points().Undo(is_first_first ? first : second));
    EXPECT_FALSE(All().contains({"a", 20})) << "the other delete hides it";
    EXPECT_EQ(All().contains({"a", 10}), is_first_first);
    EXPECT_EQ(All().contains({"a", 30}), !is_first_first);
    ASSERT_OK(tsdb_->points().Undo(is_first_first ? second : first));
    StoredPoints want = before;
    want[{"a", 45}] = 45;
    EXPECT_EQ(All(), want);
  }
}

TEST_P(DeletionLogTest, TakesTheSameCheckpointsForAnyNumberOfPoints) {
  const auto cost_of_both = [this](int64_t points) {
    for (int64_t i = 0; i < points; ++i)
      Put("a", i * 10, i);
    EXPECT_OK(tsdb_->maintenance().Flush());
    Counter* const checkpoints = tsdb_->stats().counter("journal.checkpoints");
    const uint64_t before = checkpoints->value();
    EXPECT_OK(tsdb_->points().Undo(Delete(0, points * 10)));
    return checkpoints->value() - before;
  };
  EXPECT_EQ(cost_of_both(10), cost_of_both(10'000));
}

// A read sees all points of a delete, or none.
TEST_P(DeletionLogTest, ReadersAndWritersGoOnMeanwhile) {
  constexpr int64_t kPoints = 36;
  constexpr int64_t kInstants = 1000;
  for (int64_t i = 0; i < kPoints; ++i) {
    Put("old", i * 100, i);
    Put("kept", i * 100, i);
  }
  const auto count_of = [](const StoredPoints& points, const std::string& host) {
    return std::ranges::count_if(points,
                                 [&host](const auto& one) { return one.first.first == host; });
  };
  std::atomic<bool> is_done{false};
  int64_t put = 0;
  {
    const std::jthread reader([&] {
      while (!is_done) {
        const StoredPoints points = All();
        EXPECT_EQ(count_of(points, "kept"), kPoints);
        EXPECT_THAT(count_of(points, "old"), testing::AnyOf(0, kPoints));
      }
    });
    const std::jthread writer([&] {
      for (; !is_done; ++put)
        Put("new", put % kInstants * 10, put);
    });
    for (int i = 0; i < 10; ++i) {
      const uint64_t id = Delete(0, 3599, "old");
      EXPECT_EQ(count_of(All(), "old"), 0);
      EXPECT_OK(tsdb_->points().Undo(id));
      EXPECT_EQ(count_of(All(), "old"), kPoints);
    }
    is_done = true;
  }
  EXPECT_EQ(count_of(All(), "new"), std::min(put, kInstants));
  Crash();
  EXPECT_EQ(count_of(All(), "old"), kPoints);
}

// Each version of a point that was put, and the deletes that are not undone: the state of a store
// in any order of puts, seals, crashes, deletes, undos and removals.
class Model {
 public:
  void Put(const std::string& host, int64_t second, double value) {
    versions_[{host, second}][++time_] = value;
  }
  void Delete(uint64_t id, int64_t from, int64_t until, std::set<std::string> hosts) {
    deletes_[id] = {.time = ++time_, .from = from, .until = until, .hosts = std::move(hosts)};
  }
  void Undo(uint64_t id) { deletes_.erase(id); }
  void Forget(uint64_t id) {
    const DeleteOf one = deletes_.at(id);
    for (auto& [point, versions] : versions_) {
      if (!one.Has(point)) continue;
      versions.erase(versions.begin(), versions.lower_bound(one.time));
    }
    deletes_.erase(id);
  }

  StoredPoints Visible() const {
    StoredPoints visible;
    for (const auto& [point, versions] : versions_) {
      if (versions.empty()) continue;
      const auto& [time, value] = *versions.rbegin();
      const bool is_hidden = std::ranges::any_of(deletes_, [&](const auto& one) {
        return one.second.time > time && one.second.Has(point);
      });
      if (!is_hidden) visible[point] = value;
    }
    return visible;
  }
  std::vector<uint64_t> deletes() const {
    std::vector<uint64_t> ids;
    for (const auto& [id, one] : deletes_)
      ids.push_back(id);
    return ids;
  }

 private:
  using Point = std::pair<std::string, int64_t>;
  struct DeleteOf {
    uint64_t time = 0;
    int64_t from = 0;
    int64_t until = 0;
    std::set<std::string> hosts;

    bool Has(const Point& point) const {
      return hosts.contains(point.first) && point.second >= from && point.second <= until;
    }
  };

  uint64_t time_ = 0;
  std::map<Point, std::map<uint64_t, double>> versions_;
  std::map<uint64_t, DeleteOf> deletes_;
};

TEST_P(DeletionLogTest, AnyOrderGivesThePointsOfTheModel) {
  constexpr uint64_t kSeed = 20261129;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  Model model;
  const std::vector<std::string> hosts = {"a1", "a2", "b1"};
  for (const std::string& host : hosts) {
    Put(host, 0, 1);
    model.Put(host, 0, 1);
  }
  const auto id_of_one = [&] {
    const std::vector<uint64_t> ids = model.deletes();
    return ids[random.Below(ids.size())];
  };
  for (int step = 0; step < 500; ++step) {
    const uint64_t choice = random.Below(20);
    if (choice < 12) {
      // Few instants, so that puts meet; now and then an hour of many points.
      const int64_t hour = static_cast<int64_t>(random.Below(30)) * 3600;
      const int64_t count = random.Below(4) == 0 ? 30 : 1;
      const std::string& host = hosts[random.Below(hosts.size())];
      for (int64_t i = 0; i < count; ++i) {
        const int64_t second = hour + static_cast<int64_t>(random.Below(40)) * 60;
        const auto value = static_cast<int64_t>(random.Below(1000));
        Put(host, second, value);
        model.Put(host, second, static_cast<double>(value));
      }
    } else if (choice < 14) {
      ASSERT_OK(tsdb_->maintenance().Seal());
    } else if (choice < 16) {
      const int64_t from = static_cast<int64_t>(random.Below(30 * 60)) * 60;
      const int64_t until = from + static_cast<int64_t>(random.Below(600)) * 60;
      const bool is_of_a = random.Below(2) == 0;
      const uint64_t id = Delete(from, until, is_of_a ? "a*" : "*");
      std::set<std::string> of = {"a1", "a2"};
      if (!is_of_a) of.insert("b1");
      if (id != 0) model.Delete(id, from, until, std::move(of));
    } else if (choice < 18) {
      if (model.deletes().empty()) continue;
      const uint64_t id = id_of_one();
      ASSERT_OK(tsdb_->points().Undo(id));
      model.Undo(id);
    } else if (choice == 18) {
      if (model.deletes().empty()) continue;
      const uint64_t id = id_of_one();
      ASSERT_OK(tsdb_->points().Forget(id));
      model.Forget(id);
    } else if (random.Below(4) == 0) {
      random.Below(2) == 0 ? Open() : Crash();
    }
    ASSERT_EQ(All(), model.Visible()) << step;
  }
  CheckClosed();
  EXPECT_EQ(All(), model.Visible());
}

INSTANTIATE_TEST_SUITE_P(
    Stores,
    DeletionLogTest,
    testing::Values(StoreKind{.name = "Hours"},
                    StoreKind{.name = "Days", .day_row_points = 20},
                    StoreKind{.name = "SaltedDays", .salt_width = 1, .day_row_points = 20},
                    StoreKind{.name = "TimeFirst", .day_row_points = 20, .has_time_first = true}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace hourcell::deletion_log_test
