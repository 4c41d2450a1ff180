#include "bench/lab/layouts/cases/case_run.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/lab/layouts/cases/case_reads.h"
#include "bench/lab/layouts/cases/case_writer.h"
#include "bench/lab/layouts/cases/scratch_directory.h"
#include "codec/base/status_macros.h"
#include "engine/options.h"
#include "engine/rocks/rocks_table_store.h"

namespace hourcell::layouts {
namespace {

// Small buffers, so that a run of megabytes has flushes and LSM compactions.
constexpr size_t kWriteBufferBytes = 4 << 20;
constexpr size_t kBlockCacheBytes = 64 << 20;

uint64_t FileBytes(const std::string& directory) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == ".sst") bytes += entry.file_size();
  }
  return bytes;
}

void SetLoad(const RegionLedger& ledger, CaseResult* result) {
  result->regions = ledger.Starts().size();
  result->splits = ledger.splits();
  result->split_refusals = ledger.refusals();
  result->windows = ledger.windows();
  result->load = ledger.PointsByRegion();
  const size_t count = result->windows.size();
  const size_t half = count / 2;
  for (size_t i = 0; i < count; ++i) {
    const LoadWindow& window = result->windows[i];
    result->hot_share += window.hottest_share / static_cast<double>(count);
    result->gini += window.gini / static_cast<double>(count);
    result->hot_share_max = std::max(result->hot_share_max, window.hottest_share);
    if (i >= half) {
      result->hot_share_late += window.hottest_share / static_cast<double>(count - half);
    }
  }
}

absl::StatusOr<CaseResult> Run(const CaseSpec& spec,
                               const std::string& path,
                               const std::atomic<bool>* cancelled) {
  Options options;
  options.path = path;
  options.write_buffer_bytes = kWriteBufferBytes;
  options.block_cache_bytes = kBlockCacheBytes;
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<TableStore> store,
                            OpenRocksTableStore(path + "/db", options));
  const Workload workload = WorkloadOf(spec);
  CaseResult result{.spec = spec, .series = workload.series().size(), .points = workload.points()};
  const uint64_t buckets = spec.layout.keys.distributor().buckets();
  if (buckets > 1) result.bucket_share = BucketShare(result.series, buckets);

  CaseWriter writer(spec, workload, store.get(), cancelled);
  HOURCELL_RETURN_IF_ERROR(writer.WriteAll(&result));
  SetLoad(writer.ledger(), &result);
  HOURCELL_RETURN_IF_ERROR(store->Compact(TableId::kData));
  HOURCELL_RETURN_IF_ERROR(ReadCase(workload, store.get(), &result));
  HOURCELL_RETURN_IF_ERROR(store->Close());
  result.file_bytes_per_point =
      static_cast<double>(FileBytes(path)) / static_cast<double>(result.points);
  return result;
}

}  // namespace

absl::StatusOr<CaseResult> RunCase(const CaseSpec& spec,
                                   const std::string& directory,
                                   const std::atomic<bool>* cancelled) {
  ScratchDirectory scratch;
  HOURCELL_RETURN_IF_ERROR(scratch.Make(directory, "hourcell-layouts"));
  absl::StatusOr<CaseResult> result = Run(spec, scratch.path(), cancelled);
  if (result.ok() || absl::IsCancelled(result.status())) return result;
  return absl::Status(result.status().code(), fmt::format("case {}: {}", CaseName(spec),
                                                          std::string(result.status().message())));
}

}  // namespace hourcell::layouts
