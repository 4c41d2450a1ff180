#include "server/promql/stored_histograms.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "engine/query/query_control.h"
#include "server/promql/store_source.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/server/promql/promql_fixture.h"

namespace hourcell::stored_histograms_test {
namespace {

using promql::LabelMatcher;
using promql::MatchOperator;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class StoredHistogramsTest : public PromqlTest {
 protected:
  // A histogram with `count` values in (1, 2] at each of the seconds after kMs.
  static PromTestSeries Native(std::vector<std::pair<std::string, std::string>> labels,
                               const std::vector<std::pair<double, int64_t>>& counts) {
    PromTestSeries series{.labels = std::move(labels)};
    for (const auto& [count, second] : counts) {
      series.native.push_back(
          PromNativeMessage({.sum = 10, .positive = {{1, count}}, .ms = kMs + 1000 * second}));
    }
    return series;
  }

  // The series as "m{a="1"} 1@0 h2@15": numbers, counts of histograms, seconds since kMs.
  std::vector<std::string> Lines(const std::vector<LabelMatcher>& matchers) {
    std::vector<std::string> lines;
    const auto visit = [&](const promql::Labels& labels, promql::PointsView points) {
      std::string line = SeriesText(labels);
      for (size_t i = 0; i < points.size(); ++i) {
        const bool is_histogram = promql::IsHistogram(points.values[i]);
        line += fmt::format(" {}{}@{}", is_histogram ? "h" : "",
                            is_histogram ? points.histograms[i]->count : points.values[i],
                            (points.times[i] - kMs) / 1000);
      }
      lines.push_back(std::move(line));
      return absl::OkStatus();
    };
    QueryControl control;
    MemoryHold memory(&memory_);
    StoreSource source(&reader(), {.deadline_ms = deadline_ms_, .control = &control}, &memory);
    status_ =
        source.Read({.matchers = matchers, .start_ms = kMs, .end_ms = kMs + 7'200'000}, visit);
    return lines;
  }

  CountedMemory memory_;
  absl::Status status_;
};

LabelMatcher Metric(std::string name) {
  return {"__name__", MatchOperator::kEqual, std::move(name)};
}

TEST_F(StoredHistogramsTest, AreReadWithTheNumbersOfTheirSeries) {
  PromTestSeries mixed = Native({{"__name__", "m"}, {"a", "1"}}, {{2, 5}, {4, 3700}});
  mixed.samples = {{1, kMs}, {3, kMs + 10'000}};
  Write({mixed,
         Native({{"__name__", "m"}, {"a", "2"}}, {{7, 1}}),
         {.labels = {{"__name__", "m"}, {"a", "3"}}, .samples = {{8, kMs}}},
         Native({{"__name__", "other"}, {"a", "1"}}, {{9, 1}})});

  EXPECT_THAT(Lines({Metric("m")}), UnorderedElementsAre(R"(m{a="1"} 1@0 h2@5 3@10 h4@3700)",
                                                         R"(m{a="2"} h7@1)", R"(m{a="3"} 8@0)"));
  EXPECT_THAT(Lines({Metric("m"), {"a", MatchOperator::kRegexp, "1|4"}}),
              ElementsAre(R"(m{a="1"} 1@0 h2@5 3@10 h4@3700)"));
  EXPECT_THAT(Lines({Metric("m"), {"a", MatchOperator::kNotEqual, "1"}}),
              UnorderedElementsAre(R"(m{a="2"} h7@1)", R"(m{a="3"} 8@0)"));
  EXPECT_THAT(Lines({Metric("m"), {"b", MatchOperator::kEqual, "1"}}), IsEmpty());
  EXPECT_OK(status_);
  EXPECT_EQ(memory_.held, 0u);
}

TEST_F(StoredHistogramsTest, OfEqualLabelsTheFirstNameWinsAndANumberOverAHistogram) {
  Write({Native({{"__name__", "a_b"}, {"x", "1"}}, {{1, 1}, {2, 2}, {3, 3}}),
         Native({{"__name__", "a.b"}, {"x", "1"}}, {{4, 2}, {5, 4}})});
  Put({"a.b", "x=1", kStartS + 3, 7});

  EXPECT_THAT(Lines({Metric("a_b")}), ElementsAre(R"(a_b{x="1"} h1@1 h4@2 7@3 h5@4)"));
}

TEST_F(StoredHistogramsTest, AStaleMarkerOfAHistogramIsThatOfNumbers) {
  PromTestSeries series = Native({{"__name__", "m"}, {"a", "1"}}, {{2, 5}});
  series.native.push_back(PromNativeMessage({.sum = promql::kStale, .ms = kMs + 9000}));
  Write({series});

  const auto instant = [&](int64_t second) {
    return Ask("/api/v1/query",
               {{"query", "histogram_count(m)"}, {"time", std::to_string(kStartS + second)}})
        .body;
  };
  EXPECT_THAT(instant(8), testing::HasSubstr(R"("value":[1356998408,"2"])"));
  EXPECT_THAT(instant(9), testing::HasSubstr(R"("result":[])"));
}

TEST_F(StoredHistogramsTest, TheirMemoryIsBounded) {
  std::vector<std::pair<double, int64_t>> counts;
  for (int64_t i = 0; i < 200; ++i)
    counts.emplace_back(1, i);
  Write({Native({{"__name__", "m"}, {"a", "1"}}, counts)});
  memory_.limit = 10'000;

  EXPECT_THAT(Lines({Metric("m")}), IsEmpty());
  EXPECT_THAT(status_, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(memory_.held, 0u);
}

TEST_F(StoredHistogramsTest, AnEndedQueryReadsNoMore) {
  Write({Native({{"__name__", "m"}, {"a", "1"}}, {{1, 1}})});
  deadline_ms_ = clock_.MonotonicMs() - 1;

  EXPECT_THAT(Lines({Metric("m")}), IsEmpty());
  EXPECT_THAT(status_, StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(StoredHistogramsTest, ANativeHistogramHasAllBucketsOfTheStoredOne) {
  const promql::NativeHistogram native = NativeHistogramOf({.scale = 3,
                                                            .zero_threshold = 0.5,
                                                            .zero_count = 1,
                                                            .count = 6,
                                                            .positive = {{-1, 2}},
                                                            .negative = {{4, 3}}});

  EXPECT_TRUE(std::isnan(native.sum));
  EXPECT_EQ(native.schema, 3);
  EXPECT_EQ(native.zero_threshold, 0.5);
  EXPECT_EQ(native.zero_count, 1);
  EXPECT_EQ(native.count, 6);
  EXPECT_EQ(native.positive, (std::vector<promql::NativeBucket>{{-1, 2}}));
  EXPECT_EQ(native.negative, (std::vector<promql::NativeBucket>{{4, 3}}));
}

}  // namespace
}  // namespace hourcell::stored_histograms_test
