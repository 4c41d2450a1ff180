#include "bench/lab/layouts/cases/case_reads.h"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bench/lab/layouts/instruction_counter.h"
#include "bench/lab/layouts/point_reader.h"
#include "bench/lab/layouts/split_worker.h"
#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"

namespace hourcell::layouts {
namespace {

constexpr int kPointReads = 300;
constexpr int kSeriesReads = 60;
constexpr int kMetricReads = 20;

// Reads of one kind, summed up.
struct ReadTally {
  std::vector<double> cpu_us = {};
  std::vector<double> instructions = {};
  std::vector<double> times_us = {};
  uint64_t blocks = 0;
  ReadCost cost = {};

  ReadFigures Figures() const {
    const auto reads = static_cast<double>(times_us.size());
    const auto points = static_cast<double>(std::max<uint64_t>(1, cost.points));
    return {.cpu_us = Quantile(cpu_us, 0.5),
            .instructions = Quantile(instructions, 0.5),
            .p50_us = Quantile(times_us, 0.5),
            .p99_us = Quantile(times_us, 0.99),
            .accesses = static_cast<double>(cost.accesses) / reads,
            .blocks = static_cast<double>(blocks) / reads,
            .rows_per_point = static_cast<double>(cost.rows) / points,
            .bytes_per_point = static_cast<double>(cost.bytes) / points};
  }
};

class CaseReader {
 public:
  CaseReader(const Workload& workload, const CaseSpec& spec, Tables* store)
      : workload_(workload),
        spec_(spec),
        view_(store->Snapshot()),
        reader_(view_.get(), &spec.layout.keys, spec.cell),
        random_(spec.seed) {}

  absl::Status ReadPoint(ReadTally* tally) {
    const RowRef row{.series = AnySeries(), .hour = AnyHour()};
    const CellColumns all = workload_.PointsOf(row, spec_.cell.is_ms);
    const size_t i = random_.Below(all.size());
    CellColumns expected;
    expected.push_back(all.qualifier(i), all.value(i));

    RowsRead rows;
    const RowQuery query = QueryOf(row.series, row.hour, row.hour + 1);
    const Start start = StartRead();
    HOURCELL_RETURN_IF_ERROR(reader_.ReadPoint(query, all.offset_ms[i], &rows, &tally->cost));
    Stop(start, tally);
    return rows.size() == 1 ? Compare(row, expected, rows.begin()->second)
                            : WrongRows(rows.size(), 1);
  }

  absl::Status ReadSeries(uint32_t series, ReadTally* tally) {
    RowsRead rows;
    const RowQuery query = QueryOf(series, 0, workload_.hours());
    const Start start = StartRead();
    HOURCELL_RETURN_IF_ERROR(reader_.Read(query, &rows, &tally->cost));
    Stop(start, tally);
    if (rows.size() != workload_.hours()) return WrongRows(rows.size(), workload_.hours());
    for (uint32_t hour = 0; hour < workload_.hours(); ++hour)
      HOURCELL_RETURN_IF_ERROR(CompareRow({series, hour}, rows));
    return absl::OkStatus();
  }

  absl::Status ReadMetric(ReadTally* tally) {
    const uint32_t hour = AnyHour();
    RowQuery query = QueryOf(AnySeries(), hour, hour + 1);
    query.tags.reset();
    RowsRead rows;
    const Start start = StartRead();
    HOURCELL_RETURN_IF_ERROR(reader_.Read(query, &rows, &tally->cost));
    Stop(start, tally);
    size_t expected = 0;
    for (uint32_t series = 0; series < workload_.series().size(); ++series) {
      if (workload_.series()[series].metric != query.metric) continue;
      ++expected;
      HOURCELL_RETURN_IF_ERROR(CompareRow({series, hour}, rows));
    }
    return rows.size() == expected ? absl::OkStatus() : WrongRows(rows.size(), expected);
  }

