#include "server/cli/data/query/translate.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/support/temp_dir.h"

namespace hourcell::translate_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(TranslateTest, PrintsTheExpressionItsStepAndItsConditions) {
  CapturedTerminal terminal;

  EXPECT_EQ(TranslateMain({"sum:1m-avg:cpu{host=*}", "zimsum:10s-max:cpu"}, terminal.get()),
            kExitOk);

  EXPECT_EQ(terminal.out(),
            "sum by (host) (avg_over_time(cpu{host!=\"\"}[59s999ms] offset -59s999ms))\n"
            "# step: 1m, from a multiple of it\n"
            "# if: each series has a point in each 1m between its first and its last point\n"
            "sum(max_over_time(cpu[9s999ms] offset -9s999ms))\n"
            "# step: 10s, from a multiple of it\n");
  EXPECT_THAT(terminal.err(), IsEmpty());
}

TEST(TranslateTest, ARefusalLeavesTheOthers) {
  CapturedTerminal terminal;

  EXPECT_EQ(RunTranslate({.queries = {"sum:0all-avg:cpu", "cpu", "none:cpu"}}, terminal.get()),
            kExitFailure);

  EXPECT_THAT(terminal.out(), HasSubstr("cpu\n# if: each step is a time"));
  EXPECT_THAT(
      terminal.err(),
      HasSubstr("hourcell translate: \"sum:0all-avg:cpu\": PromQL cannot express 0all-avg, "));
  EXPECT_THAT(terminal.err(), HasSubstr("hourcell translate: \"cpu\": Invalid parameter m=cpu"));
}

TEST(TranslateTest, TranslatesToM) {
  CapturedTerminal terminal;

  EXPECT_EQ(TranslateMain({"--to", "m", "sum by (a) (m{a='b'})"}, terminal.get()), kExitOk);

  EXPECT_EQ(terminal.out(),
            "zimsum:m{a=b}\n# if: each step is a time at which every series has a point\n");
  EXPECT_EQ(TranslateMain({"--to", "flux", "m"}, terminal.get()), kExitUsage);
  EXPECT_THAT(terminal.err(), HasSubstr("--to: expected promql or m, got \"flux\""));
}

TEST(TranslateTest, ReadsLines) {
  CapturedTerminal terminal;
  const TempDir dir;
  WriteFile(dir.file("queries"), "# of a dashboard\n\nnone:10s-last:a\r\nsum:1m-p99:b\n");

  EXPECT_EQ(RunTranslate({.json = true, .input = dir.file("queries")}, terminal.get()),
            kExitFailure);

  const std::string first =
      "{\"query\":\"none:10s-last:a\",\"translation\":\"last_over_time(a[9s999ms] offset "
      "-9s999ms)\",\"stepMs\":10000,\"conditions\":[]}\n";
  const std::string second =
      "{\"query\":\"sum:1m-p99:b\",\"error\":\"PromQL cannot express p99 of a bucket, because no "
      "function of a range gives the same number; expected avg, sum, min, max, count, last, dev or "
      "median\"}\n";
  EXPECT_EQ(terminal.out(), first + second);
  EXPECT_THAT(terminal.err(), IsEmpty());
}

TEST(TranslateTest, AFileThatCannotBeReadIsAnError) {
  CapturedTerminal terminal;

  EXPECT_EQ(RunTranslate({.input = "/nosuch/file"}, terminal.get()), kExitFailure);

  EXPECT_THAT(terminal.err(), HasSubstr("hourcell translate: "));
  EXPECT_THAT(terminal.err(), HasSubstr("/nosuch/file"));
}

constexpr std::string_view kDashboard =
    R"json({"panels":[{"title":"CPU","datasource":{"type":"opentsdb"},"targets":[
{"refId":"A","metric":"cpu","aggregator":"zimsum","downsampleInterval":"1m"},
{"refId":"B","metric":"cpu","aggregator":"sum","downsampleInterval":"1m"}]}]}
)json";

