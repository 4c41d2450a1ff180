#include "server/inputs/prometheus/prom_read_handler.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"
#include "tests/server/inputs/prometheus/prom_messages.h"

namespace hourcell::prom_read_handler_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Type = PromMatcher::Type;

constexpr int64_t kMs = 1'356'998'400'000;

class PromReadHandlerTest : public ApiTest {
 protected:
  void Write(const std::vector<PromTestSeries>& series) {
    const HttpResponse response =
        Send("POST /api/v1/write", PromMessage(PromWriteVersion::k1, series),
             {{"content-type", "application/x-protobuf"}});
    ASSERT_EQ(response.status, 204) << response.body;
  }

  HttpResponse Read(const std::vector<PromReadQuery>& queries) {
    return Send("POST /api/v1/read", PromReadMessage(queries),
                {{"content-type", "application/x-protobuf"}});
  }

  std::vector<std::string> Lines(const std::vector<PromMatcher>& matchers,
                                 int64_t start_ms = kMs,
                                 int64_t end_ms = kMs + 3'600'000) {
    const HttpResponse response =
        Read({{.start_ms = start_ms, .end_ms = end_ms, .matchers = matchers}});
    EXPECT_EQ(response.status, 200) << response.body;
    const auto results = PromReadResults(FromSnappy(response.body));
    EXPECT_EQ(results.size(), 1U);
    return results.empty() ? std::vector<std::string>() : results[0];
  }

  void WriteHosts() {
    Write({{.labels = {{"__name__", "up"}, {"host", "a"}, {"dc", "x"}}, .samples = {{1, kMs}}},
           {.labels = {{"__name__", "up"}, {"host", "b"}}, .samples = {{2, kMs}}},
           {.labels = {{"__name__", "load"}, {"host", "a"}}, .samples = {{3, kMs}}}});
  }
};

TEST_F(PromReadHandlerTest, AnswersTheSamplesOfARange) {
  Write({{.labels = {{"__name__", "m"}, {"z", "1"}, {"a", "2"}},
          .samples = {{1, kMs}, {2.5, kMs + 1}, {3, kMs + 2000}}}});

  const HttpResponse response = Read(
      {{.start_ms = kMs + 1, .end_ms = kMs + 2000, .matchers = {{Type::kEqual, "__name__", "m"}}}});
  EXPECT_EQ(response.content_type, "application/x-protobuf");
  EXPECT_EQ(Header(response, "Content-Encoding"), "snappy");
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "m"}}, kMs + 1, kMs + 2000),
              ElementsAre(fmt::format("m{{a=2,z=1}} 2.5@{} 3@{}", kMs + 1, kMs + 2000)));
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "m"}}, kMs, kMs),
              ElementsAre(fmt::format("m{{a=2,z=1}} 1@{}", kMs)));
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "m"}}, kMs + 5000), IsEmpty());
}

// Compiling is work of the query: listed, cancelled and timed as the rest.
TEST_F(PromReadHandlerTest, RegularExpressionsAreCompiledWithinTheTimeOfTheQuery) {
  deadline_ms_ = clock_.MonotonicMs() - 1;
  const HttpResponse late =
      Read({{.start_ms = kMs,
             .end_ms = kMs,
             .matchers = {{Type::kEqual, "__name__", "m"}, {Type::kRegexp, "host", "("}}}});
  EXPECT_EQ(late.status, 413) << "the expression was not looked at: " << late.body;
  EXPECT_THAT(Send("GET /api/stats/query").body, HasSubstr(R"("type":"REMOTE_READ")"));
}

TEST_F(PromReadHandlerTest, RegularExpressionsAreBoundedInNumber) {
  const std::vector<PromMatcher> half(kPromRegexpsMax / 2, {Type::kRegexp, "host", "a.*"});
  std::vector<PromMatcher> more = half;
  more.push_back({Type::kNotRegexp, "host", "b.*"});
  EXPECT_EQ(Read({{.start_ms = kMs, .end_ms = kMs, .matchers = half},
                  {.start_ms = kMs, .end_ms = kMs, .matchers = half}})
                .status,
            200);

  const HttpResponse refused = Read({{.start_ms = kMs, .end_ms = kMs, .matchers = half},
                                     {.start_ms = kMs, .end_ms = kMs, .matchers = more}});

  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("expected at most 64 regular expressions, got 65"));
}

