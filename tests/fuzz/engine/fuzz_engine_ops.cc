#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <rocksdb/env.h>

#include "codec/base/check.h"
#include "codec/base/clock.h"
#include "engine/region_admin.h"
#include "engine/tsdb.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/model/acked_points.h"
#include "tests/model/point_model.h"
#include "tests/support/builders.h"

namespace hourcell {
namespace {

constexpr int64_t kFirstMs = 1'356'998'400'000;
constexpr int64_t kHourMs = 3600 * 1000;
constexpr int kHours = 4;
constexpr int kOperationsMax = 48;
constexpr int kBatchMax = 8;

// Where the store's lock is; everything else is in memory.
const std::string& LockDirectory() {
  static const std::string directory = [] {
    std::string path = std::filesystem::temp_directory_path() / "hourcell_fuzz.XXXXXX";
    HOURCELL_CHECK(mkdtemp(path.data()) != nullptr);
    return path;
  }();
  static const struct Remover {
    ~Remover() { std::filesystem::remove_all(directory); }
  } remover;
  return directory;
}

// How many operations all inputs together were; said at the end.
struct OperationCount {
  ~OperationCount() { std::printf("engine operations: %llu\n", count); }
  unsigned long long count = 0;
};

// A store in memory with a model of its content: with TTLs or with deletes, because each model
// supports one of the two.
class Machine {
 public:
  explicit Machine(bool deletes) : deletes_(deletes) { Open(); }

  void Step(std::string_view* input) {
    switch (TakeByte(input) % 20) {
      case 0:
        return Check(tsdb_->maintenance().Seal());
      case 1:
        clock_.Advance(TakeByte(input) * int64_t{60'000});
        model_.SetNow(clock_.NowMs());
        return Check(tsdb_->maintenance().SealDue());
      case 2:
        return Check(tsdb_->maintenance().Flush());
      case 3:
        return Check(tsdb_->maintenance().Compact());
      case 4:
        return Open();
      case 5:
        return SetTtl(input);
      case 6:
        return Check(tsdb_->retention().DropExpired().status());
      case 7:
        return Split(input);
      case 8:
        return Merge(input);
      case 9:
        return Delete(input);
      case 10:
        return tsdb_->maintenance().DropCaches();
      case 11:
        return CheckRange(input);
      case 12:
        return CheckAll();
      default:
        return Put(input);
    }
  }

  // Every point, with its type and precision.
  void CheckAll() {
    PointModel::Shown shown;
    Check(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      std::vector<ShownPoint>& points =
          shown[{std::string(row.metric), std::string(row.tags[0].value)}];
      for (size_t i = 0; i < row.times.size(); ++i) {
        points.push_back(
            {.ms = row.times[i].ms, .value = row.point_values[i], .is_ms = row.times[i].is_ms});
      }
      return true;
    }));
    CheckNoFault(deletes_ ? acked_.Fault(shown) : model_.Fault("", 0, kTimestampMsMax, shown));
    const auto wrong = tsdb_->maintenance().regions()->Check("data");
    HOURCELL_CHECK(wrong.ok() && wrong->empty());
  }

 private:
  static void Check(const absl::Status& status) {
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
    HOURCELL_CHECK(status.ok());
  }
  static void CheckNoFault(const std::string& fault) {
    if (!fault.empty()) std::fprintf(stderr, "%s\n", fault.c_str());
    HOURCELL_CHECK(fault.empty());
  }

  void Open() {
    if (tsdb_ != nullptr) Check(tsdb_->Close());
    tsdb_.reset();
    Options options = TinyOptions(LockDirectory());
    options.env = env_.get();
    options.clock = &clock_;
    options.seal_in_background = false;
    options.lanes = 2;
    options.query_threads = 1;
    options.background_jobs = 1;
    options.series_cache_bytes = 1 << 10;
    auto opened = Tsdb::Open(options);
    Check(opened.status());
    tsdb_ = *std::move(opened);
  }

  static std::string MetricOf(uint8_t byte) { return byte % 4 == 0 ? "n" : "m"; }

