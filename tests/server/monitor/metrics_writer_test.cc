#include "server/monitor/metrics_writer.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/monitor/metrics_parser.h"

namespace hourcell::metrics_writer_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

HistogramSample Sample() {
  LatencyHistogram histogram;
  histogram.Record(100);         // of the first bucket: its bound is in it
  histogram.Record(101);         // of the second
  histogram.Record(60'000'000);  // beyond all
  return {.name = "x", .tags = {}, .buckets = histogram.buckets(), .sum_us = histogram.sum_us()};
}

std::string Page(MetricsFormat format) {
  MetricsWriter out(format);
  out.Begin({"hourcell_a", MetricType::kCounter, "What a \"counter\" is: \\ and\nso on."});
  out.Add({{"type", "x"}}, 3);
  out.Add({{"cache-type", "a\"b\\c\nd"}}, 4);
  out.Begin({"hourcell_b_bytes", MetricType::kGauge, "A gauge."});
  out.AddFloat({}, 0.25);
  out.Begin({"hourcell_c_seconds", MetricType::kHistogram, "A histogram."});
  out.AddHistogram(Sample());
  return std::move(out).Finish();
}

TEST(MetricsWriterTest, PrintsPrometheusFormat) {
  const std::string page = Page(MetricsFormat::kPrometheus);

  EXPECT_THAT(page, HasSubstr("# HELP hourcell_a_total What a \"counter\" is: \\\\ and\\nso on.\n"
                              "# TYPE hourcell_a_total counter\n"
                              "hourcell_a_total{type=\"x\"} 3\n"
                              "hourcell_a_total{cache_type=\"a\\\"b\\\\c\\nd\"} 4\n"));
  EXPECT_THAT(page, HasSubstr("\nhourcell_b_bytes 0.25\n"));
  EXPECT_THAT(page, Not(HasSubstr("EOF")));
  EXPECT_THAT(ParseMetrics(page, MetricsFormat::kPrometheus).faults, IsEmpty());
}

TEST(MetricsWriterTest, PrintsOpenMetrics) {
  const std::string page = Page(MetricsFormat::kOpenMetrics);

  EXPECT_THAT(page, HasSubstr("# TYPE hourcell_a counter\nhourcell_a_total{type=\"x\"} 3\n"));
  EXPECT_THAT(page, HasSubstr("What a \\\"counter\\\" is"));
  EXPECT_TRUE(page.ends_with("# EOF\n"));
  EXPECT_THAT(ParseMetrics(page, MetricsFormat::kOpenMetrics).faults, IsEmpty());
}

TEST(MetricsWriterTest, HistogramsAreInSecondsAndCumulative) {
  const std::string page = Page(MetricsFormat::kPrometheus);
  const ParsedMetrics metrics = ParseMetrics(page, MetricsFormat::kPrometheus);

  EXPECT_EQ(metrics.Value("hourcell_c_seconds_bucket", {{"le", "0.0001"}}), 1);
  EXPECT_EQ(metrics.Value("hourcell_c_seconds_bucket", {{"le", "0.00025"}}), 2);
  EXPECT_EQ(metrics.Value("hourcell_c_seconds_bucket", {{"le", "30.0"}}), 2);
  EXPECT_EQ(metrics.Value("hourcell_c_seconds_bucket", {{"le", "+Inf"}}), 3);
  EXPECT_EQ(metrics.Value("hourcell_c_seconds_count"), 3);
  EXPECT_DOUBLE_EQ(metrics.Value("hourcell_c_seconds_sum"), 60.000201);
}

TEST(MetricsWriterTest, TheFormatIsTheOneThatTheClientPrefers) {
  // The header that Prometheus 2.42 sends.
  EXPECT_EQ(PreferredFormat("application/openmetrics-text;version=1.0.0,"
                            "application/openmetrics-text;version=0.0.1;q=0.75,"
                            "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
            MetricsFormat::kOpenMetrics);
  EXPECT_EQ(PreferredFormat("text/plain, application/openmetrics-text;q=0.5"),
            MetricsFormat::kPrometheus);
  EXPECT_EQ(PreferredFormat("Application/OpenMetrics-Text ; q=0.9 , text/plain; q=0.8"),
            MetricsFormat::kOpenMetrics);
  EXPECT_EQ(PreferredFormat("application/openmetrics-text;q=0"), MetricsFormat::kPrometheus);
  EXPECT_EQ(PreferredFormat("*/*"), MetricsFormat::kPrometheus);
  EXPECT_EQ(PreferredFormat(""), MetricsFormat::kPrometheus);
  EXPECT_EQ(PreferredFormat(";,;q=,;;q=x,"), MetricsFormat::kPrometheus);
}

TEST(MetricsParserTest, FindsWhatIsNotOfTheFormat) {
  const std::string head = "# HELP a_total h\n# TYPE a_total counter\n";
  for (const std::string lines :
       {"a_total{x=\"1\"} 1\na_total{x=\"1\"} 2\n", "a_total{x=\"1} 1\n", "a_total{x=1} 1\n",
        "a_total{1x=\"1\"} 1\n", "a_total{x=\"\\t\"} 1\n", "a_total 1 \n", "a_total one\n",
        "b_total 1\n", "a_total 1", "a_total 1\n\n", "a_total 1\n# EOF\n", ""}) {
    EXPECT_THAT(ParseMetrics(head + lines, MetricsFormat::kPrometheus).faults, Not(IsEmpty()))
        << lines;
  }
  EXPECT_THAT(ParseMetrics(head + "a_total 1\n", MetricsFormat::kPrometheus).faults, IsEmpty());
  EXPECT_THAT(ParseMetrics(head + "a_total 1\n# EOF\n", MetricsFormat::kOpenMetrics).faults,
              Not(IsEmpty()));
}

}  // namespace
}  // namespace hourcell::metrics_writer_test