TEST_F(PromReadHandlerTest, TakesAnyTimes) {
  WriteHosts();
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "load"}}, INT64_MIN, INT64_MAX),
              ElementsAre(fmt::format("load{{host=a}} 3@{}", kMs)));
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "load"}}, kMs, kMs - 1), IsEmpty());
}

TEST_F(PromReadHandlerTest, MatchesEachWay) {
  WriteHosts();
  const std::string a = fmt::format("up{{dc=x,host=a}} 1@{}", kMs);
  const std::string b = fmt::format("up{{host=b}} 2@{}", kMs);
  const PromMatcher up = {Type::kEqual, "__name__", "up"};
  EXPECT_THAT(Lines({up}), UnorderedElementsAre(a, b));
  EXPECT_THAT(Lines({up, {Type::kEqual, "host", "a"}}), ElementsAre(a));
  EXPECT_THAT(Lines({up, {Type::kNotEqual, "host", "a"}}), ElementsAre(b));
  EXPECT_THAT(Lines({up, {Type::kRegexp, "host", "a|c"}}), ElementsAre(a));
  EXPECT_THAT(Lines({up, {Type::kNotRegexp, "host", "a|c"}}), ElementsAre(b));
  EXPECT_THAT(Lines({up, {Type::kEqual, "dc", ""}}), ElementsAre(b));
  EXPECT_THAT(Lines({up, {Type::kNotEqual, "dc", ""}}), ElementsAre(a));
  EXPECT_THAT(Lines({up, {Type::kNotEqual, "dc", "x"}}), ElementsAre(b));
  EXPECT_THAT(Lines({up, {Type::kRegexp, "dc", "y|"}}), ElementsAre(b));
  EXPECT_THAT(Lines({up, {Type::kRegexp, "dc", ".+"}, {Type::kNotEqual, "host", "b"}}),
              ElementsAre(a));
}

TEST_F(PromReadHandlerTest, NamesThatNobodyKnowsHaveNoSeries) {
  WriteHosts();
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "nosuch"}}), IsEmpty());
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "up"}, {Type::kEqual, "nosuch", "a"}}), IsEmpty());
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "up"}, {Type::kEqual, "host", "nosuch"}}),
              IsEmpty());
}

TEST_F(PromReadHandlerTest, WithoutANameEachMetricIsAsked) {
  WriteHosts();
  EXPECT_THAT(Lines({{Type::kRegexp, "__name__", "up|load"}, {Type::kEqual, "host", "a"}}),
              UnorderedElementsAre(fmt::format("load{{host=a}} 3@{}", kMs),
                                   fmt::format("up{{dc=x,host=a}} 1@{}", kMs)));
  EXPECT_THAT(Lines({{Type::kEqual, "dc", "x"}}),
              ElementsAre(fmt::format("up{{dc=x,host=a}} 1@{}", kMs)));
}

TEST_F(PromReadHandlerTest, TooManyMetricsAreRefused) {
  for (size_t i = 0; i <= kPromMetricsMax; ++i)
    ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, fmt::format("m{}", i)));
  const HttpResponse response = Read({{.start_ms = 0, .end_ms = kMs}});
  EXPECT_EQ(response.status, 413) << response.body;
  EXPECT_THAT(response.body, HasSubstr("fit more than 1000 metrics; name one by __name__"));
}

TEST_F(PromReadHandlerTest, AnswersEachQuery) {
  WriteHosts();
  const HttpResponse response =
      Read({{.start_ms = 0, .end_ms = kMs, .matchers = {{Type::kEqual, "__name__", "nosuch"}}},
            {.start_ms = 0, .end_ms = kMs, .matchers = {{Type::kEqual, "__name__", "load"}}}});
  EXPECT_THAT(PromReadResults(FromSnappy(response.body)),
              ElementsAre(IsEmpty(), ElementsAre(fmt::format("load{{host=a}} 3@{}", kMs))));
  EXPECT_EQ(FromSnappy(Read({}).body), "");
}

TEST_F(PromReadHandlerTest, IntegersOfOtherClientsAreSamples) {
  Put({"i", "host=a", kStartS, 42});
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "i"}}),
              ElementsAre(fmt::format("i{{host=a}} 42@{}", kMs)));
}

