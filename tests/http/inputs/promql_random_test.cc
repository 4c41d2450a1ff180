// Compares random expressions of PromQL with the real Prometheus of Debian's package, over random
// series (random_promql.h). HOURCELL_PROMQL_QUERIES: how many; HOURCELL_PROMQL_SEED: the first
// seed. A difference prints its seed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/http/inputs/peer_program.h"
#include "tests/http/inputs/prometheus_program.h"
#include "tests/http/inputs/promql_answer.h"
#include "tests/http/inputs/random_promql.h"
#include "tests/http/server_process.h"
#include "tests/server/inputs/prometheus/prom_messages.h"
#include "tests/support/temp_dir.h"

namespace hourcell::promql_random_test {
namespace {

constexpr uint64_t kQueries = 300;
constexpr uint64_t kSeed = 1;
constexpr uint64_t kQueriesOfSeries = 2'000;
constexpr size_t kDepthMax = 4;
constexpr size_t kDifferencesMax = 20;

uint64_t NumberFrom(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

class RandomPromqlTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!IsInstalled(kPrometheusProgram)) {
      GTEST_SKIP() << "NOT TESTED: PromQL beside the real Prometheus: no " << kPrometheusProgram
                   << "; `apt-get install prometheus` (group peers of scripts/packages)";
    }
  }

  // Random series of the seed in new stores, and `count` expressions of growing depth.
  void Compare(uint64_t seed, uint64_t count) {
    const TempDir directory;
    const ServerProcess server(directory.file("store"));
    const Prometheus peer(directory.file("peer"), "global: {}\n",
                          {"--web.enable-remote-write-receiver"});
    RandomPromql random(seed);
    const std::string body = SnappyBlock(PromMessage(PromWriteVersion::k1, random.Series()));
    constexpr std::string_view kHeaders =
        "Content-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n"
        "X-Prometheus-Remote-Write-Version: 0.1.0\r\n";
    for (const uint16_t port : {server.port(), peer.port()}) {
      const HttpResult result = HttpCall(port, "POST", "/api/v1/write", body, kHeaders);
      ASSERT_EQ(result.status, 204) << result.body;
    }
    for (uint64_t i = 0; i < count && differences_ < kDifferencesMax; ++i) {
      const RandomExpression expression = random.Expression(1 + i * kDepthMax / count);
      const std::string target = random.Target(expression);
      const PromqlAnswer want = PromqlAnswerOf(HttpCall(peer.port(), "GET", target).body);
      const PromqlAnswer got = PromqlAnswerOf(HttpCall(server.port(), "GET", target).body);
      // Values of rounded sums are of the size of samples, and may cancel out.
      const PromqlTolerance tolerance{.relative = 1e-12,
                                      .absolute = expression.is_rounded ? 1e-9 : 0};
      const std::string difference = PromqlDifference(got, want, tolerance);
      errors_ += want.error.empty() ? 0U : 1U;
      with_series_ += want.series.empty() ? 0U : 1U;
      if (difference.empty()) continue;
      ++differences_;
      ADD_FAILURE() << "seed " << seed << ", expression " << i << ": " << expression.text << "\n  "
                    << target.substr(0, target.find('?')) << target.substr(target.find('&'))
                    << "\n  " << difference;
    }
  }

  uint64_t with_series_ = 0;
  uint64_t errors_ = 0;
  size_t differences_ = 0;
};

TEST_F(RandomPromqlTest, AnswersEqualThoseOfPrometheus) {
  const uint64_t queries = NumberFrom("HOURCELL_PROMQL_QUERIES", kQueries);
  uint64_t seed = NumberFrom("HOURCELL_PROMQL_SEED", kSeed);

  for (uint64_t done = 0; done < queries && differences_ < kDifferencesMax; ++seed) {
    const uint64_t count = std::min(kQueriesOfSeries, queries - done);
    Compare(seed, count);
    done += count;
  }

  // The expressions are worth a comparison.
  EXPECT_GT(with_series_, queries / 3);
  EXPECT_LT(errors_, queries / 3);
  RecordProperty("with_series", std::to_string(with_series_));
  RecordProperty("errors", std::to_string(errors_));
}

}  // namespace
}  // namespace hourcell::promql_random_test
