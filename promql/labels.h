// Labels: the names and values that identify a series of PromQL. The name of the metric is the
// label __name__.

#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hourcell::promql {

inline constexpr std::string_view kMetricName = "__name__";
inline constexpr std::string_view kBucketLabel = "le";

// Values are never empty: an empty label is an absent one. Value type; compares by name and value.
class Labels final {
 public:
  using Pair = std::pair<std::string, std::string>;

  Labels() = default;
  // Sorts; leaves out empty values. Of equal names, the last one counts.
  explicit Labels(std::vector<Pair> pairs);
  explicit Labels(std::initializer_list<Pair> pairs) : Labels(std::vector<Pair>(pairs)) {}

  // Empty if absent.
  std::string_view Get(std::string_view name) const;
  // An empty value removes the label.
  void Set(std::string_view name, std::string_view value);
  void Remove(std::string_view name) { Set(name, ""); }

  // Only these labels, or all but these. `names` is sorted.
  Labels Keep(const std::vector<std::string>& names) const;
  Labels Without(const std::vector<std::string>& names) const;
  Labels WithoutMetricName() const;

  const std::vector<Pair>& pairs() const { return pairs_; }  // by name
  bool empty() const { return pairs_.empty(); }
  size_t MemoryBytes() const;

  friend bool operator==(const Labels&, const Labels&) = default;
  friend auto operator<=>(const Labels&, const Labels&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Labels& labels) {
    return H::combine(std::move(state), labels.pairs_);
  }

  // {__name__="m", a="1"}, as Prometheus prints it in errors. Values are quoted as in Go: control
  // and other unprintable characters and bytes that are not UTF-8 are escaped.
  std::string Text() const;

 private:
  std::vector<Pair> pairs_;
};

}  // namespace hourcell::promql
