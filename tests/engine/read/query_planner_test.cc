#include "engine/read/query_planner.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/names/table_uid_store.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::query_planner_test {
namespace {

using testing::SizeIs;

constexpr int64_t kHourMs = 1356998400'000;

// Counts the names that scans read.
class CountingUidStore : public TableUidStore {
 public:
  using TableUidStore::TableUidStore;

  absl::Status ScanForward(UidKind kind,
                           std::string_view prefix,
                           const std::function<bool(const UidMapping&)>& visit) override {
    return TableUidStore::ScanForward(kind, prefix, [&](const UidMapping& mapping) {
      ++scanned;
      return visit(mapping);
    });
  }

  uint64_t scanned = 0;
};

// A metric of 4096 series host=h0000 to h4095, each in one of four dc.
class QueryPlannerTest : public testing::Test {
 protected:
  static constexpr int kSeries = 4096;

  QueryPlannerTest() {
    uids_ = *UidDirectory::Open({.layout = layout_}, &uid_store_);
    table_ = *SeriesTable::Open(
        layout_, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);
    std::vector<std::string> tags;
    for (int i = 0; i < kSeries; ++i)
      tags.push_back(fmt::format("host=h{:04} dc=d{}", i, i % 4));
    Create("m", tags);
    metric_series_.emplace(layout_, table_.get(), MetricSeriesCache::Limits{.bytes = 1 << 24});
    planner_.emplace(
        options_, row_keys_,
        QueryPlanner::Parts{
            .uids = uids_.get(), .series = table_.get(), .metric_series = &*metric_series_});
  }

  void Create(const std::string& metric, const std::vector<std::string>& tags) {
    std::deque<OwnedPoint> points;
    std::vector<const PointView*> views;
    for (const std::string& each : tags)
      views.push_back(&points.emplace_back(metric, each, kHourMs / 1000, 1).view());
    std::vector<Parsed<SeriesRef>> results;
    table_->GetOrCreate(views, &results);
  }

  struct Planned {
    size_t selected = 0;
    size_t listed = 0;       // series that were looked at
    uint64_t scanned = 0;    // names that were read by a scan
    uint64_t looked_up = 0;  // names that were looked up by their UIDs, one by one
    friend bool operator==(const Planned&, const Planned&) = default;
    friend void PrintTo(const Planned& planned, std::ostream* out) {
      *out << fmt::format("{{{} selected, {} listed, {} scanned, {} looked up}}", planned.selected,
                          planned.listed, planned.scanned, planned.looked_up);
    }
  };

  Planned Plan(const std::vector<TagFilterSpec>& filters) {
    const QuerySpec spec =
        MakeQuery(Aggregator::kSum, "m", filters, kHourMs / 1000, kHourMs / 1000 + 3600);
    auto resolved = planner_->Resolve(spec.queries[0]);
    EXPECT_OK(resolved);
    if (!resolved.ok()) return {};
    const uint64_t scanned = uid_store_.scanned;
    const UidStats before = uids_->stats(UidKind::kTagv);
    const auto plan = planner_->Plan(spec.queries[0], *std::move(resolved), spec.start_ms,
                                     spec.end_ms, QueryPlanner::Budget{});
    EXPECT_OK(plan);
    if (!plan.ok()) return {};
    EXPECT_EQ(plan->metric_series == kSeries || plan->selected.size() < 256, true);
    const UidStats after = uids_->stats(UidKind::kTagv);
    return {.selected = plan->selected.size(),
            .listed = plan->list->size(),
            .scanned = uid_store_.scanned - scanned,
            .looked_up =
                after.cache_hits + after.cache_misses - before.cache_hits - before.cache_misses};
  }