TEST_F(PromReadHandlerTest, LabelsComeBackAsTheyWereWritten) {
  options().layout.names = NameEncoding::kAny;
  Write({{.labels = {{"__name__", "up"}, {"instance", "web01:9100"}, {"path", "a b=\"{c}|\\"}},
          .samples = {{1, kMs}}},
         {.labels = {{"__name__", "up"}, {"instance", "\u5317\u4eac"}}, .samples = {{2, kMs}}},
         {.labels = {{"__name__", "job:up"}}, .samples = {{3, kMs}}}});
  const std::string web = fmt::format("up{{instance=web01:9100,path=a b=\"{{c}}|\\}} 1@{}", kMs);
  const std::string city = fmt::format("up{{instance=\u5317\u4eac}} 2@{}", kMs);
  const PromMatcher up = {Type::kEqual, "__name__", "up"};

  EXPECT_THAT(Lines({up}), UnorderedElementsAre(web, city));
  EXPECT_THAT(Lines({up, {Type::kEqual, "instance", "web01:9100"}}), ElementsAre(web));
  EXPECT_THAT(Lines({up, {Type::kEqual, "path", "a b=\"{c}|\\"}}), ElementsAre(web));
  EXPECT_THAT(Lines({up, {Type::kRegexp, "instance", "web01:9100|web02:9100"}}), ElementsAre(web));
  EXPECT_THAT(Lines({up, {Type::kNotRegexp, "instance", "web01:9100|web02:9100"}}),
              ElementsAre(city));
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "job:up"}}),
              ElementsAre(fmt::format("job:up{{}} 3@{}", kMs)));
}

TEST_F(PromReadHandlerTest, TheDefaultTagIsNotGivenBack) {
  Write({{.labels = {{"__name__", "bare"}}, .samples = {{1, kMs}}}});
  const PromMatcher bare = {Type::kEqual, "__name__", "bare"};
  const std::string line = fmt::format("bare{{}} 1@{}", kMs);

  EXPECT_THAT(Lines({bare}), ElementsAre(line));
  EXPECT_THAT(Lines({bare, {Type::kEqual, "host", ""}}), ElementsAre(line));
  EXPECT_THAT(Lines({bare, {Type::kNotEqual, "host", "a"}}), ElementsAre(line));
  EXPECT_THAT(Lines({bare, {Type::kEqual, "host", "unknown"}}), IsEmpty());
  Put({"bucket", "host=unknown le=1", kStartS, 2});
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "bucket"}}),
              ElementsAre(fmt::format("bucket{{le=1}} 2@{}", kMs)));
}

TEST_F(PromReadHandlerTest, BoundsOfAnOldStoreAreNumbersAgain) {
  Write({{.labels = {{"__name__", "b"}, {"le", "+Inf"}}, .samples = {{1, kMs}}},
         {.labels = {{"__name__", "b"}, {"le", "1e+06"}}, .samples = {{2, kMs}}}});
  const std::string infinite = fmt::format("b{{le=+Inf}} 1@{}", kMs);
  const std::string million = fmt::format("b{{le=1e+06}} 2@{}", kMs);
  const PromMatcher b = {Type::kEqual, "__name__", "b"};

  EXPECT_THAT(Lines({b}), UnorderedElementsAre(infinite, million));
  EXPECT_THAT(Lines({b, {Type::kEqual, "le", "+Inf"}}), ElementsAre(infinite));
  EXPECT_THAT(Lines({b, {Type::kRegexp, "le", "1e\\+0[67]"}}), ElementsAre(million));
  EXPECT_THAT(Lines({b, {Type::kNotEqual, "le", "+Inf"}}), ElementsAre(million));
}

TEST_F(PromReadHandlerTest, RegularExpressionsFindWhatAnOldStoreHasChanged) {
  Write({{.labels = {{"__name__", "up"}, {"instance", "web01:9100"}}, .samples = {{1, kMs}}},
         {.labels = {{"__name__", "up"}, {"instance", "web03:9100"}}, .samples = {{2, kMs}}}});
  const PromMatcher up = {Type::kEqual, "__name__", "up"};

  EXPECT_THAT(Lines({up, {Type::kRegexp, "instance", "web01:9100|web02:9100"}}),
              ElementsAre(fmt::format("up{{instance=web01_9100}} 1@{}", kMs)));
  EXPECT_THAT(Lines({up, {Type::kNotRegexp, "instance", "web01:9100|web02:9100"}}),
              ElementsAre(fmt::format("up{{instance=web03_9100}} 2@{}", kMs)));
}

