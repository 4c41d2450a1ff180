// StepChecker: reads a store in all ways, and compares its answers with a model's.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <string>

#include "engine/tsdb.h"
#include "tests/model/steps/model_step.h"
#include "tests/model/steps/step_model.h"

namespace hourcell {

// The result of a comparison.
struct ComparedAnswer {
  std::string fault = {};  // empty: it is the model's
  // In words that do not depend on the layout of the store.
  std::string text = {};
};

class StepChecker {
 public:
  // Both are borrowed.
  StepChecker(Tsdb* tsdb, const StepModel& model, int64_t now_ms)
      : tsdb_(*tsdb), model_(model), now_ms_(now_ms), world_(now_ms) {}

  // Steps of the kinds that only read; see StepKind.
  ComparedAnswer Query(const ModelStep& step) const;
  ComparedAnswer Last(const ModelStep& step) const;
  ComparedAnswer Scan(const ModelStep& step) const;
  ComparedAnswer Suggest(const ModelStep& step) const;
  ComparedAnswer Lookup(const ModelStep& step) const;
  ComparedAnswer ReadAnnotations(const ModelStep& step) const;
  // Finds a name and its UID, both ways.
  ComparedAnswer Find(UidKind kind, const std::string& name) const;
  ComparedAnswer Grep(const ModelStep& step) const;
  // Every row, name, series, annotation, TTL, region and salt epoch.
  ComparedAnswer All() const;

 private:
  StepWorld::TsuidOf TsuidOf() const;
  ComparedAnswer Scan(const ScanSpec& spec) const;
  ComparedAnswer Lookup(const LookupQuery& query) const;
  std::string AnnotationsFault() const;
  std::string RestFault() const;
  // The tsuids, in hex and ascending, of the series with such tags; nothing: a name is unknown.
  std::optional<std::vector<std::string>> WithTags(const std::string& metric,
                                                   const std::vector<TagMatch>& tags) const;

  Tsdb& tsdb_;
  const StepModel& model_;
  const int64_t now_ms_;
  const StepWorld world_;
};

}  // namespace hourcell
