// label_replace and label_join, on the labels of one series.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "promql/labels.h"

namespace hourcell::promql {

// label_replace(v, target, replacement, source, regexp). Immutable. The regular expression matches
// the whole value of the source. The replacement may refer to groups, as in Go: $1, ${1}, $name,
// ${name}. $$ is a dollar sign, and a reference to no group is empty.
class LabelReplacement final {
 public:
  // kInvalidArgument, with Prometheus' texts: "invalid regular expression in label_replace(): x",
  // "invalid destination label name in label_replace(): x".
  static absl::StatusOr<LabelReplacement> Create(std::string_view target,
                                                 std::string_view replacement,
                                                 std::string_view source,
                                                 std::string_view regexp);
  LabelReplacement(LabelReplacement&&) noexcept;
  LabelReplacement& operator=(LabelReplacement&&) noexcept;
  ~LabelReplacement();
  Labels Apply(const Labels& labels) const;

 private:
  struct State;
  explicit LabelReplacement(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// kInvalidArgument: "invalid source label name in label_join(): x", or "invalid destination ...".
absl::Status CheckLabelJoin(std::string_view target, std::span<const std::string> sources);
Labels JoinLabels(const Labels& labels,
                  std::string_view target,
                  std::string_view separator,
                  std::span<const std::string> sources);

// [a-zA-Z_][a-zA-Z0-9_]*
bool IsLabelName(std::string_view text);

}  // namespace hourcell::promql