  static int64_t TimeOf(std::string_view* input) {
    const uint8_t hour = TakeByte(input);
    return kFirstMs + hour % kHours * kHourMs + TakeByte(input) * int64_t{14'000};
  }

  static Value ValueOf(std::string_view* input) {
    const uint8_t kind = TakeByte(input);
    const uint8_t number = TakeByte(input);
    switch (kind % 4) {
      case 0:
        return Value::Integer(number);
      case 1:
        return Value::Integer(-(int64_t{number} << kind % 56));
      case 2:
        return Value::Float(number / 4.0);
      default:
        return Value::Float(number * 1e17 / 3.0);
    }
  }

  void Put(std::string_view* input) {
    std::vector<OwnedPoint> points;
    const int size = 1 + TakeByte(input) % kBatchMax;
    for (int i = 0; i < size; ++i) {
      const uint8_t series = TakeByte(input);
      const PointModel::Series names(MetricOf(series), fmt::format("h{}", series / 4 % 5));
      Timestamp time{.ms = TimeOf(input), .is_ms = (series & 0x80) != 0};
      if (time.is_ms) time.ms += series / 16 * 125 % 1000;
      const Value value = ValueOf(input);
      points.emplace_back(names.first, "host=" + names.second, time, value);
      model_.Put(names, time, value);
      acked_.Put(names, time.ms, {.value = value, .is_ms = time.is_ms},
                 AckedPoints::Outcome::kDone);
    }
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    std::vector<RefusedPoint> refused;
    Check(tsdb_->points().Append(views, &refused).Wait());
    HOURCELL_CHECK(refused.empty());
  }

  void Delete(std::string_view* input) {
    const std::string metric = MetricOf(TakeByte(input));
    const int64_t start_ms = TimeOf(input);
    const int64_t end_ms = start_ms + 1 + TakeByte(input) * int64_t{60'000};
    if (!deletes_) return;
    QuerySpec spec = MakeQuery(Aggregator::kNone, metric, {}, 0, 0);
    spec.start_ms = start_ms;
    spec.end_ms = end_ms;
    const auto deleted = tsdb_->points().DeletePoints(spec);
    if (absl::IsNotFound(deleted.status())) return;  // nothing of the metric was ever put
    Check(deleted.status());
    acked_.Delete(metric, start_ms, end_ms, true);
  }

  void SetTtl(std::string_view* input) {
    const std::string metric = MetricOf(TakeByte(input));
    const int64_t ttl_s = TakeByte(input) * int64_t{120};
    if (deletes_) return;
    const absl::Status set = tsdb_->retention().SetMetricTtl(metric, ttl_s);
    if (absl::IsNotFound(set)) return;
    Check(set);
    model_.SetMetricTtl(metric, ttl_s);
  }

  // Any result is valid: small tables have few places to be cut at.
  void Split(std::string_view* input) {
    const uint8_t where = TakeByte(input);
    const auto hour = static_cast<uint32_t>((kFirstMs + where % kHours * kHourMs) / 1000);
    std::string key = fmt::format("\\x00\\x00\\x{:02x}", 1 + where / 4 % 2);
    for (int shift = 24; shift >= 0; shift -= 8)
      key += fmt::format("\\x{:02x}", hour >> shift & 0xff);
    if (where >= 0x80) key += fmt::format("\\x00\\x00\\x01\\x00\\x00\\x{:02x}", 1 + where / 8 % 5);
    CheckChange(tsdb_->maintenance()
                    .regions()
                    ->Split({.table = "data", .region = key, .at = key})
                    .status());
  }

  void Merge(std::string_view* input) {
    const auto listed = tsdb_->maintenance().regions()->List("data", ListDetail::kPlain);
    Check(listed.status());
    const size_t first = TakeByte(input) % listed->size();
    if (first + 1 >= listed->size()) return;
    CheckChange(tsdb_->maintenance()
                    .regions()
                    ->Merge("data", {std::to_string((*listed)[first].id),
                                     std::to_string((*listed)[first + 1].id)})
                    .status());
  }

  static void CheckChange(const absl::Status& status) {
    if (absl::IsFailedPrecondition(status) || absl::IsUnavailable(status)) return;
    if (absl::IsInvalidArgument(status)) return;
    Check(status);
  }

  void CheckRange(std::string_view* input) {
    const std::string metric = MetricOf(TakeByte(input));
    const int64_t start_ms = TimeOf(input);
    const int64_t end_ms = start_ms + 1000 + TakeByte(input) * int64_t{60'000};
    if (deletes_) return;
    QuerySpec spec = MakeQuery(Aggregator::kNone, metric, {}, 0, 0);
    spec.start_ms = start_ms;
    spec.end_ms = end_ms;
    const auto result = tsdb_->queries().Query(spec);
    if (absl::IsNotFound(result.status())) return CheckNoFault(model_.Fault(metric, 0, 1, {}));
    Check(result.status());
    PointModel::Shown shown;
    for (const ResultSeries& series : result->series) {
      std::vector<ShownPoint>& points = shown[{metric, series.tags.at(0).second}];
      for (const ResultPoint& point : series.points)
        points.push_back({.ms = point.ms, .value = point.value, .is_ms = {}});
    }
    CheckNoFault(model_.Fault(metric, start_ms, end_ms, shown));
  }

  const bool deletes_;
  const std::unique_ptr<rocksdb::Env> env_{rocksdb::NewMemEnv(rocksdb::Env::Default())};
  ManualClock clock_{kFirstMs + (kHours + 1) * kHourMs};
  PointModel model_{clock_.NowMs()};
  AckedPoints acked_;
  std::unique_ptr<Tsdb> tsdb_;
};

}  // namespace
}  // namespace hourcell

// The input as operations on a store: the store equals the model, whatever operations come between
// puts.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  static OperationCount operations;
  std::string_view input = InputText(data, size);
  Machine machine(TakeByte(&input) % 2 == 1);
  for (int i = 0; i < kOperationsMax && !input.empty(); ++i) {
    machine.Step(&input);
    ++operations.count;
  }
  machine.CheckAll();
  return 0;
}
