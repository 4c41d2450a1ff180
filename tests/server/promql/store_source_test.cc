#include "server/promql/store_source.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "engine/query/query_control.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/server/promql/promql_fixture.h"

namespace hourcell::store_source_test {
namespace {

using promql::LabelMatcher;
using promql::MatchOperator;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class StoreSourceTest : public PromqlTest {
 protected:
  // The series as "m{a="1"} 1@0 2@15", the times in seconds since kMs.
  std::vector<std::string> Lines(const std::vector<LabelMatcher>& matchers,
                                 int64_t start_ms = kMs,
                                 int64_t end_ms = kMs + 3'600'000) {
    std::vector<std::string> lines;
    status_ = Read(
        matchers, start_ms, end_ms, [&](const promql::Labels& labels, promql::PointsView points) {
          std::string line = SeriesText(labels);
          for (size_t i = 0; i < points.size(); ++i)
            line += fmt::format(" {}@{}", points.values[i], (points.times[i] - kMs) / 1000);
          lines.push_back(std::move(line));
          return absl::OkStatus();
        });
    return lines;
  }

  absl::Status Read(
      const std::vector<LabelMatcher>& matchers,
      int64_t start_ms,
      int64_t end_ms,
      absl::FunctionRef<absl::Status(const promql::Labels&, promql::PointsView)> visit) {
    QueryControl control;
    MemoryHold memory(&memory_);
    StoreSource source(&reader(), {.deadline_ms = deadline_ms_, .control = &control}, &memory);
    return source.Read({.matchers = matchers, .start_ms = start_ms, .end_ms = end_ms}, visit);
  }

  CountedMemory memory_;
  absl::Status status_;
};

LabelMatcher Metric(std::string name) {
  return {"__name__", MatchOperator::kEqual, std::move(name)};
}

TEST_F(StoreSourceTest, ReadsTheSeriesThatMatchInTheRange) {
  WriteHosts();

  EXPECT_THAT(
      Lines({Metric("up")}, kMs + 15'000, kMs + 30'000),
      UnorderedElementsAre(R"(up{dc="x", host="a"} 1@15 2@30)", R"(up{host="b"} 11@15 12@30)"));
  EXPECT_THAT(Lines({Metric("up"), {"host", MatchOperator::kRegexp, "a|c"}}, kMs, kMs),
              ElementsAre(R"(up{dc="x", host="a"} 0@0)"));
  EXPECT_THAT(Lines({Metric("up"), {"dc", MatchOperator::kEqual, ""}}, kMs, kMs),
              ElementsAre(R"(up{host="b"} 10@0)"));
  EXPECT_THAT(
      Lines({{"host", MatchOperator::kNotEqual, "a"}, {"host", MatchOperator::kNotRegexp, ""}}, kMs,
            kMs),
      ElementsAre(R"(up{host="b"} 10@0)"));
  EXPECT_OK(status_);
}

TEST_F(StoreSourceTest, NamesWithoutSeriesAreNoError) {
  WriteHosts();

  EXPECT_THAT(Lines({Metric("nosuch")}), IsEmpty());
  EXPECT_OK(status_);
  EXPECT_THAT(Lines({Metric("up"), {"nosuch", MatchOperator::kEqual, "a"}}), IsEmpty());
  EXPECT_OK(status_);
  EXPECT_THAT(Lines({Metric("up")}, kMs - 10, kMs - 20), IsEmpty());
  EXPECT_OK(status_);
}

TEST_F(StoreSourceTest, StaleMarkersArePoints) {
  Write({{.labels = {{"__name__", "m"}, {"a", "b"}},
          .samples = {{1, kMs}, {promql::kStale, kMs + 1000}}}});
  std::vector<bool> is_stale;

  EXPECT_OK(
      Read({Metric("m")}, kMs, kMs + 2000, [&](const promql::Labels&, promql::PointsView points) {
        for (const double value : points.values)
          is_stale.push_back(promql::IsStale(value));
        return absl::OkStatus();
      }));

  EXPECT_THAT(is_stale, ElementsAre(false, true));
}

TEST_F(StoreSourceTest, SeriesOfEqualLabelsAreOne) {
  Put({"a.b", "x=1", kStartS, 1});
  Put({"a.b", "x=1", kStartS + 10, 2});
  Put({"a_b", "x=1", kStartS + 10, 3});
  Put({"a_b", "x=1", kStartS + 20, 4});
  Put({"t", "k.1=v k_1=w", kStartS, 5});
  Write({{.labels = {{"__name__", "t"}, {"k.1", "v;w"}, {"z", "1"}}, .samples = {{6, kMs}}}});

  EXPECT_THAT(Lines({Metric("a_b")}), ElementsAre(R"(a_b{x="1"} 1@0 2@10 4@20)"));
  EXPECT_THAT(Lines({Metric("t"), {"z", MatchOperator::kEqual, ""}}),
              ElementsAre(R"(t{k_1="v;w"} 5@0)"));
}

TEST_F(StoreSourceTest, TheOrderOfReadingDoesNotDecideWhichPointWins) {
  Put({"a_b", "x=1", kStartS + 10, 3});
  Put({"a.b", "x=1", kStartS + 10, 2});
  Put({"b", "le=_Inf x=1", kStartS, 1});
  Write({{.labels = {{"__name__", "b"}, {"le", "+Inf"}, {"x", "1"}},
          .samples = {{2, kMs}, {3, kMs + 1000}}}});

  EXPECT_THAT(Lines({Metric("a_b")}), ElementsAre(R"(a_b{x="1"} 2@10)"));
  EXPECT_THAT(Lines({Metric("b")}), ElementsAre(R"(b{le="+Inf", x="1"} 2@0 3@1)"));
}

TEST_F(StoreSourceTest, TheDefaultTagIsNotALabel) {
  Write({{.labels = {{"__name__", "bare"}}, .samples = {{1, kMs}}}});

  EXPECT_THAT(Lines({Metric("bare")}), ElementsAre("bare 1@0"));
}

TEST_F(StoreSourceTest, ASeriesWithTheDefaultTagMeetsTheOneWithout) {
  Put({"q", "host=unknown le=0.5", kStartS, 1});
  Put({"q", "le=0.5", kStartS + 1, 2});
  EXPECT_THAT(Lines({Metric("q")}), ElementsAre(R"(q{le="0.5"} 1@0 2@1)"));
}

TEST_F(StoreSourceTest, NamesFollowTheSetting) {
  ASSERT_OK(config().Set("tsd.prometheus.names", "utf8"));
  Put({"cpu.user", "service.name=shop", kStartS, 1});

  EXPECT_EQ(Lines({Metric("cpu.user")}).size(), 1u);
  EXPECT_THAT(Lines({Metric("cpu_user")}), IsEmpty());
}

TEST_F(StoreSourceTest, SeriesThatMayMeetNoOtherAreNotKept) {
  std::vector<PromTestSeries> series;
  for (int i = 0; i < 20; ++i) {
    series.push_back({.labels = {{"__name__", "m"}, {"i", std::to_string(i)}}});
    for (int64_t t = 0; t < 500; ++t)
      series.back().samples.push_back({1, kMs + t});
  }
  Write(series);
  size_t held_max = 0;
  const auto visit = [&](const promql::Labels&, promql::PointsView) {
    held_max = std::max(held_max, memory_.held);
    return absl::OkStatus();
  };

  EXPECT_OK(Read({Metric("m")}, kMs, kMs + 1000, visit));
  EXPECT_LT(held_max, 2u * 500 * sizeof(double)) << "about the values of one series";

  // Nor series with the default key, and with the labels of buckets.
  std::vector<PromTestSeries> buckets;
  for (int i = 0; i < 20; ++i) {
    buckets.push_back({.labels = {{"__name__", "b"}, {"host", "h"}, {"le", std::to_string(i)}}});
    for (int64_t t = 0; t < 500; ++t)
      buckets.back().samples.push_back({1, kMs + t});
  }
  Write(buckets);
  held_max = 0;
  EXPECT_OK(Read({Metric("b")}, kMs, kMs + 1000, visit));
  EXPECT_LT(held_max, 2u * 500 * sizeof(double)) << "about the values of one series";

  // Another key becomes the same label.
  Put({"other", "i.x=1 i_x=2", kStartS, 1});
  EXPECT_OK(Read({Metric("m")}, kMs, kMs + 1000, visit));
  EXPECT_GE(held_max, 20u * 500 * 2 * sizeof(double)) << "all points";
  EXPECT_EQ(memory_.held, 0u);
}

TEST_F(StoreSourceTest, ErrorsOfTheVisitorAndOfTimeEndIt) {
  WriteHosts();

  EXPECT_THAT(Read({Metric("up")}, kMs, kMs,
                   [](const promql::Labels&, promql::PointsView) {
                     return absl::InvalidArgumentError("enough");
                   }),
              StatusIs(absl::StatusCode::kInvalidArgument, "enough"));
  deadline_ms_ = clock_.MonotonicMs() - 1;
  EXPECT_THAT(Lines({Metric("up"), {"host", MatchOperator::kRegexp, "a"}}), IsEmpty());
  EXPECT_THAT(status_, StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(StoreSourceTest, AVirtualMetricIsRead) {
  WriteHosts();
  SubQuery input;
  input.metric = "load";
  input.filters = {
      {.tagk = "host", .type = FilterType::kWildcard, .filter = "*", .group_by = true}};
  ASSERT_OK(tsdb().names().DefineMetric("twice", {.formula = "a * 2", .inputs = {input}}));

  EXPECT_THAT(Lines({Metric("twice")}, kMs, kMs), ElementsAre(R"(twice{host="a"} 40@0)"));
}

}  // namespace
}  // namespace hourcell::store_source_test
