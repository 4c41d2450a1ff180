// The definition of one case of the layout benchmark, and its results.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/lab/layouts/cell_form.h"
#include "bench/lab/layouts/layout_list.h"
#include "bench/lab/layouts/region_ledger.h"
#include "bench/lab/layouts/split_rule.h"
#include "bench/lab/layouts/workload.h"

namespace hourcell::layouts {

struct CaseSpec {
  RowLayout layout;
  CellForm cell = {};
  SplitRule rule = SplitRule::kIncreasing;
  WorkloadKind workload = WorkloadKind::kFleet;
  std::shared_ptr<const GivenFleet> given = nullptr;  // the series of kGiven, kGivenDay
  uint64_t points = 100'000;                          // about
  uint64_t seed = 1;
  uint32_t round = 0;       // cases are measured several times; this changes nothing else
  bool checks_all = false;  // read every point back, not just those of some series
};

// False: cells of this form do not fit these keys. Only packed cells share a row of a day.
bool CanBeRun(const CaseSpec& spec);

// The series and points of the case.
Workload WorkloadOf(const CaseSpec& spec);

// "fleet salt-16 packed increasing".
std::string CaseName(const CaseSpec& spec);

// One kind of read: medians, or means over all reads.
struct ReadFigures {
  double cpu_us = 0;        // processor time of the reading thread, the median
  double instructions = 0;  // of that thread, the median; 0 = not counted (instruction_counter.h)
  double p50_us = 0;        // elapsed time
  double p99_us = 0;
  double accesses = 0;         // per read
  double blocks = 0;           // of files, from the cache or not, per read
  double rows_per_point = 0;   // stored keys returned by the store, per returned point
  double bytes_per_point = 0;  // of these keys and values
};

enum class ReadKind : uint8_t {
  kPoint,   // one instant of a series
  kSeries,  // all hours of a series
  kMetric,  // one hour of all series of a metric
};
inline constexpr ReadKind kReadKinds[] = {ReadKind::kPoint, ReadKind::kSeries, ReadKind::kMetric};
std::string_view ReadKindName(ReadKind kind);

struct CaseResult {
  CaseSpec spec;
  uint64_t series = 0;
  uint64_t points = 0;
  uint64_t writes = 0;  // mutations

  // Times depend on the machine, and instructions on the build; all other figures follow from the
  // spec, except file bytes, which depend a little on the times of RocksDB's flushes.
  double write_cpu_us_per_kpoint = 0;  // processor time of the writer in the store's calls
  double write_instructions = 0;       // of the writer in these calls, per point; 0 = not counted
  double write_points_per_s = 0;       // in the store's calls, the last flush included
  double apply_p50_ms = 0;             // of a group of writes (case_run.h)
  double apply_p99_ms = 0;
  double apply_max_ms = 0;
  double pause_p50_ms = 0;  // longest call during a split: the median and the worst of all splits
  double pause_max_ms = 0;
  double split_p50_ms = 0;  // duration of a split; the writer runs most of that time

  double stored_bytes_per_point = 0;  // keys and values as passed to the store
  double file_bytes_per_point = 0;    // RocksDB's files at rest
  uint64_t regions = 0;               // at the end
  uint64_t splits = 0;
  uint64_t split_refusals = 0;
  double hot_share = 0;       // of the hottest region: mean over the windows
  double hot_share_late = 0;  // over the second half
  double hot_share_max = 0;
  double gini = 0;          // mean over the windows
  double bucket_share = 0;  // expected for the fullest bucket, see BucketShare; 0 = no buckets
  std::vector<LoadWindow> windows = {};
  LoadMap load = {};

  std::array<ReadFigures, 3> reads = {};  // by ReadKind

  const ReadFigures& read(ReadKind kind) const { return reads[static_cast<size_t>(kind)]; }
};

// The expected share of the fullest of `buckets` buckets for `series` series of equal load, placed
// at random: about (S/B + sqrt(2 S/B ln B)) / S, at least one series, at most 1. REQUIRES: both are
// positive.
double BucketShare(uint64_t series, uint64_t buckets);

// The nearest-rank quantile `q` of `values`; 0 if they are empty.
double Quantile(std::vector<double> values, double q);

// The dependence of a figure.
enum class FieldKind : uint8_t {
  kCount,         // the case and its seed: the same in every round
  kInstructions,  // the build as well; the rounds differ by some thousandths
  kTime,          // the machine and its load as well
};

// A figure of a result, with its names in reports.
struct ResultField {
  std::string_view name;  // in JSON and CSV: points_per_s
  std::string_view head;  // in the table, with its unit; empty = not in the table
  int decimals = 0;       // in the table
  double (*value)(const CaseResult& result);
  FieldKind kind = FieldKind::kCount;
  double* (*measured)(CaseResult* result) = nullptr;  // the same figure; null for a count
};
std::span<const ResultField> WriteFields();
std::span<const ResultField> ReadFields();

}  // namespace hourcell::layouts