  uint32_t AnySeries() { return static_cast<uint32_t>(random_.Below(workload_.series().size())); }
  uint32_t AnyHour() { return static_cast<uint32_t>(random_.Below(workload_.hours())); }

 private:
  // The clocks and the count of blocks at the start of a read.
  struct Start {
    int64_t begin_ns = 0;
    int64_t cpu_ns = 0;
    uint64_t blocks = 0;
    std::optional<uint64_t> instructions = {};
  };
  Start StartRead() const {
    return {.begin_ns = MonotonicNs(),
            .cpu_ns = ThreadCpuNs(),
            .blocks = Blocks(),
            .instructions = instructions_.Count()};
  }
  void Stop(const Start& start, ReadTally* tally) const {
    tally->instructions.push_back(static_cast<double>(instructions_.Since(start.instructions)));
    tally->cpu_us.push_back(static_cast<double>(ThreadCpuNs() - start.cpu_ns) / 1e3);
    tally->times_us.push_back(static_cast<double>(MonotonicNs() - start.begin_ns) / 1e3);
    tally->blocks += Blocks() - start.blocks;
  }
  uint64_t Blocks() const {
    const BlockReads blocks = view_->block_reads_of_thread();
    return blocks.cached + blocks.read;
  }

  RowQuery QueryOf(uint32_t series, uint32_t begin_hour, uint32_t end_hour) const {
    const Workload::Series& of = workload_.series()[series];
    return {.metric = of.metric,
            .begin_s = workload_.begin_s() + begin_hour * kHourSpan.seconds,
            .end_s = workload_.begin_s() + end_hour * kHourSpan.seconds,
            .tags = of.tags};
  }

  static absl::Status WrongRows(size_t got, size_t want) {
    return absl::DataLossError(fmt::format("a read returned {} rows; expected {}", got, want));
  }

  absl::Status CompareRow(const RowRef& row, const RowsRead& rows) const {
    const RowId id = workload_.IdOf(row);
    const auto found = rows.find({id.tags, id.base_time_s});
    if (found == rows.end()) return Compare(row, {{0}, {0}, {0}}, {});
    return Compare(row, workload_.PointsOf(row, spec_.cell.is_ms), found->second);
  }

  absl::Status Compare(const RowRef& row, const CellColumns& want, const CellColumns& got) const {
    if (want == got) return absl::OkStatus();
    const RowId id = workload_.IdOf(row);
    return absl::DataLossError(fmt::format(
        "row of metric {}, tags {}, hour {}: got {} points, not the {} that were written",
        ToHex(id.metric), ToHex(id.tags), id.base_time_s, got.size(), want.size()));
  }

  const Workload& workload_;
  const CaseSpec& spec_;
  const std::unique_ptr<TableView> view_;
  PointReader reader_;
  Random random_;
  const InstructionCounter instructions_;
};

}  // namespace

absl::Status ReadCase(const Workload& workload, Tables* store, CaseResult* result) {
  CaseReader reader(workload, result->spec, store);
  std::array<ReadTally, std::size(kReadKinds)> tallies;
  auto& [points, series, metrics] = tallies;
  for (int i = 0; i < kPointReads; ++i)
    HOURCELL_RETURN_IF_ERROR(reader.ReadPoint(&points));
  for (int i = 0; i < kSeriesReads; ++i)
    HOURCELL_RETURN_IF_ERROR(reader.ReadSeries(reader.AnySeries(), &series));
  for (int i = 0; i < kMetricReads; ++i)
    HOURCELL_RETURN_IF_ERROR(reader.ReadMetric(&metrics));
  for (size_t i = 0; i < tallies.size(); ++i)
    result->reads[i] = tallies[i].Figures();
  if (!result->spec.checks_all) return absl::OkStatus();
  ReadTally unused;
  for (uint32_t i = 0; i < workload.series().size(); ++i)
    HOURCELL_RETURN_IF_ERROR(reader.ReadSeries(i, &unused));
  return absl::OkStatus();
}

}  // namespace hourcell::layouts
