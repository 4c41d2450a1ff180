#include "server/ports/input_ports.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"

namespace hourcell::input_ports_test {
namespace {

class InputPortsTest : public RunningServerTest {};

TEST_F(InputPortsTest, ThereAreNoneByDefault) {
  Start();
  EXPECT_EQ(server_->input_port("graphite"), 0);
  EXPECT_EQ(server_->input_port("statsd"), 0);
}

TEST_F(InputPortsTest, WhatStatsdHasGatheredIsWrittenWhenTheServerStops) {
  Set("tsd.statsd.port", "0");
  Start();
  SendDatagram(server_->input_port("statsd"), "hits:7|c|#host:web01\n");
  server_->Stop();

  EXPECT_EQ(tsdb_->names().Suggest(UidKind::kMetric, "hits", 5)->size(), 1U);
}

TEST_F(InputPortsTest, StatsdsSettingsAreChecked) {
  Set("tsd.statsd.percentiles", "200");
  EXPECT_THAT(Server::Start(config_, tsdb_.get()).status(),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(InputPortsTest, GraphitesLinesAreStoredAndNothingIsAnswered) {
  Set("tsd.graphite.port", "0");
  Start();
  ASSERT_NE(server_->input_port("graphite"), 0);
  ASSERT_NE(server_->input_port("graphite"), port());
  // The first byte is that of a request of HTTP on the other port.
  RawClient graphite(server_->input_port("graphite"));
  graphite.Send("POST;host=web01 7 1356998400\nbad line\n");
  graphite.EndInput();
  EXPECT_EQ(graphite.ReadAll(), "");

  RawClient http(port());
  http.Send(Get("/api/query?start=1356998000&end=1356999000&m=none:POST"));
  EXPECT_THAT(http.ReadUntil("}}]"), testing::HasSubstr(R"("dps":{"1356998400":7}}])"));
}

TEST_F(InputPortsTest, QuotasAreOfAllPortsTogether) {
  Set("tsd.graphite.port", "0");
  Set("tsd.network.connections.per_address", "1");
  Start();
  RawClient http(port());
  http.Send(Get("/api/version"));
  EXPECT_NE(http.ReadUntil("\r\n\r\n"), "");
  EXPECT_EQ(RawClient(server_->input_port("graphite")).ReadAll(), "");
}

TEST_F(InputPortsTest, AServerThatTakesNoPointsHasNone) {
  Set("tsd.graphite.port", "0");
  Set("tsd.statsd.port", "0");
  Set("tsd.mode", "ro");
  Start();
  EXPECT_EQ(server_->input_port("statsd"), 0);
  EXPECT_EQ(server_->input_port("graphite"), 0);
}

}  // namespace
}  // namespace hourcell::input_ports_test
