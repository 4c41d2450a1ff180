#include "bench/lab/simulate/engine_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "engine/options.h"
#include "engine/regions/live/region_loads.h"
#include "engine/regions/live/region_maintenance.h"
#include "engine/regions/region_info.h"
#include "engine/regions/region_map.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/stats.h"

namespace hourcell {
namespace {

constexpr TableId kReplayTable = TableId::kData;
constexpr size_t kGroupRows = 256;
constexpr uint64_t kMemtableBytesMin = 64 << 10;
// The bytes of a row in a file of RocksDB without its value and without the part of its key that
// the row before does not share: sequence and type, three lengths, and its parts of the filter and
// of the index.
constexpr uint64_t kEntryBytes = 8 + 4 + 5;
// One of this number of keys of a block is whole.
constexpr size_t kRestartRows = 16;
// With fewer files at level 0, a region does not wait for an LSM compaction.
constexpr uint64_t kYoungFilesAtRest = 4;
constexpr int kLooksMax = 60'000;  // a millisecond apart
// Rounds of maintenance at the end; each cuts a region at most once.
constexpr int kRoundsMax = 64;

class StoreReplay final : public EngineRun {
 public:
  explicit StoreReplay(const EngineRunOptions& options)
      : options_(options),
        clock_(static_cast<int64_t>(options.start_ms)),
        loads_(options.regions.split),
        random_(options.seed) {}

  absl::Status Open() {
    std::error_code error;
    std::filesystem::create_directories(options_.directory, error);
    if (error || !std::filesystem::is_empty(options_.directory, error)) {
      return absl::FailedPreconditionError(
          fmt::format("{}: not an empty directory; expected one", options_.directory));
    }
    Options store;
    store.path = options_.directory;
    store.sync = Durability::kNever;
    store.clock = &clock_;
    // Put decides when to flush, not the store.
    store.write_buffer_bytes = std::max(kMemtableBytesMin, 2 * options_.regions.split.flush_bytes);
    store.regions.split.flush_bytes = store.write_buffer_bytes;
    HOURCELL_ASSIGN_OR_RETURN(store_, OpenRocksTableStore(options_.directory + "/db", store));
    if (!options_.split_keys.empty()) {
      HOURCELL_RETURN_IF_ERROR(store_->regions()->Presplit(
          kReplayTable,
          {.keys = options_.split_keys, .pinned_until_ms = options_.start_ms + kPinnedMs}));
    }
    maintenance_ = std::make_unique<RegionMaintenance>(
        options_.regions, RegionMaintenance::Parts{.tables = store_.get(),
                                                   .list = store_.get(),
                                                   .regions = store_->regions(),
                                                   .loads = &loads_,
                                                   .clock = &clock_,
                                                   .stats = &stats_});
    return Tick();
  }

  absl::Status Put(std::string_view key, uint64_t bytes, uint64_t now_ms) override {
    clock_.Set(static_cast<int64_t>(now_ms));
    std::string value;
    const uint64_t value_bytes = bytes - std::min(bytes, FileBytesBeside(key));
    while (value.size() < value_bytes) {
      const uint64_t word = random_.Next();
      for (int i = 0; i < 8; ++i)
        value += static_cast<char>(word >> (8 * i));
    }
    value.resize(value_bytes);
    rows_.push_back({.table = kReplayTable,
                     .kind = Mutation::Kind::kSet,
                     .key = std::string(key),
                     .value = std::move(value)});
    uint64_t& in_memory = memory_bytes_[map_->Find(key)];
    in_memory += bytes;
    if (rows_.size() >= kGroupRows) HOURCELL_RETURN_IF_ERROR(Apply());
    return in_memory >= options_.regions.split.flush_bytes ? Tick() : absl::OkStatus();
  }

  absl::Status Finish() override {
    size_t before = 0;
    for (int round = 0; round < kRoundsMax && before != map_size(); ++round) {
      before = map_size();
      HOURCELL_RETURN_IF_ERROR(Tick());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<RegionUse>> Regions() override {
    return store_->RegionUses(kReplayTable);
  }

 private:
  size_t map_size() const { return map_->size(); }

  // The bytes of a file that a row takes without its value.
  uint64_t FileBytesBeside(std::string_view key) {
    const auto [at, is_new] = keys_.emplace(key);
    size_t shared = 0;
    if (at != keys_.begin()) {
      const std::string& before = *std::prev(at);
      shared = static_cast<size_t>(std::ranges::mismatch(key, before).in1 - key.begin());
    }
    return kEntryBytes + key.size() - shared + shared / kRestartRows;
  }

  // A busy machine must not change how many files a region has.
  absl::Status AwaitLsmCompactions() {
    for (int i = 0; i < kLooksMax; ++i) {
      HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses,
                                store_->RegionUses(kReplayTable));
      const bool are_done = std::ranges::all_of(
          uses, [](const RegionUse& use) { return use.young_files < kYoungFilesAtRest; });
      if (are_done) return absl::OkStatus();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return absl::DeadlineExceededError(
        fmt::format("{}: LSM compactions have not ended after a minute", options_.directory));
  }

  absl::Status Apply() {
    if (rows_.empty()) return absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(store_->ApplyUnlogged(rows_));
    loads_.Record(static_cast<uint64_t>(clock_.MonotonicMs()), rows_);
    rows_.clear();
    return absl::OkStatus();
  }

  // Flushes the memory to files, and runs RegionMaintenance on these.
  absl::Status Tick() {
    HOURCELL_RETURN_IF_ERROR(Apply());
    HOURCELL_RETURN_IF_ERROR(store_->Flush(kReplayTable));
    keys_.clear();
    HOURCELL_RETURN_IF_ERROR(AwaitLsmCompactions());
    HOURCELL_RETURN_IF_ERROR(maintenance_->Tick());
    while (true) {
      HOURCELL_ASSIGN_OR_RETURN(const bool more, maintenance_->Trim());
      if (!more) break;
    }
    HOURCELL_ASSIGN_OR_RETURN(RegionMap map,
                              RegionMap::Make(store_->regions()->Regions(kReplayTable)));
    map_.emplace(std::move(map));
    memory_bytes_.clear();
    return absl::OkStatus();
  }

  const EngineRunOptions options_;
  ManualClock clock_;
  Stats stats_;
  RegionLoads loads_;
  Random random_;
  std::unique_ptr<TableStore> store_;
  std::unique_ptr<RegionMaintenance> maintenance_;
  std::optional<RegionMap> map_;
  std::vector<Mutation> rows_;               // not yet applied
  std::set<std::string, std::less<>> keys_;  // not yet flushed
  std::map<size_t, uint64_t> memory_bytes_;  // by the position of the region
};

}  // namespace

absl::StatusOr<std::unique_ptr<EngineRun>> OpenEngineRun(const EngineRunOptions& options) {
  auto replay = std::make_unique<StoreReplay>(options);
  HOURCELL_RETURN_IF_ERROR(replay->Open());
  return replay;
}

}  // namespace hourcell
