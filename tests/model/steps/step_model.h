// StepModel: the contents of a store after its steps, in maps. Unlike PointModel it is certain of
// every point: TTLs only become shorter here, so that expired points never come back. Copied for
// each backup. Thread-compatible.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codec/rows/salt_epochs.h"
#include "engine/query.h"
#include "tests/model/queries/naive_query.h"
#include "tests/model/steps/step_world.h"

namespace hourcell {

class StepModel {
 public:
  explicit StepModel(int64_t store_ttl_s) : store_ttl_s_(store_ttl_s) {}

  NaiveStore* points() { return &points_; }
  const NaiveStore& points() const { return points_; }

  // False if another name has had this UID.
  bool AddName(UidKind kind, const std::string& name, const std::string& uid_bytes);
  void Rename(UidKind kind, const std::string& name, const std::string& new_name);
  bool HasName(UidKind kind, const std::string& name) const { return points_.HasName(kind, name); }
  // True if a series, or a TTL, goes by it.
  bool IsUsed(UidKind kind, const std::string& name) const;
  // In byte order, with their UIDs.
  std::vector<std::pair<std::string, std::string>> NamesOf(UidKind kind) const;

  // Seconds; 0 = points never expire.
  int64_t TtlOf(const std::string& metric) const;
  void SetTtl(const std::string& metric, int64_t ttl_s) { ttls_[metric] = ttl_s; }
  const std::map<std::string, int64_t>& ttls() const { return ttls_; }
  int64_t ExpiresBeforeMs(const std::string& metric, int64_t now_ms) const;
  // Removes expired points.
  void Expire(int64_t now_ms);

  // In hex; nothing if one of its names is unknown.
  std::optional<std::string> TsuidOf(const WorldSeries& series) const;

  // By tsuid in hex, empty for global ones, and ms.
  using Annotations = std::map<std::pair<std::string, int64_t>, Annotation>;
  Annotations* annotations() { return &annotations_; }
  const Annotations& annotations() const { return annotations_; }
  // Of the series with this tsuid, or of global annotations.
  int64_t AnnotationsExpireBeforeMs(const std::string& tsuid, int64_t now_ms) const;

  void set_epochs(std::vector<SaltEpoch> epochs) { epochs_ = std::move(epochs); }
  const std::vector<SaltEpoch>& epochs() const { return epochs_; }

 private:
  int64_t store_ttl_s_;
  NaiveStore points_;
  std::set<std::pair<UidKind, std::string>> used_uids_;
  std::map<std::string, int64_t> ttls_;
  Annotations annotations_;
  std::vector<SaltEpoch> epochs_;
};

}  // namespace hourcell
