#include "server/promql/value_writer.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::value_writer_test {
namespace {

using promql::kNoValue;
using promql::Labels;

class KeptBody : public BodyWriter {
 public:
  std::string All() { return sent_ + buffer(); }
  size_t pieces() const { return pieces_; }

 private:
  absl::Status Take(std::string* piece) override {
    sent_ += *piece;
    piece->clear();
    ++pieces_;
    return absl::OkStatus();
  }
  std::string sent_;
  size_t pieces_ = 0;
};

Labels Of(std::vector<Labels::Pair> pairs) {
  return Labels(std::move(pairs));
}

template <typename Result>
promql::Evaluation Evaluated(Result result) {
  promql::Evaluation evaluation;
  evaluation.value = std::move(result);
  return evaluation;
}

std::string DataOf(const promql::Evaluation& evaluation,
                   const promql::Steps& steps,
                   bool is_instant) {
  KeptBody body;
  EXPECT_OK(WriteEvaluation(evaluation, steps, is_instant, &body));
  const std::string all = body.All();
  const std::string before = R"({"status":"success","data":)";
  EXPECT_EQ(all.substr(0, before.size()), before);
  return all.substr(before.size(), all.size() - before.size() - 1);
}

const promql::Steps kOne = {.start_ms = 1'435'781'430'781};
const promql::Steps kThree = {.start_ms = 1'000'000, .step_ms = 15'500, .count = 3};

TEST(ValueWriterTest, AnInstantVectorHasOneValueEach) {
  promql::VectorResult vector;
  vector.series.push_back({Of({{"__name__", "up"}, {"job", "a\"b"}}), {1}});
  vector.series.push_back({Labels(), {kNoValue}});
  vector.series.push_back({Of({{"z", "1"}}), {-std::numeric_limits<double>::infinity()}});

  EXPECT_EQ(DataOf(Evaluated(vector), kOne, /*is_instant=*/true),
            R"({"resultType":"vector","result":[)"
            R"({"metric":{"__name__":"up","job":"a\"b"},"value":[1435781430.781,"1"]},)"
            R"({"metric":{"z":"1"},"value":[1435781430.781,"-Inf"]}]})");
  EXPECT_EQ(DataOf(Evaluated(promql::VectorResult()), kOne, /*is_instant=*/true),
            R"({"resultType":"vector","result":[]})");
}

promql::HistogramPointer TestHistogram(double count) {
  return std::make_shared<const promql::NativeHistogram>(
      promql::NativeHistogram{.schema = 1,
                              .zero_threshold = 0.25,
                              .zero_count = 1,
                              .count = count,
                              .sum = -0.5,
                              .positive = {{0, 2.5}, {1, 0}, {2, 1}},
                              .negative = {{0, 3}}});
}

TEST(ValueWriterTest, AHistogramHasItsBucketsWithTheirBounds) {
  promql::VectorResult vector;
  vector.series.push_back({Of({{"a", "1"}}), {promql::kHistogram}, {TestHistogram(7.5)}});
  vector.series.push_back(
      {Labels(), {promql::kHistogram}, {std::make_shared<const promql::NativeHistogram>()}});

  EXPECT_EQ(DataOf(Evaluated(vector), kOne, /*is_instant=*/true),
            R"({"resultType":"vector","result":[)"
            R"({"metric":{"a":"1"},"histogram":[1435781430.781,{"count":"7.5","sum":"-0.5",)"
            R"("buckets":[[1,"-1.414213562373095","-1","3"],[3,"-0.25","0.25","1"],)"
            R"([0,"1","1.414213562373095","2.5"],[0,"2","2.82842712474619","1"]]}]},)"
            R"({"metric":{},"histogram":[1435781430.781,{"count":"0","sum":"0"}]}]})");
}

