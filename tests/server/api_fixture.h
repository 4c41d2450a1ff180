// A Tsdb in a temporary directory with an Routes on it, for tests that speak HTTP without sockets.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/api/routes.h"
#include "server/config/config.h"
#include "server/http/http_target.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {

class ApiTest : public testing::Test {
 protected:
  static constexpr int64_t kStartS = 1356998400;  // 2013-01-01 00:00:00 UTC

  // Change these before the first Send.
  Options& options() { return options_; }
  Config& config() { return config_; }

  Tsdb& tsdb() {
    if (tsdb_ == nullptr) {
      auto opened = Tsdb::Open(options_);
      HOURCELL_CHECK(opened.ok());
      tsdb_ = *std::move(opened);
      api_ = std::make_unique<Routes>(tsdb_.get(), &config_, &clock_);
    }
    return *tsdb_;
  }

  // Sends "GET /path?query", as the server's connection would. Without other headers it is JSON,
  // which no form can send (web_guard.h).
  HttpResponse Send(std::string_view request_line,
                    std::string body = "",
                    std::vector<std::pair<std::string, std::string>> headers = {
                        {"content-type", "application/json"}}) {
    const size_t blank = request_line.find(' ');
    HttpRequest request;
    request.method = request_line.substr(0, blank);
    request.target = request_line.substr(blank + 1);
    request.headers = std::move(headers);
    request.body = std::move(body);
    request.rights = rights_;
    request.deadline_ms = deadline_ms_;
    HOURCELL_CHECK(ParseTarget(&request).ok());
    tsdb();
    HttpResponse response = api_->Handle(request);
    if (!response.must_wait) return response;
    request.may_wait = true;
    return api_->Handle(request);
  }

  // Closes the store; the next Send opens it again.
  void Reopen() {
    api_.reset();
    tsdb_.reset();
  }

  void Put(OwnedPoint point) { ASSERT_OK(tsdb().points().Put(point.view())); }

  // The value of a response header; empty if it is not there.
  static std::string Header(const HttpResponse& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }

  AccessRights rights_ = AccessRights::Admin();  // of what is sent
  int64_t deadline_ms_ = 0;
  TempDir directory_;
  ManualClock clock_{1'357'300'800'000};  // 2013-01-04 12:00:00 UTC

 private:
  Options options_ = MakeOptions();
  Config config_;
  std::unique_ptr<Tsdb> tsdb_;
  std::unique_ptr<Routes> api_;

  Options MakeOptions() {
    Options options = TinyOptions(directory_.path());
    options.clock = &clock_;
    return options;
  }
};

}  // namespace hourcell
