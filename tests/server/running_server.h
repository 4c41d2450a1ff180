// A server on a store in a temporary directory, for tests over sockets, and a query whose response
// fills all buffers between the server and its client.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "engine/tsdb.h"
#include "server/config/config.h"
#include "server/server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {

class RunningServerTest : public testing::Test {
 protected:
  // PutPoints puts kPointsPerSeries points of metric m for each of kSeries hosts, every 10 s.
  static constexpr int64_t kStartS = 1356998400;  // 2013-01-01 00:00:00 UTC
  static constexpr size_t kSeries = 500;
  static constexpr size_t kPointsPerSeries = 100;
  // A query for these points. Its response has about 25 MB of text, more than all buffers between
  // server and client hold.
  static constexpr std::string_view kLargeQuery =
      "/api/query?start=1356998400&end=1357002000&m=none:m&m=sum:m{host=*}&m=min:m{host=*}"
      "&m=max:m{host=*}&m=avg:m{host=*}&m=count:m{host=*}&m=zimsum:m{host=*}&m=mimmin:m{host=*}"
      "&m=mimmax:m{host=*}&m=dev:m{host=*}&m=first:m{host=*}&m=last:m{host=*}";

  void SetUp() override {
    Options options;
    options.path = dir_.file("store");
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
    Set("tsd.network.port", "0");
    Set("tsd.network.worker_threads", "2");
  }

  // Before Start.
  void Set(std::string_view key, std::string_view value) { ASSERT_OK(config_.Set(key, value)); }

  void Start() {
    auto started = Server::Start(config_, tsdb_.get());
    ASSERT_OK(started);
    server_ = *std::move(started);
  }
  uint16_t port() const { return server_->port(); }

  void PutPoints() {
    for (size_t i = 0; i < kSeries; ++i) {
      const std::string tags = "host=web" + std::to_string(i);
      for (size_t j = 0; j < kPointsPerSeries; ++j) {
        OwnedPoint point("m", tags, kStartS + static_cast<int64_t>(j) * 10,
                         static_cast<int64_t>(1'000'000'000'000 + i));
        ASSERT_OK(tsdb_->points().Put(point.view()));
      }
    }
  }

  // A request without a body.
  static std::string Get(std::string_view target) {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }

  // False if it was not so within 60 s.
  static bool Eventually(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  TempDir dir_;
  Config config_;
  std::unique_ptr<Tsdb> tsdb_;
  std::unique_ptr<Server> server_;
};

}  // namespace hourcell
