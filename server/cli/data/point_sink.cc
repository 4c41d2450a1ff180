#include "server/cli/data/point_sink.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "codec/point.h"
#include "codec/text/point_error.h"
#include "codec/text/point_text.h"
#include "engine/tsdb.h"
#include "server/forward/histogram_exchange.h"
#include "server/forward/put_exchange.h"
#include "server/http/http_client.h"
#include "server/http/http_response.h"

namespace hourcell {
namespace {

// An import gives up on an overloaded store after kPausesMax pauses: 5 minutes.
constexpr auto kPause = std::chrono::milliseconds(200);
constexpr int kPausesMax = 1500;
constexpr int64_t kRetryAfterMaxS = 60;
// Longest time without room in a store of this process.
constexpr auto kStorePatience = std::chrono::seconds(30);
// Limits of one request; its body stays far below the server's limit.
constexpr size_t kRequestPointsMax = 10'000;
constexpr size_t kRequestBytesMax = 8 << 20;
// A server needs more memory for the bytes of histograms.
constexpr size_t kHistogramRequestBytesMax = 1 << 20;
constexpr std::string_view kPutPath = "/api/put";
constexpr std::string_view kHistogramPath = "/api/histogram";

absl::Status Busy() {
  return absl::UnavailableError(
      "the store stayed overloaded and kept refusing points; try again later");
}

PointError NoSuchTime(const Timestamp& timestamp, std::string_view path) {
  std::string time;
  AppendTimestamp(timestamp, &time);
  return {.kind = PointErrorKind::kIllegalArgument,
          .text = fmt::format(
              "bad timestamp={}: {} cannot express it; import into the directory of the store",
              time, path)};
}

class StoreSink : public PointSink {
 public:
  StoreSink(Tsdb* tsdb, SinkSync sync) : tsdb_(tsdb), sync_(sync) {}

  absl::Status Write(std::span<const LinePoint> points,
                     std::vector<RefusedPoint>* refused) override {
    HOURCELL_RETURN_IF_ERROR(Append(points, refused));
    for (int pauses = 0;; ++pauses) {
      std::vector<RefusedPoint> throttled;
      std::erase_if(*refused, [&](const RefusedPoint& point) {
        const bool later = point.error.kind == PointErrorKind::kThrottled;
        if (later) throttled.push_back(point);
        return later;
      });
      for (const RefusedPoint& point : *refused) {
        if (point.error.kind == PointErrorKind::kStorage) {
          return absl::UnavailableError(point.error.text);
        }
      }
      if (throttled.empty()) return absl::OkStatus();
      if (pauses == kPausesMax) return Busy();
      std::this_thread::sleep_for(kPause);
      HOURCELL_RETURN_IF_ERROR(Retry(points, throttled, refused));
    }
  }

  // Repeats all while the store lacks room: a histogram that is written twice is stored once.
  absl::Status WriteHistograms(std::span<const HistogramPoint> histograms,
                               std::vector<RefusedPoint>* refused) override {
    const auto deadline = std::chrono::steady_clock::now() + kStorePatience;
    for (int pauses = 0; pauses < kPausesMax; ++pauses) {
      refused->clear();
      const absl::Status status =
          tsdb_->points().AppendHistograms(histograms, refused, {.sync = sync_ == SinkSync::kEach});
      const bool later = absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
      if (!status.ok() && (!later || std::chrono::steady_clock::now() >= deadline)) return status;
      bool is_throttled = !status.ok();
      for (const RefusedPoint& one : *refused) {
        if (one.error.kind == PointErrorKind::kStorage) {
          return absl::UnavailableError(one.error.text);
        }
        is_throttled = is_throttled || one.error.kind == PointErrorKind::kThrottled;
      }
      if (!is_throttled) return absl::OkStatus();
      std::this_thread::sleep_for(kPause);
    }
    return Busy();
  }

 private:
  // Appends and waits. While the store lacks room, repeats the append. This is safe: a point that
  // is appended twice is stored once.
  absl::Status Append(std::span<const LinePoint> points, std::vector<RefusedPoint>* refused) {
    const auto deadline = std::chrono::steady_clock::now() + kStorePatience;
    while (true) {
      refused->clear();
      absl::Status status =
          tsdb_->points().Append(points, refused, {.sync = sync_ == SinkSync::kEach}).Wait();
      const bool later = absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
      if (!later || std::chrono::steady_clock::now() >= deadline) return status;
      std::this_thread::sleep_for(kPause);
    }
  }

