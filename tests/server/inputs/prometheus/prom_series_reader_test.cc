#include "server/inputs/prometheus/prom_series_reader.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/query/query_registry.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/server/api_fixture.h"

namespace hourcell::prom_series_reader_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Type = PromMatcher::Type;

class SeenMetrics : public QuerySink {
 public:
  absl::Status OnSeries(const SeriesView& series) override {
    metrics.emplace_back(series.metric);
    return absl::OkStatus();
  }
  std::vector<std::string> metrics;
};

class PromSeriesReaderTest : public ApiTest {
 protected:
  absl::StatusOr<PromSelection> Select(const std::vector<PromMatcher>& matchers) {
    if (reader_ == nullptr) {
      service_ = {.tsdb = &tsdb(), .clock = &clock_, .registry = &registry_};
      reader_ = std::make_unique<PromSeriesReader>(&service_, &names_, *InputSettingsOf(config()));
    }
    MemoryHold memory(&memory_);
    return reader_->SelectionOf(matchers, work_, &memory);
  }

  std::vector<std::string> Metrics(const std::vector<PromMatcher>& matchers,
                                   size_t metrics_max = kPromMetricsMax) {
    const auto selection = Select(matchers);
    if (!selection.ok()) return {"no selection"};
    const auto plan = reader_->PlanOf(*selection, work_, metrics_max);
    status_ = plan.status();
    return plan.ok() ? plan->metrics : std::vector<std::string>();
  }

  const NameRule names_{NameEncoding::kLatin1, ""};
  QueryRegistry registry_{&clock_};
  QueryService service_;
  QueryControl control_;
  PromReadWork work_{.control = &control_};
  CountedMemory memory_;
  std::unique_ptr<PromSeriesReader> reader_;
  absl::Status status_;
};

TEST_F(PromSeriesReaderTest, APlanHasEachMetricThatMatches) {
  Put({"cpu.user", "host=a", kStartS, 1});
  Put({"cpu_user", "host=a", kStartS, 1});
  Put({"mem", "host=a", kStartS, 1});

  EXPECT_THAT(Metrics({{Type::kEqual, "__name__", "cpu_user"}}),
              UnorderedElementsAre("cpu.user", "cpu_user"));
  EXPECT_THAT(Metrics({{Type::kRegexp, "__name__", "m.*"}}), ElementsAre("mem"));
  EXPECT_THAT(Metrics({{Type::kEqual, "host", "a"}}),
              UnorderedElementsAre("cpu.user", "cpu_user", "mem"));
}

TEST_F(PromSeriesReaderTest, TheLevelsOfRollupsAreReadOnlyByName) {
  Put({"cpu", "host=a", kStartS, 1});
  Put({"_rollup/1h-sum/cpu", "host=a", kStartS, 1});

  EXPECT_THAT(Metrics({{Type::kEqual, "host", "a"}}), ElementsAre("cpu"));
  EXPECT_THAT(Metrics({{Type::kRegexp, "__name__", ".*cpu"}}), ElementsAre("cpu"));
  EXPECT_THAT(Metrics({{Type::kEqual, "__name__", "_rollup/1h-sum/cpu"}}),
              ElementsAre("_rollup/1h-sum/cpu"));
}

TEST_F(PromSeriesReaderTest, AMetricMustBeNamedIfTooManyMatch) {
  Put({"a", "host=a", kStartS, 1});
  Put({"b", "host=a", kStartS, 1});

  EXPECT_EQ(Metrics({{Type::kEqual, "host", "a"}}, /*metrics_max=*/2).size(), 2u);
  EXPECT_THAT(Metrics({{Type::kEqual, "host", "a"}}, /*metrics_max=*/1), IsEmpty());
  EXPECT_THAT(status_, StatusIs(absl::StatusCode::kResourceExhausted,
                                HasSubstr("more than 1 metrics; name one by __name__")));
}

TEST_F(PromSeriesReaderTest, ReadsEachMetricOfAPlanInTheRange) {
  Put({"a", "host=a", kStartS, 1});
  Put({"b", "host=a", kStartS + 100, 1});
  const auto selection = Select({{Type::kEqual, "host", "a"}});
  ASSERT_OK(selection);
  const auto plan = reader_->PlanOf(*selection, work_);
  ASSERT_OK(plan);
  SeenMetrics all;
  SeenMetrics none;

  EXPECT_OK(reader_->Read(*plan, {.start_ms = INT64_MIN, .end_ms = INT64_MAX}, work_, &all));
  EXPECT_OK(reader_->Read(*plan, {.start_ms = 2, .end_ms = 1}, work_, &none));

  EXPECT_THAT(all.metrics, UnorderedElementsAre("a", "b"));
  EXPECT_THAT(none.metrics, IsEmpty());
}

TEST_F(PromSeriesReaderTest, CompilingIsWithinTimeAndMemory) {
  const std::vector<PromMatcher> matchers = {{Type::kRegexp, "host", "a.*"},
                                             {Type::kRegexp, "dc", "b.*"}};
  EXPECT_OK(Select(matchers));
  EXPECT_EQ(memory_.peak, 2 * kPromRegexpBytes);

  memory_.limit = kPromRegexpBytes;
  EXPECT_THAT(Select(matchers), StatusIs(absl::StatusCode::kResourceExhausted));
  control_.Cancel();
  EXPECT_THAT(Select(matchers), StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace hourcell::prom_series_reader_test
