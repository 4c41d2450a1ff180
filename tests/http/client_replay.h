// A server with a few points, and a connection on which a test speaks as a client does.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/http/http_exchange.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell {

// Two hosts, ten seconds apart for five minutes from 2013-01-01 00:00:00 on: web01 1, 2, 3...,
// web02 100 more.
class ClientReplayTest : public testing::Test {
 protected:
  ClientReplayTest()
      : server_(directory_.path(), {"--set", "tsd.http.hosts=tsdb,tsd,a"}),
        client_(server_.port()) {
    std::string lines;
    for (int i = 0; i < 30; ++i) {
      const int time = 1356998400 + 10 * i;
      lines += fmt::format("put sys.cpu.user {} {} host=web01 dc=lga\n", time, i + 1);
      lines += fmt::format("put sys.cpu.user {} {} host=web02 dc=lga\n", time, i + 101);
    }
    EXPECT_EQ(SendLines(server_.port(), lines), "");
  }

  HttpResult Send(std::string_view request) { return Exchange(&client_, request); }

  // The reply, which must be this status and JSON.
  simdjson::dom::element Json(const HttpResult& result, int status = 200) {
    EXPECT_EQ(result.status, status) << result.body;
    EXPECT_EQ(HeaderOf(result, "content-type"), "application/json; charset=utf-8");
    simdjson::dom::element parsed;
    EXPECT_EQ(parser_.parse(result.body).get(parsed), simdjson::SUCCESS) << result.body;
    return parsed;
  }

  static std::vector<std::string> Texts(simdjson::dom::element array) {
    std::vector<std::string> texts;
    for (const auto text : array.get_array())
      texts.emplace_back(std::string_view(text));
    return texts;
  }

  // The points of an output whose dps are a map; every value must be a number, as Go decodes it.
  static std::vector<std::pair<std::string, double>> NumbersOf(simdjson::dom::element series) {
    std::vector<std::pair<std::string, double>> points;
    for (const auto& point : series["dps"].get_object()) {
      double value = 0;
      EXPECT_EQ(point.value.get(value), simdjson::SUCCESS) << point.key;
      points.emplace_back(point.key, value);
    }
    return points;
  }

  TempDir directory_;
  ServerProcess server_;
  TcpClient client_;
  simdjson::dom::parser parser_;
};

}  // namespace hourcell