  // Appends the throttled points again, in order; adds newly refused points to `*refused`.
  absl::Status Retry(std::span<const LinePoint> points,
                     const std::vector<RefusedPoint>& throttled,
                     std::vector<RefusedPoint>* refused) {
    std::vector<LinePoint> again;
    for (const RefusedPoint& point : throttled)
      again.push_back(points[point.index]);
    std::vector<RefusedPoint> refused_again;
    HOURCELL_RETURN_IF_ERROR(Append(again, &refused_again));
    for (RefusedPoint& point : refused_again) {
      point.index = throttled[point.index].index;
      refused->push_back(std::move(point));
    }
    std::ranges::sort(*refused, {}, &RefusedPoint::index);
    return absl::OkStatus();
  }

  Tsdb* const tsdb_;
  const SinkSync sync_;
};

class HttpSink : public PointSink {
 public:
  HttpSink(HttpUrl url, SinkSync sync)
      : client_(std::move(url)), query_(sync == SinkSync::kEach ? "?details&sync" : "?details") {}

  absl::Status Write(std::span<const LinePoint> points,
                     std::vector<RefusedPoint>* refused) override {
    refused->clear();
    Parse(points, refused);
    const std::span<const PointView> good(good_);
    for (size_t begin = 0; begin < good.size();) {
      const std::span<const PointView> piece = good.subspan(begin, PieceSize(good, begin));
      std::vector<RefusedPoint> refused_here;
      HOURCELL_RETURN_IF_ERROR(Send(piece, &refused_here));
      for (RefusedPoint& point : refused_here) {
        point.index = index_of_good_[begin + point.index];
        refused->push_back(std::move(point));
      }
      begin += piece.size();
    }
    std::ranges::sort(*refused, {}, &RefusedPoint::index);
    return absl::OkStatus();
  }

  absl::Status WriteHistograms(std::span<const HistogramPoint> histograms,
                               std::vector<RefusedPoint>* refused) override {
    refused->clear();
    std::vector<HistogramPoint> good;
    std::vector<size_t> index_of;
    for (size_t i = 0; i < histograms.size(); ++i) {
      if (IsNumberOfMagnitude(histograms[i].point.timestamp)) {
        good.push_back(histograms[i]);
        index_of.push_back(i);
      } else {
        refused->push_back(
            {.index = i, .error = NoSuchTime(histograms[i].point.timestamp, kHistogramPath)});
      }
    }
    for (size_t begin = 0; begin < good.size();) {
      const std::span<const HistogramPoint> piece =
          std::span<const HistogramPoint>(good).subspan(begin, HistogramPieceSize(good, begin));
      std::vector<RefusedPoint> refused_here;
      HOURCELL_RETURN_IF_ERROR(SendHistograms(piece, &refused_here));
      for (RefusedPoint& one : refused_here) {
        one.index = index_of[begin + one.index];
        refused->push_back(std::move(one));
      }
      begin += piece.size();
    }
    std::ranges::sort(*refused, {}, &RefusedPoint::index);
    return absl::OkStatus();
  }

 private:
  // Splits the tags of lines, because JSON has one member per tag.
  void Parse(std::span<const LinePoint> points, std::vector<RefusedPoint>* refused) {
    good_.clear();
    index_of_good_.clear();
    if (texts_.size() < points.size()) texts_.resize(points.size());
    for (size_t i = 0; i < points.size(); ++i) {
      const LinePoint& point = points[i];
      // The server decides how many tags are too many.
      auto fault = texts_[i].ParseSeries(point, {.tags_max = kTagsMax});
      if (!fault.has_value() && point.value.is_special()) {
        fault = {.kind = PointErrorKind::kIllegalArgument,
                 .text = fmt::format("{}: not a number; a server accepts it by remote write only",
                                     SpecialValueWord(point.value))};
      }
      if (fault.has_value()) {
        refused->push_back({.index = i, .error = *std::move(fault)});
        continue;
      }
      if (!IsNumberOfMagnitude(point.timestamp)) {
        refused->push_back({.index = i, .error = NoSuchTime(point.timestamp, kPutPath)});
        continue;
      }
      PointView& good = good_.emplace_back(texts_[i].point());
      good.timestamp = point.timestamp;
      good.value = point.value;
      index_of_good_.push_back(i);
    }
  }