TEST(TranslateTest, PrintsADashboardAndListsItsQueries) {
  CapturedTerminal terminal;
  const TempDir dir;
  WriteFile(dir.file("dashboard"), std::string(kDashboard));

  EXPECT_EQ(TranslateMain({"--dashboard", dir.file("dashboard"), "--data-source", "prom"},
                          terminal.get()),
            kExitOk);

  EXPECT_THAT(terminal.out(), StartsWith("{\"panels\":[{\"title\":\"CPU\",\"datasource\":{\"type\":"
                                         "\"prometheus\",\"uid\":\"prom\"},"));
  EXPECT_THAT(terminal.out(),
              HasSubstr("\"expr\":\"sum(avg_over_time(cpu[59s999ms] offset -59s999ms))\""));
  EXPECT_THAT(terminal.out(), EndsWith("]}]}\n"));
  EXPECT_EQ(terminal.err(),
            "panel \"CPU\" A: translated\n"
            "panel \"CPU\" B: translated, if each series has a point in each 1m between its first "
            "and its last point\n");
}

TEST(TranslateTest, AQueryOfADashboardWithoutATranslationIsAnError) {
  CapturedTerminal terminal;
  const TempDir dir;
  WriteFile(dir.file("dashboard"),
            R"json({"panels":[{"title":"CPU","targets":[
{"refId":"A","metric":"cpu","aggregator":"first","downsampleInterval":"1m"}]}],
"templating":{"list":[{"name":"host","query":"tag_values(cpu, host)"}]},
"annotations":{"list":[{"name":"notes","datasource":{"type":"opentsdb"}}]}}
)json");

  EXPECT_EQ(RunTranslate({.json = true, .dashboard = dir.file("dashboard")}, terminal.get()),
            kExitFailure);

  EXPECT_THAT(terminal.out(), HasSubstr("\"aggregator\":\"first\""));
  EXPECT_THAT(
      terminal.err(),
      StartsWith("{\"variable\":\"host\",\"translation\":\"label_values(cpu{}, host)\","
                 "\"conditions\":[]}\n"
                 "{\"annotation\":\"notes\",\"error\":\"PromQL cannot express annotations"));
  EXPECT_THAT(
      terminal.err(),
      HasSubstr("{\"panel\":\"CPU\",\"refId\":\"A\",\"error\":\"PromQL cannot express first "));
}

TEST(TranslateTest, ADashboardStandsAlone) {
  CapturedTerminal terminal;
  EXPECT_EQ(TranslateMain({"--dashboard", "-", "sum:cpu"}, terminal.get()), kExitUsage);
  EXPECT_EQ(TranslateMain({"--dashboard", "-", "--to", "m"}, terminal.get()), kExitUsage);
  EXPECT_EQ(TranslateMain({"--data-source", "a", "sum:cpu"}, terminal.get()), kExitUsage);
  EXPECT_THAT(terminal.err(),
              HasSubstr("--dashboard: expected no QUERY and --to promql, got another"));
  EXPECT_THAT(terminal.err(),
              HasSubstr("--data-source: expected with --dashboard, got no dashboard"));
}

TEST(TranslateTest, AnotherTextThanADashboardIsAnError) {
  CapturedTerminal terminal;
  const TempDir dir;
  WriteFile(dir.file("queries"), "sum:cpu\n");
  WriteFile(dir.file("long"), std::string(5 << 20, ' '));

  EXPECT_EQ(RunTranslate({.dashboard = dir.file("queries")}, terminal.get()), kExitFailure);
  EXPECT_EQ(RunTranslate({.dashboard = dir.file("long")}, terminal.get()), kExitFailure);
  EXPECT_EQ(RunTranslate({.dashboard = "/nosuch/file"}, terminal.get()), kExitFailure);

  EXPECT_THAT(terminal.out(), IsEmpty());
  EXPECT_THAT(terminal.err(), HasSubstr("dashboard: not JSON; expected an object in UTF-8"));
  EXPECT_THAT(terminal.err(), HasSubstr("too long; expected a dashboard of at most 4194304 bytes"));
  EXPECT_THAT(terminal.err(), HasSubstr("/nosuch/file"));
}

}  // namespace
}  // namespace hourcell::translate_test
