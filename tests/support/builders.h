// Points, options and stores in domain form, for tests.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "codec/point.h"
#include "engine/options.h"
#include "engine/tsdb.h"

namespace hourcell {

// A point that owns its names, for tests that keep it:
//   OwnedPoint point("cpu.user", "host=a dc=lga", 1356998400, 42);
class OwnedPoint {
 public:
  OwnedPoint(std::string metric, std::string_view tags, Timestamp timestamp, Value value)
      : metric_(std::move(metric)), timestamp_(timestamp), value_(value) {
    while (!tags.empty()) {
      const std::string_view word = tags.substr(0, tags.find(' '));
      tags.remove_prefix(std::min(tags.size(), word.size() + 1));
      const size_t equals = word.find('=');
      HOURCELL_CHECK(equals != std::string_view::npos);
      names_.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
  }
  // Seconds and an integer.
  OwnedPoint(std::string metric, std::string_view tags, int64_t time_s, int64_t value)
      : OwnedPoint(std::move(metric), tags, Timestamp{.ms = time_s * 1000}, Value::Integer(value)) {
  }

  // Borrows from this object until the next call.
  const PointView& view() {
    tags_.clear();
    for (const auto& [key, value] : names_)
      tags_.push_back({.key = key, .value = value});
    view_ = {.metric = metric_, .tags = tags_, .timestamp = timestamp_, .value = value_};
    return view_;
  }

 private:
  std::string metric_;
  std::vector<std::pair<std::string, std::string>> names_;
  Timestamp timestamp_;
  Value value_;
  std::vector<TagView> tags_;
  PointView view_;
};

// Small buffers, so that small tests flush; nothing synced, so that they are quick.
inline Options TinyOptions(const std::string& path) {
  Options options;
  options.path = path;
  options.sync = Durability::kNever;
  options.write_buffer_bytes = 64 << 10;
  options.block_cache_bytes = 1 << 20;
  return options;
}

// A query of one sub query.
inline QuerySpec MakeQuery(Aggregator aggregator,
                           std::string metric,
                           std::vector<TagFilterSpec> filters,
                           int64_t start_s,
                           int64_t end_s) {
  QuerySpec spec{
      .start_ms = start_s * 1000, .end_ms = end_s * 1000, .queries = {}, .deadline_ms = 0};
  SubQuery& query = spec.queries.emplace_back();
  query.aggregator = aggregator;
  query.metric = std::move(metric);
  query.filters = std::move(filters);
  return spec;
}

}  // namespace hourcell
