#include <engine/tsdb.h>

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
}
