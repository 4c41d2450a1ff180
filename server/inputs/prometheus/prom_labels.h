// PromLabels: a stored series as remote read names it.
//
//   names    as they are stored, or, of Prometheus before version 3, [a-zA-Z_][a-zA-Z0-9_]*, of a
//            metric with ':': each other character becomes one '_', and '_' precedes a digit that
//            comes first. Values of tags that become one label are joined by ';', by their keys
//   values   as they are stored; of the labels le and quantile those that an old store has changed
//            are numbers again: _Inf is +Inf, 1e_06 is 1e+06
//   no tag   the default tag, tsd.inputs.default_tag, is no label of a series that has no other tag
//            but le and quantile
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

// The tags of a series in the order of a query's answer.
using SeriesTags = std::span<const std::pair<std::string_view, std::string_view>>;

class PromLabels {
 public:
  explicit PromLabels(const InputSettings& settings);

  std::string Metric(std::string_view stored) const;
  std::string LabelName(std::string_view tagk) const;
  // By name, without __name__.
  std::vector<PromLabel> Of(SeriesTags tags) const;

  // Whether a tag of the series was not sent, but is the default one.
  bool IsInvented(SeriesTags tags, std::string_view key, std::string_view value) const;
  bool IsDefaultKey(std::string_view tagk) const { return tagk == default_key_; }

  // What stored names begin with that may become `name`; all of them if `*exact` is false.
  std::string_view PrefixOf(std::string_view name, bool* exact) const;

 private:
  const bool is_utf8_;
  const std::string default_key_;
  const std::string default_value_;
};

// Whether the values of a label are numbers: le and quantile.
bool IsNumberLabel(std::string_view name);

}  // namespace hourcell
