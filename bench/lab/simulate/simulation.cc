#include "bench/lab/simulate/simulation.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/lab/keys/key_sample.h"
#include "bench/lab/simulate/input/key_batch.h"
#include "bench/lab/simulate/input/key_maker.h"
#include "bench/lab/simulate/row_choice.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/regions/presplit/presplit.h"

namespace hourcell {
namespace {

constexpr uint64_t kMinuteMs = 60'000;
constexpr uint64_t kHourMs = 3'600'000;
constexpr uint64_t kWindowsAimed = 1'440;

// The heat map has each of the first steps, then one of sixteen, counted sixteen times.
constexpr uint64_t kHeatStepsAll = 1'000'000;
constexpr uint64_t kHeatEvery = 16;

constexpr std::string_view kSamplePrefix = "sample:";

// Split keys from a first pass over the stream, weighted by puts.
absl::StatusOr<std::vector<std::string>> SampledKeys(std::string_view operand,
                                                     const SimulationDesign& design,
                                                     const PutSourceFactory& source,
                                                     const SimulationOptions& options) {
  uint32_t regions = 0;
  const auto [end, error] =
      std::from_chars(operand.data(), operand.data() + operand.size(), regions);
  if (error != std::errc() || end != operand.data() + operand.size()) {
    return absl::InvalidArgumentError(
        fmt::format("pre-split sample: expected a number of regions after sample:, got {}",
                    QuoteForMessage(operand)));
  }
  HOURCELL_ASSIGN_OR_RETURN(KeyMaker keys, KeyMaker::Make(design.layout, design.distributor));
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<PutSource> puts, source());
  KeySample sample({.seed = design.settings.seed});
  RowChoice rows(keys, design.settings.cells);
  SourcePut put;
  for (uint64_t step = 0;; ++step) {
    HOURCELL_ASSIGN_OR_RETURN(const bool more, puts->Next(&put));
    if (!more) break;
    if (step % KeyBatch::kPutsMax == 0 && options.watch) {
      HOURCELL_RETURN_IF_ERROR(options.watch({.total_ms = puts->duration_ms(), .steps = step}));
    }
    HOURCELL_ASSIGN_OR_RETURN(const std::string_view key, keys.KeyOf(put));
    sample.Add(rows.RowOf(key, put).key, put.puts);
  }
  HOURCELL_ASSIGN_OR_RETURN(SampledSplit split, sample.Split(regions, SmallSample::kAccept));
  return std::move(split.keys);
}

absl::StatusOr<std::vector<std::string>> SplitKeysOf(const SimulationDesign& design,
                                                     const Layout& layout,
                                                     const PutSourceFactory& source,
                                                     const SimulationOptions& options) {
  const std::string_view text = design.presplit;
  if (text.empty()) return std::vector<std::string>();
  if (text.starts_with(kSamplePrefix)) {
    return SampledKeys(text.substr(kSamplePrefix.size()), design, source, options);
  }
  HOURCELL_ASSIGN_OR_RETURN(const PresplitSpec spec, ParsePresplit(text));
  return PresplitKeys(spec, layout, design.presplit_file);
}

SimulatedRegion Describe(const RegionModel& region, const TableModel& table, double key_bytes) {
  const CellSettings& cells = table.settings().cells;
  const KeyMass mass = region.store.mass();
  const auto key = static_cast<uint64_t>(key_bytes);
  SimulatedRegion described{.info = region.info,
                            .puts = region.puts,
                            .rows = mass.rows,
                            .cells = mass.cells,
                            .hbase_bytes = HBaseBytes(cells, key, mass.cells),
                            .hourcell_bytes = HourcellBytes(cells, key, mass.rows, mass.cells),
                            .memory_bytes = region.store.memory_bytes(),
                            .file_bytes = region.store.file_bytes(),
                            .files = region.store.files(),
                            .flushes = region.flushes,
                            .flushed_bytes = region.flushed_bytes,
                            .rewrites = region.rewrites,
                            .rewritten_bytes = region.rewritten_bytes,
                            .threshold_bytes = table.ThresholdOf(region),
                            .blocked = region.blocked,
                            .opened_ms = region.opened_ms,
                            .left_share = region.left_share,
                            .hot_share = region.hot_share_max,
                            .why_unsplittable = region.why_unsplittable};
  StoreModel::HeavyKey heaviest = region.store.HeaviestKey();
  if (heaviest.bytes > 0) {
    described.heaviest_row = std::move(heaviest.key);
    described.heaviest_share =
        static_cast<double>(heaviest.bytes) / static_cast<double>(described.file_bytes);
  }
  return described;
}

// One run.
class Runner {
 public:
  Runner(const SimulationDesign& design, const SimulationOptions& options)
      : options_(options), random_(design.settings.seed) {
    result_.design = design;
  }

