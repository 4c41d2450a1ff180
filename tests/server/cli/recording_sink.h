// A PointSink that keeps what it is given, and refuses and fails when it is told to.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/mutex.h"
#include "server/cli/data/point_sink.h"
#include "tests/support/tag_words.h"

namespace hourcell {

// What the sinks of one test were given, in the order of the writes. Thread-safe.
class SinkRecord {
 public:
  struct Write {
    size_t sink = 0;
    std::vector<int64_t> times_ms;
    std::vector<std::string> series;  // metric and tags as they came
  };

  void Add(size_t sink, std::span<const LinePoint> points) {
    Write write{.sink = sink, .times_ms = {}, .series = {}};
    for (const LinePoint& point : points) {
      write.times_ms.push_back(point.timestamp.ms);
      write.series.push_back(
          std::string(point.metric) + " " +
          (point.has_any_names ? TagWords(point.tags) : std::string(point.tags)));
    }
    MutexLock lock(&mutex_);
    writes_.push_back(std::move(write));
  }

  void AddHistograms(std::span<const HistogramPoint> histograms) {
    MutexLock lock(&mutex_);
    for (const HistogramPoint& one : histograms)
      histograms_.push_back(fmt::format("{} {}", one.point.metric, one.point.timestamp.ms));
  }

  // "metric ms" of each histogram.
  std::vector<std::string> histograms() const {
    MutexLock lock(&mutex_);
    return histograms_;
  }

  void Clear() {
    MutexLock lock(&mutex_);
    writes_.clear();
  }

  std::vector<Write> writes() const {
    MutexLock lock(&mutex_);
    return writes_;
  }

 private:
  mutable Mutex mutex_;
  std::vector<Write> writes_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> histograms_ ABSL_GUARDED_BY(mutex_);
};

// Refuses points and histograms of the metric "refused"; fails at one of the metric "failing".
class RecordingSink : public PointSink {
 public:
  RecordingSink(size_t number, SinkRecord* record) : number_(number), record_(record) {}

  absl::Status Write(std::span<const LinePoint> points,
                     std::vector<RefusedPoint>* refused) override {
    record_->Add(number_, points);
    refused->clear();
    for (size_t i = 0; i < points.size(); ++i) {
      if (points[i].metric == "failing") return absl::UnavailableError("the sink fails");
      if (points[i].metric == "refused") {
        refused->push_back(
            {.index = i, .error = {.kind = PointErrorKind::kUnknownName, .text = "refused"}});
      }
    }
    return absl::OkStatus();
  }

  absl::Status WriteHistograms(std::span<const HistogramPoint> histograms,
                               std::vector<RefusedPoint>* refused) override {
    record_->AddHistograms(histograms);
    refused->clear();
    for (size_t i = 0; i < histograms.size(); ++i) {
      if (histograms[i].point.metric == "failing") return absl::UnavailableError("the sink fails");
      if (histograms[i].point.metric == "refused") {
        refused->push_back(
            {.index = i, .error = {.kind = PointErrorKind::kUnknownName, .text = "refused"}});
      }
    }
    return absl::OkStatus();
  }

 private:
  const size_t number_;
  SinkRecord* const record_;
};

inline std::vector<std::unique_ptr<PointSink>> RecordingSinks(size_t count, SinkRecord* record) {
  std::vector<std::unique_ptr<PointSink>> sinks;
  for (size_t i = 0; i < count; ++i)
    sinks.push_back(std::make_unique<RecordingSink>(i, record));
  return sinks;
}

}  // namespace hourcell