TEST(ValueWriterTest, ARangeHasItsHistogramsAfterItsNumbers) {
  const auto histogram = std::make_shared<const promql::NativeHistogram>();
  promql::VectorResult vector;
  vector.series.push_back(
      {Of({{"a", "1"}}), {promql::kHistogram, 5, kNoValue}, {histogram, nullptr, nullptr}});
  vector.series.push_back(
      {Of({{"a", "2"}}), {kNoValue, kNoValue, promql::kHistogram}, {nullptr, nullptr, histogram}});
  promql::MatrixResult matrix;
  matrix.series.push_back({.labels = Labels(),
                           .times = {1000, 2000},
                           .values = {3, promql::kHistogram},
                           .histograms = {nullptr, histogram}});

  EXPECT_EQ(DataOf(Evaluated(vector), kThree, /*is_instant=*/false),
            R"({"resultType":"matrix","result":[)"
            R"({"metric":{"a":"1"},"values":[[1015.500,"5"]],)"
            R"("histograms":[[1000,{"count":"0","sum":"0"}]]},)"
            R"({"metric":{"a":"2"},"histograms":[[1031,{"count":"0","sum":"0"}]]}]})");
  EXPECT_EQ(DataOf(Evaluated(matrix), kOne, /*is_instant=*/true),
            R"({"resultType":"matrix","result":[{"metric":{},"values":[[1,"3"]],)"
            R"("histograms":[[2,{"count":"0","sum":"0"}]]}]})");
}

TEST(ValueWriterTest, ARangeIsAMatrixWithoutTheGaps) {
  promql::VectorResult vector;
  vector.series.push_back({Of({{"a", "1"}}), {1.5, kNoValue, 1e21}});
  vector.series.push_back({Of({{"a", "2"}}), {kNoValue, kNoValue, kNoValue}});
  vector.series.push_back({Of({{"a", "3"}}), {kNoValue, kNoValue, 0}});

  EXPECT_EQ(DataOf(Evaluated(vector), kThree, /*is_instant=*/false),
            R"({"resultType":"matrix","result":[)"
            R"({"metric":{"a":"1"},"values":[[1000,"1.5"],[1031,"1e+21"]]},)"
            R"({"metric":{"a":"3"},"values":[[1031,"0"]]}]})");
}

TEST(ValueWriterTest, AScalarOfARangeIsASeriesWithoutLabels) {
  EXPECT_EQ(DataOf(Evaluated(promql::ScalarResult{{1, 2, 3}}), kThree, /*is_instant=*/false),
            R"({"resultType":"matrix","result":[)"
            R"({"metric":{},"values":[[1000,"1"],[1015.500,"2"],[1031,"3"]]}]})");
  const promql::Steps tenth = {.start_ms = 1'435'781'430'700};
  EXPECT_EQ(DataOf(Evaluated(promql::ScalarResult{{1e21}}), tenth, /*is_instant=*/true),
            R"({"resultType":"scalar","result":[1435781430.7,"1000000000000000000000"]})");
  EXPECT_EQ(DataOf(Evaluated(promql::ScalarResult{{0.25}}), kOne, /*is_instant=*/true),
            R"({"resultType":"scalar","result":[1435781430.781,"0.25"]})");
}

TEST(ValueWriterTest, StringsAndRangeVectorsAreResultsOfAnInstant) {
  promql::MatrixResult matrix;
  matrix.series.push_back({Of({{"a", "1"}}), {1000, 2500}, {3, 4}});

  EXPECT_EQ(DataOf(Evaluated(promql::StringResult{"a\nb"}), kOne, /*is_instant=*/true),
            R"({"resultType":"string","result":[1435781430.781,"a\nb"]})");
  EXPECT_EQ(DataOf(Evaluated(matrix), kOne, /*is_instant=*/true),
            R"({"resultType":"matrix","result":[)"
            R"({"metric":{"a":"1"},"values":[[1,"3"],[2.500,"4"]]}]})");
}

TEST(ValueWriterTest, WarningsFollowTheData) {
  promql::Evaluation evaluation = Evaluated(promql::ScalarResult{{1}});
  evaluation.warnings = {"a", "b"};
  KeptBody body;

  ASSERT_OK(WriteEvaluation(evaluation, kOne, /*is_instant=*/true, &body));

  EXPECT_EQ(body.All(),
            R"({"status":"success","data":{"resultType":"scalar","result":[1435781430.781,"1"]},)"
            R"("warnings":["a","b"]})");
}

TEST(ValueWriterTest, ALargeResultIsSentInPieces) {
  promql::VectorResult vector;
  for (int i = 0; i < 10'000; ++i)
    vector.series.push_back({Of({{"a", std::to_string(i)}}), {1}});
  KeptBody body;

  ASSERT_OK(WriteEvaluation(Evaluated(std::move(vector)), kOne, /*is_instant=*/true, &body));

  EXPECT_GT(body.pieces(), 5u);
  EXPECT_LT(body.buffer().size(), kBodyPieceBytes);
}

}  // namespace
}  // namespace hourcell::value_writer_test