  Options options_;
  const Layout layout_;
  const RowKeyCodec row_keys_{layout_};
  MemTableStore tables_;
  CountingUidStore uid_store_{layout_, &tables_};
  std::unique_ptr<UidDirectory> uids_;
  std::unique_ptr<SeriesTable> table_;
  std::optional<MetricSeriesCache> metric_series_;
  std::optional<QueryPlanner> planner_;
};

TagFilterSpec Host(FilterType type, std::string filter) {
  return {.tagk = "host", .type = type, .filter = std::move(filter), .group_by = true};
}

// Of a wildcard that 100 series match, no more than those are looked at.
TEST_F(QueryPlannerTest, AWildcardWithAPrefixReadsTheNamesThatBeginSo) {
  const Planned planned = {.selected = 100, .listed = 100, .scanned = 100, .looked_up = 100};
  EXPECT_EQ(Plan({Host(FilterType::kWildcard, "h12*")}), planned);
  EXPECT_EQ(Plan({Host(FilterType::kRegexp, "^h12")}), planned);
  EXPECT_EQ(Plan({Host(FilterType::kWildcard, "h12*7")}),
            (Planned{.selected = 10, .listed = 10, .scanned = 100, .looked_up = 10}));
  EXPECT_EQ(Plan({Host(FilterType::kWildcard, "x*")}),
            (Planned{.selected = 0, .listed = 0, .scanned = 0, .looked_up = 0}));
}

TEST_F(QueryPlannerTest, TheOtherFiltersAreTriedOnTheSeriesThatWereFound) {
  EXPECT_EQ(Plan({Host(FilterType::kWildcard, "h12*"),
                  {.tagk = "dc", .type = FilterType::kNotLiteralOr, .filter = "d0"}}),
            (Planned{.selected = 75, .listed = 100, .scanned = 100, .looked_up = 104}));
}

// Each literal leaves 1024 series, which are enough to look for names.
TEST_F(QueryPlannerTest, AWildcardBesideALiteralReadsTheNamesThatBeginSo) {
  EXPECT_EQ(Plan({Host(FilterType::kWildcard, "h123*"),
                  {.tagk = "dc", .type = FilterType::kLiteralOr, .filter = "d1"}}),
            (Planned{.selected = 2, .listed = 2, .scanned = 10, .looked_up = 2}));
}

// Reading names is given up after a 32nd of the series.
TEST_F(QueryPlannerTest, APrefixOfManyNamesCostsLittleMoreThanReadingAll) {
  const Planned planned = Plan({Host(FilterType::kWildcard, "h*1*")});
  EXPECT_EQ(planned.listed, kSeries);
  EXPECT_EQ(planned.scanned, kSeries / 32 + 1);
}

TEST_F(QueryPlannerTest, FiltersWithoutAPrefixReadNoNames) {
  for (const auto& [type, text] :
       std::vector<std::pair<FilterType, std::string>>{{FilterType::kWildcard, "*12"},
                                                       {FilterType::kIWildcard, "h12*"},
                                                       {FilterType::kRegexp, "h12"},
                                                       {FilterType::kRegexp, "^h12|^h13"},
                                                       {FilterType::kNotLiteralOr, "h12"}}) {
    const Planned planned = Plan({Host(type, text)});
    EXPECT_EQ(planned.listed, kSeries) << text;
    EXPECT_EQ(planned.scanned, 0) << text;
  }
}

TEST_F(QueryPlannerTest, FewSeriesAreJudgedOneByOne) {
  Create("few", {"host=h1200 dc=d0", "host=x dc=d0"});
  QuerySpec spec = MakeQuery(Aggregator::kSum, "few", {Host(FilterType::kWildcard, "h12*")},
                             kHourMs / 1000, kHourMs / 1000 + 3600);
  const auto plan = planner_->Plan(spec.queries[0], *planner_->Resolve(spec.queries[0]),
                                   spec.start_ms, spec.end_ms, QueryPlanner::Budget{});
  ASSERT_OK(plan);
  EXPECT_THAT(plan->selected, SizeIs(1));
  EXPECT_EQ(uid_store_.scanned, 0);
}

}  // namespace
}  // namespace hourcell::query_planner_test
