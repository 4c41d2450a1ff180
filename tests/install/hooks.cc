#include <engine/tsdb.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

// Takes points of cpu.* only, and counts those that are acknowledged.
class Doorman : public hourcell::StoreObserver {
 public:
  absl::Status BeforePut(const hourcell::PutBatch& batch) override {
    for (const hourcell::PointView& point : batch.points) {
      if (!point.metric.starts_with("cpu.")) return absl::PermissionDeniedError("expected cpu.*");
    }
    return absl::OkStatus();
  }
  void AfterPut(uint64_t, size_t points) override { acknowledged += points; }

  std::atomic<size_t> acknowledged{0};
};

int main(int, char** argv) {
  Doorman doorman;
  hourcell::Options options;
  options.path = argv[1];
  options.observers = {&doorman};
  const auto tsdb = hourcell::Tsdb::Open(options).value();

  const hourcell::TagView tags[] = {{"host", "web01"}};
  for (int64_t i = 0; i < 6; ++i) {
    const hourcell::Timestamp time = {.ms = 1356998400000 + 1000000 * i};
    if (!tsdb->points().Put({"cpu.user", tags, time, hourcell::Value::Integer(40 + i)}).ok())
      return 1;
  }
  const auto refused = tsdb->points().Put({"disk", tags, {}, hourcell::Value::Integer(1)});
  std::printf("%zu acknowledged; %s\n", doorman.acknowledged.load(), refused.ToString().c_str());

  // Every row by several threads: how many points are there, and in how many rows?
  struct Count {
    size_t rows = 0;
    size_t points = 0;
  };
  const auto scan = tsdb->queries().PlanScan({.metric = "cpu.user"}, {.workers = 4}).value();
  const auto add = [](const hourcell::ScannedRow& row, Count* count) {
    count->rows += 1;
    count->points += row.times.size();
  };
  const auto merge = [](Count from, Count* to) {
    to->rows += from.rows;
    to->points += from.points;
  };
  const Count count = scan->Reduce(Count(), add, merge).value();
  std::printf("%zu points in %zu rows\n", count.points, count.rows);

  // The greatest value of each region: `add` and `merge` run in the regions, in parallel.
  const auto greatest_of_row = [](const hourcell::ScannedRow& row, double* greatest) {
    for (const hourcell::Value value : row.point_values)
      *greatest = std::max(*greatest, value.ToDouble());
    return absl::OkStatus();
  };
  const auto greater = [](double from, double* to) {
    *to = std::max(*to, from);
    return absl::OkStatus();
  };
  const auto of_regions = scan->ReduceByRegion(0.0, greatest_of_row, greater).value();
  for (size_t i = 0; i < of_regions.size(); ++i)
    std::printf("region %zu: %g\n", i, of_regions[i]);

  // The same with a ready-made aggregate, of values from 42 on.
  hourcell::RowAggregateSpec spec;
  spec.values = {hourcell::ParseValueTest(">=42").value()};
  const auto totals = tsdb->queries().AggregateRows({.metric = "cpu.user"}, spec).value();
  std::printf("%g of %d points\n", totals.total.max()->ToDouble(),
              static_cast<int>(totals.total.points()));
}
