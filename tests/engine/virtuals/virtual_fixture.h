// A store with the virtual metric user + system, for tests of this folder.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {

class VirtualTest : public testing::Test {
 protected:
  static constexpr int64_t kStart = 1356998400;
  static constexpr int64_t kHours = 5;
  static constexpr int64_t kEnd = kStart + kHours * 3600 - 1;

  VirtualTest() { options_.clock = &clock_; }

  void Open() {
    tsdb_.reset();
    tsdb_ = *Tsdb::Open(options_);
  }

  absl::Status TryPut(const std::string& metric,
                      const std::string& tags,
                      int64_t time_s,
                      double value) {
    OwnedPoint point(metric, tags, Timestamp{.ms = time_s * 1000}, Value::Float(value));
    return tsdb_->points().Put(point.view());
  }
  void Put(const std::string& metric, const std::string& tags, int64_t time_s, double value) {
    ASSERT_OK(TryPut(metric, tags, time_s, value));
  }

  static TagFilterSpec Filter(std::string tagk, FilterType type, std::string text, bool group_by) {
    return {.tagk = std::move(tagk), .type = type, .filter = std::move(text), .group_by = group_by};
  }
  static TagFilterSpec Grouping(std::string tagk) {
    return Filter(std::move(tagk), FilterType::kWildcard, "*", true);
  }
  static SubQuery ByHost(std::string metric) {
    SubQuery input;
    input.metric = std::move(metric);
    input.filters = {Grouping("host")};
    return input;
  }
  static MetricExpression Sum(std::optional<double> missing = {}) {
    return {.formula = "a + b", .inputs = {ByHost("user"), ByHost("system")}, .missing = missing};
  }

  // Points of user and system, each with gaps, and their sums where both have a point.
  void PutRandomPoints() {
    Random random(20261127);
    for (const std::string_view host : {"a", "b", "c", "d"}) {
      const std::string tags =
          fmt::format("host={} dc={}", host, host == "a" || host == "b" ? "east" : "west");
      for (int64_t at = 0; at < kHours * 3600; at += 60) {
        const auto user = static_cast<double>(random.Below(1000));
        const auto system = static_cast<double>(random.Below(100));
        const bool has_user = random.Below(5) != 0;
        const bool has_system = random.Below(5) != 0;
        if (has_user) Put("user", tags, kStart + at, user);
        if (has_system) Put("system", tags, kStart + at, system);
        if (has_user && has_system) Put("stored", tags, kStart + at, user + system);
        if (has_user || has_system) {
          Put("stored0", tags, kStart + at, (has_user ? user : 0) + (has_system ? system : 0));
        }
      }
    }
    // Only one of the inputs has the series.
    Put("user", "host=e dc=east", kStart, 1);
    Put("stored0", "host=e dc=east", kStart, 1);
  }

  TempDir directory_;
  ManualClock clock_{(kEnd + 1) * 1000};
  Options options_ = TinyOptions(directory_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
};

}  // namespace hourcell
