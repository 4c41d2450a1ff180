// PromLabels: converts a stored series to the labels that remote read returns.
//
//   names    as stored, or, for Prometheus before version 3, [a-zA-Z_][a-zA-Z0-9_]*, for metrics
//            also ':': any other character becomes '_', and '_' is put before a leading digit.
//            Values of tags that become one label are joined by ';', in the order of their keys
//   values   as stored; values of the labels le and quantile that an old store has changed become
//            numbers again: _Inf is +Inf, 1e_06 is 1e+06
//   no tag   the default tag, tsd.inputs.default_tag, is not a label if le and quantile are the
//            only other tags of the series
//
// Immutable; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/inputs/input_settings.h"

namespace hourcell {

struct PromLabel {
  std::string name;
  std::string value;
  friend auto operator<=>(const PromLabel&, const PromLabel&) = default;
};

// The tags of a series in the order of a query result.
using SeriesTags = std::span<const std::pair<std::string_view, std::string_view>>;

class PromLabels {
 public:
  explicit PromLabels(const InputSettings& settings);

  std::string Metric(std::string_view stored) const;
  std::string LabelName(std::string_view tagk) const;
  // By name, without __name__.
  std::vector<PromLabel> Of(SeriesTags tags) const;

  // True if the tag is the default tag, added because the series was sent without other tags.
  bool IsInvented(SeriesTags tags, std::string_view key, std::string_view value) const;
  bool IsDefaultKey(std::string_view tagk) const { return tagk == default_key_; }

  // The common prefix of stored names that may become `name`; if `*exact`, the whole name.
  std::string_view PrefixOf(std::string_view name, bool* exact) const;

 private:
  const bool is_utf8_;
  const std::string default_key_;
  const std::string default_value_;
};

// True if the values of the label are numbers: le and quantile.
bool IsNumberLabel(std::string_view name);

}  // namespace hourcell