TEST_F(PromReadHandlerTest, NamesAreThoseThatOldPrometheusTakes) {
  Put({"cpu.user", "service.name=shop k8s-app=a", kStartS, 1});
  Put({"cpu.user", "service_name=shop", kStartS, 2});
  Put({"cpu_user", "0x=y", kStartS, 3});
  const std::string dots = fmt::format("cpu_user{{k8s_app=a,service_name=shop}} 1@{}", kMs);
  const std::string line = fmt::format("cpu_user{{service_name=shop}} 2@{}", kMs);
  const std::string digit = fmt::format("cpu_user{{_0x=y}} 3@{}", kMs);

  for (const std::string name : {"cpu_user", "cpu.user"}) {
    const PromMatcher metric = {Type::kEqual, "__name__", name};
    EXPECT_THAT(Lines({metric, {Type::kNotEqual, "service_name", ""}}),
                UnorderedElementsAre(dots, line))
        << name;
    EXPECT_THAT(Lines({metric, {Type::kEqual, "service_name", "shop"}}),
                UnorderedElementsAre(dots, line))
        << name;
  }
  const PromMatcher metric = {Type::kEqual, "__name__", "cpu_user"};
  EXPECT_THAT(Lines({metric}), UnorderedElementsAre(dots, line, digit));
  EXPECT_THAT(Lines({metric, {Type::kEqual, "service_name", ""}}), ElementsAre(digit));
  EXPECT_THAT(Lines({metric, {Type::kEqual, "_0x", "y"}}), ElementsAre(digit));
  EXPECT_THAT(Lines({{Type::kRegexp, "__name__", "cpu_us.*"}}),
              UnorderedElementsAre(dots, line, digit));
}

TEST_F(PromReadHandlerTest, ASettingAnswersWithStoredNames) {
  ASSERT_OK(config().Set("tsd.prometheus.names", "utf8"));
  Put({"cpu.user", "service.name=shop", kStartS, 1});

  EXPECT_THAT(
      Lines({{Type::kEqual, "__name__", "cpu.user"}, {Type::kEqual, "service.name", "shop"}}),
      ElementsAre(fmt::format("cpu.user{{service.name=shop}} 1@{}", kMs)));
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "cpu_user"}}), IsEmpty());
}

TEST_F(PromReadHandlerTest, SeriesOfEqualLabelsAreOne) {
  Put({"a.b", "x=1", kStartS, 1});
  Put({"a.b", "x=1", kStartS + 10, 2});
  Put({"a_b", "x=1", kStartS + 10, 3});
  Put({"a_b", "x=1", kStartS + 20, 4});
  Put({"t", "k.1=v k_1=w", kStartS, 5});

  EXPECT_THAT(
      Lines({{Type::kEqual, "__name__", "a_b"}}),
      ElementsAre(fmt::format("a_b{{x=1}} 1@{} 2@{} 4@{}", kMs, kMs + 10'000, kMs + 20'000)));
  const std::string joined = fmt::format("t{{k_1=v;w}} 5@{}", kMs);
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "t"}}), ElementsAre(joined));
  for (const std::string value : {"w", "v;w"}) {
    EXPECT_THAT(Lines({{Type::kEqual, "__name__", "t"}, {Type::kRegexp, "k_1", value + "|no"}}),
                ElementsAre(joined))
        << value;
    EXPECT_THAT(Lines({{Type::kEqual, "__name__", "t"}, {Type::kEqual, "k_1", value}}),
                ElementsAre(joined))
        << value;
  }
}

