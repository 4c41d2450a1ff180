#include "server/cli/data/point_sink.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
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

absl::Status Busy() {
  return absl::UnavailableError(
      "the store stayed overloaded and kept refusing points; try again later");
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
      : client_(std::move(url)),
        target_(sync == SinkSync::kEach ? "/api/put?details&sync" : "/api/put?details") {}

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
        std::string time;
        AppendTimestamp(point.timestamp, &time);
        refused->push_back(
            {.index = i,
             .error = {.kind = PointErrorKind::kIllegalArgument,
                       .text = fmt::format("bad timestamp={}: /api/put cannot express it; "
                                           "import into the directory of the store",
                                           time)}});
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

  absl::Status Send(std::span<const PointView> points, std::vector<RefusedPoint>* refused) {
    const std::string body = Gzip(PutBody(points));
    for (int pauses = 0; pauses < kPausesMax; ++pauses) {
      HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client_.Post(target_, body, "gzip"));
      if (reply.status == 503 || reply.status == 429) {
        const auto pause = std::chrono::seconds(std::min(reply.retry_after_s, kRetryAfterMaxS));
        std::this_thread::sleep_for(std::max<std::chrono::milliseconds>(pause, kPause));
        continue;
      }
      if (reply.status == 204) return absl::OkStatus();
      const bool has_details =
          reply.body.starts_with("{") && reply.body.find("\"errors\"") != std::string::npos;
      if ((reply.status == 200 || reply.status == 400) && has_details) {
        return ParsePutReply(reply.body, points, refused);
      }
      return absl::UnavailableError(
          fmt::format("{}: /api/put: {}", client_.address(), HttpErrorText(reply)));
    }
    return Busy();
  }

  HttpClient client_;
  const std::string target_;
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
