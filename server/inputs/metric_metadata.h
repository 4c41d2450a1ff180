// MetricMetadata: the type, unit and help text that a client sends for a metric, kept in the store.
//
//   NewMetadata news(&keeper, &names);      // of one request
//   news.Add({.metric = "cpu", .type = MetadataType::kGauge, .unit = "percent", .help = "Load"});
//   if (news.has_any()) news.Store();       // writes, and may wait for the storage
//
// The keeper remembers a hash of each stored text, so that a client that repeats its metadata
// causes neither a read nor a write. Its first Store reads all rows once.
//
// Limits: longer texts are cut to kMetadataHelpMax and kMetadataUnitMax bytes. Metadata that is not
// UTF-8, has an empty or too long name, exceeds the limits of a request, or is of further metrics
// than kMetadataMetricsMax is left out, and counts as dropped: metadata never refuses points. The
// stored text is
//
//   <type>\n<unit>\n<help>         type as Prometheus names it: counter
//
// MetadataKeeper is thread-safe, NewMetadata thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>

#include "codec/base/mutex.h"
#include "codec/base/strings.h"
#include "engine/stats.h"
#include "engine/tsdb.h"
#include "server/inputs/name_rule.h"

namespace hourcell {

inline constexpr size_t kMetadataHelpMax = 1024;
inline constexpr size_t kMetadataUnitMax = 64;
inline constexpr size_t kMetadataMetricsMax = 100'000;
// New metadata of one request, and the bytes of its names and texts. The client repeats its
// metadata, so a later request stores the rest.
inline constexpr size_t kMetadataAtOnce = 10'000;
inline constexpr size_t kMetadataBytesAtOnce = size_t{2} << 20;

// By the numbers of remote write.
enum class MetadataType : uint8_t {
  kUnknown,
  kCounter,
  kGauge,
  kHistogram,
  kGaugeHistogram,
  kSummary,
  kInfo,
  kStateSet,
};

// As Prometheus' API has it: "counter". Remote write 1 and 2 number types alike; others are
// unknown.
std::string_view MetadataTypeText(MetadataType type);
MetadataType MetadataTypeOf(uint64_t number);

struct MetricMetadata {
  // Of a histogram or summary: without _bucket, _sum, _count.
  std::string_view metric = {};
  MetadataType type = MetadataType::kUnknown;
  std::string_view unit = {};
  std::string_view help = {};

  bool says_nothing() const {
    return type == MetadataType::kUnknown && unit.empty() && help.empty();
  }
};

// The name of a metric whose buckets, sum or count are `series`; other names are unchanged.
std::string_view FamilyOf(std::string_view series, MetadataType type);

// The stored text, of a unit and a help text that are cut; nullopt if they are not UTF-8.
std::optional<std::string> MetadataTextOf(const MetricMetadata& metadata);
// Views of `text`. Any other text is a help text, and of an unknown type.
MetricMetadata MetadataOfText(std::string_view metric, std::string_view text);

class MetadataKeeper {
 public:
  // `tsdb` is borrowed. Other limits of metrics are for tests.
  explicit MetadataKeeper(Tsdb* tsdb, size_t metrics_max = kMetadataMetricsMax);

  // Visits all metadata by metric until `visit` returns false. Errors of Names.
  absl::Status Visit(const std::function<bool(const MetricMetadata&)>& visit) const;

 private:
  friend class NewMetadata;

  enum class State : uint8_t { kStored, kNew, kNoRoom };

  State StateOf(std::string_view metric, std::string_view text) const;
  State StateLocked(std::string_view metric, std::string_view text) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(hashes_mutex_);
  // Those that the store lacks, as far as it has room for more metrics.
  std::vector<MetadataRow> ChangedOf(const StringMap<std::string>& texts,
                                     size_t* without_room) const;
  // The texts are by metric, as stored. Adds the number that is left out because the store is full.
  absl::Status Store(const StringMap<std::string>& texts, size_t* without_room);
  absl::Status LoadLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Tsdb& tsdb_;
  const size_t metrics_max_;
  Counter* const dropped_;
  mutable Mutex mutex_;  // held across the reads and writes of Store
  bool is_loaded_ ABSL_GUARDED_BY(mutex_) = false;
  mutable Mutex hashes_mutex_;
  // Hashes of the texts by those of the metrics: names may be long.
  absl::flat_hash_map<size_t, size_t> hashes_ ABSL_GUARDED_BY(hashes_mutex_);
};

class NewMetadata {
 public:
  // Both are borrowed; a null keeper keeps nothing.
  NewMetadata(MetadataKeeper* keeper, const NameRule* names) : keeper_(keeper), names_(names) {}

  // Copies new metadata. `metadata.metric` is the name as sent. Repetitions that follow each other
  // cost little.
  void Add(const MetricMetadata& metadata);

  bool has_any() const { return !texts_.empty(); }
  // Writes the new metadata. After an error it counts as dropped, and the next request of the
  // client tries again.
  void Store();
  // Counts what was left out. For a request that is not processed again.
  void CountDropped() const;

 private:
  MetadataKeeper* const keeper_;
  const NameRule* const names_;
  StringMap<std::string> texts_;  // by metric, as stored
  size_t bytes_ = 0;              // of texts_
  std::string last_;              // metric as sent
  size_t dropped_ = 0;
};

}  // namespace hourcell
