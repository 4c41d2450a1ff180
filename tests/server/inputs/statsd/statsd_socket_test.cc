#include "server/inputs/statsd/statsd_socket.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <gmock/gmock.h>

#include "server/inputs/statsd/statsd_input.h"
#include "server/net/asio.h"
#include "tests/server/api_fixture.h"
#include "tests/server/raw_client.h"

namespace hourcell::statsd_socket_test {
namespace {

class StatsdSocketTest : public ApiTest {
 protected:
  absl::StatusOr<std::unique_ptr<StatsdSocket>> Open(const std::string& bind, bool may_write) {
    return StatsdSocket::Open(bind, 0,
                              {.input = &input_,
                               .io = &io_,
                               .pool = &pool_,
                               .may_write = [may_write](std::string_view address) {
                                 EXPECT_EQ(address, "127.0.0.1");
                                 return may_write;
                               }});
  }
  // Sends a datagram to a socket and stops it.
  void SendAndStop(std::string_view bytes, bool may_write) {
    auto opened = Open("127.0.0.1", may_write);
    ASSERT_OK(opened);
    SendDatagram((*opened)->port(), bytes);
    (*opened)->Stop();
    (*opened)->Stop();
  }
  uint64_t Count(const std::string& name) {
    return tsdb().stats().counter(name, {{"type", "statsd"}})->value();
  }

  void TearDown() override {
    work_.reset();
    io_.context.stop();
    thread_.join();
  }

 private:
  const NameRule names_{NameEncoding::kLatin1, ""};
  StatsdInput input_{{.tsdb = &tsdb(), .names = &names_, .clock = &clock_},
                     *InputSettingsOf(Config()),
                     *StatsdSettingsOf(Config())};
  WorkerPool pool_{1};
  IoContext io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.context.get_executor()};
  std::thread thread_{[this] { io_.context.run(); }};
};

TEST_F(StatsdSocketTest, AStopWritesWhatHasArrived) {
  SendAndStop("a:1|c\nb:2|g", /*may_write=*/true);
  EXPECT_EQ(Count("rpc.inputs.points"), 2U);
  EXPECT_THAT(Send("GET /api/query?start=1356990000&m=none:b").body,
              testing::HasSubstr(R"("dps":{"1357300800":2})"));
}

TEST_F(StatsdSocketTest, WhoMayNotWriteIsRefused) {
  SendAndStop("a:1|c", /*may_write=*/false);
  EXPECT_EQ(Count("rpc.inputs.points"), 0U);
  EXPECT_EQ(Count("rpc.inputs.refused"), 1U);
}

TEST_F(StatsdSocketTest, AnAddressThatIsNoneIsSaid) {
  EXPECT_THAT(Open("nowhere.invalid", true).status(), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Open("192.0.2.1", true).status(), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace hourcell::statsd_socket_test
