#include "server/inputs/statsd/statsd_input.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::statsd_input_test {
namespace {

using testing::HasSubstr;

class StatsdInputTest : public ApiTest {
 protected:
  StatsdInput Input(AppendInPlace append = {}) {
    return StatsdInput(
        {.tsdb = &tsdb(), .names = &names_, .clock = &clock_, .append = std::move(append)},
        *InputSettingsOf(Config()), *StatsdSettingsOf(config()));
  }
  std::string Stored(std::string_view metric) {
    return Send(fmt::format("GET /api/query?start=1356990000&end=1357310000&ms=true&m=none:{}",
                            metric))
        .body;
  }
  uint64_t Count(const std::string& name) {
    return tsdb().stats().counter(name, {{"type", "statsd"}})->value();
  }
  uint64_t Dropped(const std::string& reason) {
    return tsdb()
        .stats()
        .counter("rpc.inputs.dropped", {{"type", "statsd"}, {"reason", reason}})
        ->value();
  }

 private:
  const NameRule names_{NameEncoding::kLatin1, ""};
};

TEST_F(StatsdInputTest, AFlushTakesEachSampleOnce) {
  StatsdInput input = Input();
  input.Take("hits:1|c|#host:web01\nhits:2|c|#host:web01\r\n\nload:1.5|g");
  EXPECT_EQ(Count("rpc.inputs.points"), 0U);
  input.Flush();
  clock_.Advance(10'500);
  input.Take("hits:4|c|#host:web01");
  input.Flush();
  clock_.Advance(10'000);
  input.Flush();

  EXPECT_THAT(Stored("hits"), HasSubstr(R"("tags":{"host":"web01"},"aggregateTags":[],)"
                                        R"("dps":{"1357300800000":3,"1357300810000":4})"));
  EXPECT_THAT(Stored("load"), HasSubstr(R"("tags":{"host":"unknown"},"aggregateTags":[],)"
                                        R"("dps":{"1357300800000":1.5})"));
  EXPECT_EQ(Count("rpc.inputs.points"), 3U);
  EXPECT_EQ(Count("rpc.inputs.refused"), 0U);
}

TEST_F(StatsdInputTest, WhatIsWrongIsCountedAndTheOthersAreTaken) {
  ASSERT_OK(config().Set("tsd.statsd.series", "1"));
  StatsdInput input = Input();
  input.Take("bad\na:x|c\na:1|c\n_sc|redis|0\nb:1|c");
  input.Refuse("a datagram of a stranger");
  input.Flush();

  EXPECT_THAT(Stored("a"), HasSubstr(R"("dps":{"1357300800000":1})"));
  EXPECT_EQ(Count("rpc.inputs.refused"), 3U);
  EXPECT_EQ(Dropped("event"), 1U);
  EXPECT_EQ(Dropped("series"), 1U);
}

TEST_F(StatsdInputTest, WhatAFullStoreDoesNotTakeIsLost) {
  int batches = 0;
  StatsdInput input = Input([&batches](size_t, std::vector<RefusedPoint>*, const AppendOptions&) {
    ++batches;
    return CommitTicket(absl::UnavailableError("full"));
  });
  input.Take("a:1|c");
  input.Flush();
  input.Flush();
  EXPECT_EQ(batches, 1) << "the sample is gone";
  EXPECT_EQ(Count("rpc.inputs.points"), 0U);
}

}  // namespace
}  // namespace hourcell::statsd_input_test