TEST_F(PromReadHandlerTest, StaleMarkersEndASeries) {
  const double stale = Value::StaleMarker().floating();
  Write({{.labels = {{"__name__", "m"}, {"a", "b"}},
          .samples = {{1, kMs}, {stale, kMs + 1000}, {3, kMs + 2000}}}});
  const std::string line = fmt::format("m{{a=b}} 1@{} nan@{} 3@{}", kMs, kMs + 1000, kMs + 2000);

  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "m"}}), ElementsAre(line));
  ASSERT_OK(tsdb().maintenance().Flush());
  EXPECT_THAT(Lines({{Type::kEqual, "__name__", "m"}}), ElementsAre(line));
  const HttpResponse response = Read(
      {{.start_ms = kMs, .end_ms = kMs + 2000, .matchers = {{Type::kEqual, "__name__", "m"}}}});
  // Bit for bit, as a binary64 of a message.
  EXPECT_THAT(FromSnappy(response.body),
              HasSubstr(std::string("\x09\x02\x00\x00\x00\x00\x00\xf0\x7f", 9)));
}

TEST_F(PromReadHandlerTest, AVirtualMetricHasItsCalculatedPoints) {
  const double stale = Value::StaleMarker().floating();
  const auto write = [this, stale](const char* metric, const char* host, double value) {
    Write({{.labels = {{"__name__", metric}, {"host", host}, {"job", "node"}},
            .samples = {{value, kMs}, {value + 0.5, kMs + 1500}, {stale, kMs + 3000}}}});
  };
  write("user", "a", 10);
  write("user", "b", 20);
  write("system", "a", 3);
  write("system", "b", 4);
  Write({{.labels = {{"__name__", "system"}, {"host", "c"}, {"job", "node"}},
          .samples = {{9, kMs}}}});
  ASSERT_EQ(Send("POST /api/admin/metrics",
                 R"({"metric":"busy","expression":"sum:user{host=*} + 2 * sum:system{host=*}"})")
                .status,
            200);
  const std::string a = fmt::format("busy{{host=a,job=node}} 16@{} 17.5@{}", kMs, kMs + 1500);
  const std::string b = fmt::format("busy{{host=b,job=node}} 28@{} 29.5@{}", kMs, kMs + 1500);

  const PromMatcher busy = {Type::kEqual, "__name__", "busy"};
  EXPECT_THAT(Lines({busy}), UnorderedElementsAre(a, b)) << "c has no user";
  EXPECT_THAT(Lines({busy, {Type::kRegexp, "host", "b|c"}}), ElementsAre(b));
  EXPECT_THAT(Lines({busy, {Type::kNotEqual, "host", "a"}, {Type::kEqual, "job", "node"}}),
              ElementsAre(b));
  EXPECT_THAT(Lines({busy, {Type::kEqual, "job", "nosuch"}}), IsEmpty());
  EXPECT_THAT(Lines({{Type::kRegexp, "__name__", "bus.*"}, {Type::kEqual, "host", "a"}}),
              ElementsAre(a));
  EXPECT_THAT(Lines({busy, {Type::kEqual, "host", "a"}}, kMs + 1000, kMs + 2000),
              ElementsAre(fmt::format("busy{{host=a,job=node}} 17.5@{}", kMs + 1500)));
}

TEST_F(PromReadHandlerTest, SpecialValuesAreSamples) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Write({{.labels = {{"__name__", "m"}, {"a", "b"}},
          .samples = {{std::nan(""), kMs}, {kInfinity, kMs + 1000}, {-kInfinity, kMs + 2000}}}});

  EXPECT_THAT(
      Lines({{Type::kEqual, "__name__", "m"}}),
      ElementsAre(fmt::format("m{{a=b}} nan@{} inf@{} -inf@{}", kMs, kMs + 1000, kMs + 2000)));
}

TEST_F(PromReadHandlerTest, SaysWhatIsWrong) {
  const HttpResponse broken = Send("POST /api/v1/read", "x", {});
  EXPECT_EQ(broken.status, 400);
  EXPECT_THAT(broken.body, HasSubstr("expected a whole protobuf message"));
  const HttpResponse regexp = Read({{.matchers = {{Type::kRegexp, "a", "("}}}});
  EXPECT_EQ(regexp.status, 400);
  EXPECT_THAT(regexp.body, HasSubstr("expected a regular expression"));
}

TEST_F(PromReadHandlerTest, NeedsTheRightToRead) {
  rights_ = AccessRights::Write();
  EXPECT_EQ(Read({}).status, 403);
  rights_ = AccessRights::Read();
  EXPECT_EQ(Read({}).status, 200);
}

}  // namespace
}  // namespace hourcell::prom_read_handler_test