  // The number of points of the next request, from `begin`; at least one.
  static size_t PieceSize(std::span<const PointView> points, size_t begin) {
    constexpr size_t kPointOverhead = 100;  // field names, numbers, quotes
    size_t bytes = 0;
    size_t end = begin;
    while (end < points.size() && end - begin < kRequestPointsMax && bytes < kRequestBytesMax) {
      bytes += kPointOverhead + points[end].metric.size();
      for (const TagView& tag : points[end].tags)
        bytes += 8 + tag.key.size() + tag.value.size();
      ++end;
    }
    return end - begin;
  }

  // The same for histograms.
  static size_t HistogramPieceSize(std::span<const HistogramPoint> histograms, size_t begin) {
    // Bytes of a bucket in base64, about.
    constexpr size_t kBucketBytes = 16;
    size_t bytes = 0;
    size_t end = begin;
    while (end < histograms.size() && end - begin < kRequestPointsMax &&
           bytes < kHistogramRequestBytesMax) {
      const HistogramPoint& one = histograms[end++];
      const size_t buckets = one.exponential != nullptr ? one.exponential->positive.size() +
                                                              one.exponential->negative.size()
                                                        : one.histogram->buckets.size();
      bytes += 100 + one.point.metric.size() + kBucketBytes * buckets;
    }
    return end - begin;
  }

  absl::Status Send(std::span<const PointView> points, std::vector<RefusedPoint>* refused) {
    return Post(kPutPath, PutBody(points),
                [&](std::string_view reply) { return ParsePutReply(reply, points, refused); });
  }

  absl::Status SendHistograms(std::span<const HistogramPoint> histograms,
                              std::vector<RefusedPoint>* refused) {
    return Post(kHistogramPath, HistogramsBody(histograms), [&](std::string_view reply) {
      return ParseHistogramReply(reply, histograms.size(), refused);
    });
  }

  // Posts a body until the server has taken it. `parse` reads an answer with errors.
  absl::Status Post(std::string_view path,
                    std::string_view text,
                    const std::function<absl::Status(std::string_view reply)>& parse) {
    const std::string body = Gzip(text);
    const std::string target = std::string(path) + query_;
    for (int pauses = 0; pauses < kPausesMax; ++pauses) {
      HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client_.Post(target, body, "gzip"));
      if (reply.status == 503 && AreHistogramsOff(reply.body)) {
        return absl::FailedPreconditionError(
            fmt::format("{}: {}: {}", client_.address(), path, HttpErrorText(reply)));
      }
      if (reply.status == 503 || reply.status == 429) {
        const auto pause = std::chrono::seconds(std::min(reply.retry_after_s, kRetryAfterMaxS));
        std::this_thread::sleep_for(std::max<std::chrono::milliseconds>(pause, kPause));
        continue;
      }
      if (reply.status == 204) return absl::OkStatus();
      const bool has_details =
          reply.body.starts_with("{") && reply.body.find("\"errors\"") != std::string::npos;
      if ((reply.status == 200 || reply.status == 400) && has_details) return parse(reply.body);
      return absl::UnavailableError(
          fmt::format("{}: {}: {}", client_.address(), path, HttpErrorText(reply)));
    }
    return Busy();
  }

  HttpClient client_;
  const std::string query_;
  std::deque<PointText> texts_;  // of the batch's points; a deque keeps views valid
  std::vector<PointView> good_;
  std::vector<size_t> index_of_good_;
};

}  // namespace

std::unique_ptr<PointSink> MakeStoreSink(Tsdb* tsdb, SinkSync sync) {
  return std::make_unique<StoreSink>(tsdb, sync);
}

std::unique_ptr<PointSink> MakeHttpSink(HttpUrl url, SinkSync sync) {
  return std::make_unique<HttpSink>(std::move(url), sync);
}

}  // namespace hourcell