  absl::StatusOr<SimulationResult> Run(const PutSourceFactory& factory) {
    HOURCELL_ASSIGN_OR_RETURN(KeyMaker keys,
                              KeyMaker::Make(result_.design.layout, result_.design.distributor));
    rows_.emplace(keys, result_.design.settings.cells);
    HOURCELL_ASSIGN_OR_RETURN(result_.split_keys,
                              SplitKeysOf(result_.design, keys.layout(), factory, options_));
    HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<PutSource> source, factory());
    const uint64_t window_ms = WindowMs(*source);
    result_.start_ms = source->start_ms();
    HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<TableModel> table,
                              TableModel::Make({.settings = result_.design.settings,
                                                .split_keys = result_.split_keys,
                                                .start_ms = result_.start_ms,
                                                .window_ms = window_ms,
                                                .flushes_together = options_.flushes_together}));
    // Each step is a little longer than its share, so that the last puts do not need a join.
    const uint64_t steps = options_.heat_resolution.steps_max * 15 / 16;
    HeatMap heat(result_.start_ms, std::max<uint64_t>(1, source->duration_ms() / steps),
                 options_.heat_resolution);
    HOURCELL_RETURN_IF_ERROR(Pour(source.get(), &keys, table.get(), &heat));
    table->AdvanceTo(table->now_ms() + options_.settle_ms);
    table->Finish();
    Collect(keys, *table, heat);
    return std::move(result_);
  }

 private:
  uint64_t WindowMs(const PutSource& source) const {
    if (options_.window_ms > 0) return options_.window_ms;
    // Rows written at the end of their hour arrive together; a shorter window would show the order
    // of writing instead of the load.
    const bool by_hour = result_.design.settings.cells.model == CellModel::kHourcell;
    return std::max(by_hour ? kHourMs : kMinuteMs, source.duration_ms() / kWindowsAimed);
  }

  absl::Status Pour(PutSource* source, KeyMaker* keys, TableModel* table, HeatMap* heat) {
    KeyBatch batch;
    std::vector<std::string_view> made;
    while (true) {
      const absl::Status filled = batch.Fill(source);
      const absl::Status keyed = keys->KeysOf(batch.puts(), &made);
      for (size_t i = 0; i < made.size(); ++i)
        Put(rows_->RowOf(made[i], batch.puts()[i]), batch.puts()[i], table, heat);
      HOURCELL_RETURN_IF_ERROR(keyed);
      HOURCELL_RETURN_IF_ERROR(filled);
      if (made.empty()) return absl::OkStatus();
      if (options_.watch) HOURCELL_RETURN_IF_ERROR(options_.watch(ProgressOf(*source, *table)));
    }
  }

  SimulationProgress ProgressOf(const PutSource& source, const TableModel& table) const {
    return {.done_ms = table.now_ms() - std::min(table.now_ms(), result_.start_ms),
            .total_ms = source.duration_ms(),
            .steps = result_.steps,
            .regions = table.regions().size()};
  }

  void Put(const ChosenRow& row, const SourcePut& put, TableModel* table, HeatMap* heat) {
    ++result_.steps;
    key_bytes_ += row.key.size();
    // A put of an unordered source, such as a trace, arrives no earlier than the puts before it.
    table->Put({.key = row.key,
                .now_ms = std::max(put.now_ms, table->now_ms()),
                .point_ms = put.parts.time_ms,
                .puts = put.puts,
                .rows = row.begins ? 1U : 0U});
    if (options_.has_heat) NoteHeat(row.key, put, heat);
  }

  void NoteHeat(std::string_view key, const SourcePut& put, HeatMap* heat) {
    if (result_.steps <= kHeatStepsAll) {
      heat->Add(key, put.now_ms, put.puts);
    } else if (random_.Below(kHeatEvery) == 0) {
      heat->Add(key, put.now_ms, put.puts * kHeatEvery);
    }
  }

  void Collect(const KeyMaker& keys, const TableModel& table, const HeatMap& heat) {
    result_.key_bytes = result_.steps == 0
                            ? 0
                            : static_cast<double>(key_bytes_) / static_cast<double>(result_.steps);
    std::vector<uint64_t> puts;
    std::vector<std::string> starts;
    for (const auto& region : table.regions()) {
      result_.regions.push_back(Describe(*region, table, result_.key_bytes));
      puts.push_back(region->puts);
      starts.push_back(region->info.range.start);
    }
    result_.spread = SpreadOf(puts);
    result_.totals = table.totals();
    result_.timeline = table.timeline();
    result_.windows = table.windows();
    result_.end_ms = table.now_ms();
    result_.scan_ranges = keys.scan_ranges();
    result_.begins_with_time = keys.begins_with_time();
    if (keys.key_template() != nullptr) result_.layout_fields = keys.key_template()->text();
    result_.words =
        KeyWords::Make(result_.design.layout, result_.design.distributor, options_.key_names);
    if (!options_.has_heat) return;
    // A few regions do not show the places of puts within them.
    const bool are_few = starts.size() < options_.heat_rows / 3;
    result_.heat = heat.Matrix(are_few ? heat.EvenBounds(options_.heat_rows)
                                       : ThinBounds(starts, options_.heat_rows));
  }

  const SimulationOptions options_;
  Random random_;
  std::optional<RowChoice> rows_;
  uint64_t key_bytes_ = 0;
  SimulationResult result_;
};

}  // namespace

double SimulationResult::write_amplification() const {
  if (totals.written_bytes == 0) return 0;
  return static_cast<double>(totals.flushed_bytes + totals.rewritten_bytes) /
         static_cast<double>(totals.written_bytes);
}

uint64_t SimulationResult::empty_regions() const {
  return static_cast<uint64_t>(
      std::count_if(regions.begin(), regions.end(),
                    [](const SimulatedRegion& region) { return region.cells == 0; }));
}

absl::StatusOr<SimulationResult> RunSimulation(const SimulationDesign& design,
                                               const PutSourceFactory& source,
                                               const SimulationOptions& options) {
  absl::StatusOr<SimulationResult> result = Runner(design, options).Run(source);
  if (!result.ok()) {
    return absl::Status(result.status().code(),
                        fmt::format("design {}: {}", QuoteForMessage(design.name),
                                    std::string_view(result.status().message().data(),
                                                     result.status().message().size())));
  }
  return result;
}

}  // namespace hourcell
