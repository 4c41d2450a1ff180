// InputHistograms: collects exponential histograms of one request for the store, with the text of
// their names. Thread-compatible.

#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "codec/histograms/exponential_histogram.h"
#include "codec/point.h"
#include "engine/append.h"

namespace hourcell {

// Limits of a full list: histograms, and their buckets of 32 bytes.
inline constexpr size_t kInputHistogramsMax = 1000;
inline constexpr size_t kInputBucketsMax = size_t{1} << 16;

class InputHistograms {
 public:
  // Adds a histogram with names made by the rule, and tags as written by KeepTags, which are
  // copied. `item` is the number of its series or data point in the request.
  void Add(const LinePoint& point, ExponentialHistogram histogram, size_t item);

  // As Points::AppendHistograms takes them, valid until the next Add or Clear.
  std::vector<HistogramPoint> points();
  size_t ItemOf(size_t index) const { return histograms_[index].item; }

  bool empty() const { return histograms_.empty(); }
  size_t size() const { return histograms_.size(); }
  // True if they must be handed on before more are added.
  bool is_full() const {
    return histograms_.size() >= kInputHistogramsMax || buckets_ >= kInputBucketsMax;
  }

  void Clear();

 private:
  struct Named {
    std::string metric;
    std::string tags;
    Timestamp timestamp;
    ExponentialHistogram histogram;
    size_t item = 0;
    std::vector<TagView> tag_views = {};  // of `tags`
  };

  std::deque<Named> histograms_;
  size_t buckets_ = 0;
};

}  // namespace hourcell
