// The cost of a line before the store gets it: bytes of a read buffer to LinePoints, and a body of
// /api/put to points.
//
//   front_bench --benchmark_filter=Line

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/random.h"
#include "codec/limits.h"
#include "codec/point.h"
#include "codec/text/point_text.h"
#include "codec/text/put_line.h"
#include "server/put/put_json.h"
#include "server/put/put_json_fast.h"

namespace hourcell {
namespace {

constexpr size_t kPoints = 1000;
constexpr int64_t kStartS = 1704067200;

constexpr std::string_view kTagKeys[] = {
    "host",    "region",          "datacenter",         "rack", "os", "arch", "team",
    "service", "service_version", "service_environment"};

enum ValueKind : int64_t { kInteger = 0, kTwoDecimals = 1, kFullMantissa = 2 };

std::string ValueText(int64_t kind, Random* random) {
  switch (kind) {
    case kInteger:
      return fmt::format("{}", random->Below(100));
    case kTwoDecimals:
      return fmt::format("{}.{:02}", random->Below(100), random->Below(100));
    default:
      return fmt::format("{:.17g}", random->Fraction() * 100);
  }
}

// Lines as TSBS's load generator sends them: ten tags.
std::string PutLines(int64_t value_kind) {
  Random random(20260101);
  std::string lines;
  for (size_t i = 0; i < kPoints; ++i) {
    lines += fmt::format(
        "put cpu.usage_user {} {} host=host_{} region=us-west-1 datacenter=us-west-1b rack=67 "
        "os=Ubuntu16.10 arch=x64 team=NYC service=7 service_version=0 "
        "service_environment=test\n",
        kStartS + static_cast<int64_t>(i) * 10, ValueText(value_kind, &random), i % 100);
  }
  return lines;
}

// `run` consecutive points are of one host; after a hundred hosts they repeat.
std::string PutBody(int64_t value_kind, size_t run = 1) {
  Random random(20260101);
  std::string body = "[";
  for (size_t i = 0; i < kPoints; ++i) {
    body += fmt::format(R"({}{{"metric":"cpu.usage_user","timestamp":{},"value":{},"tags":{{)",
                        i == 0 ? "" : ",", kStartS + static_cast<int64_t>(i) * 10,
                        ValueText(value_kind, &random));
    for (const std::string_view key : kTagKeys) {
      body +=
          fmt::format(R"({}"{}":"{}_{}")", key == kTagKeys[0] ? "" : ",", key, key, i / run % 100);
    }
    body += "}}";
  }
  return body + "]";
}

void SetPoints(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kPoints));
}

// The floor: finding the line ends.
void BM_LineEnds(benchmark::State& state) {
  const std::string lines = PutLines(kInteger);
  for (auto _ : state) {
    size_t count = 0;
    for (size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; ++at)
      ++count;
    HOURCELL_CHECK(count == kPoints);
  }
  SetPoints(state);
}
BENCHMARK(BM_LineEnds);

void BM_ScanPutLine(benchmark::State& state) {
  const std::string lines = PutLines(state.range(0));
  std::vector<LinePoint> points(kPoints);
  for (auto _ : state) {
    std::string_view rest = lines;
    size_t count = 0;
    while (const size_t length = ScanPutLine(rest, &points[count % kPoints])) {
      rest.remove_prefix(length);
      ++count;
    }
    benchmark::DoNotOptimize(points.data());
    HOURCELL_CHECK(count == kPoints);
  }
  SetPoints(state);
}
BENCHMARK(BM_ScanPutLine)->ArgName("value")->DenseRange(kInteger, kFullMantissa);

// The path of an unusual line, and of every line of an import.
void BM_ParsePointLine(benchmark::State& state) {
  const std::string lines = PutLines(state.range(0));
  PointText parser;
  std::vector<LinePoint> points(kPoints);
  for (auto _ : state) {
    std::string_view rest = lines;
    for (LinePoint& point : points) {
      const size_t end = rest.find('\n');
      const auto error = ParsePointLine(rest.substr(4, end - 4), PointSyntax::kTelnet,
                                        PointLimits{}, &parser, &point);
      HOURCELL_CHECK(!error.has_value());
      rest.remove_prefix(end + 1);
    }
    benchmark::DoNotOptimize(points.data());
  }
  SetPoints(state);
}
BENCHMARK(BM_ParsePointLine)->ArgName("value")->DenseRange(kInteger, kFullMantissa);

// Splits the whole line; ParsePointLine avoids this.
void BM_PointText(benchmark::State& state) {
  const std::string lines = PutLines(state.range(0));
  PointText parser;
  for (auto _ : state) {
    std::string_view rest = lines;
    for (size_t i = 0; i < kPoints; ++i) {
      const size_t end = rest.find('\n');
      HOURCELL_CHECK(!parser.Parse(rest.substr(4, end - 4), PointSyntax::kTelnet, PointLimits{}));
      rest.remove_prefix(end + 1);
    }
  }
  SetPoints(state);
}
BENCHMARK(BM_PointText)->ArgName("value")->DenseRange(kInteger, kFullMantissa);

void BM_PutJson(benchmark::State& state) {
  const std::string body = PutBody(state.range(0));
  PutJson json;
  for (auto _ : state) {
    HOURCELL_CHECK(!json.Parse(body, PutRules{}).has_value());
    HOURCELL_CHECK(json.points().size() == kPoints);
  }
  SetPoints(state);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(body.size()));
}
BENCHMARK(BM_PutJson)->ArgName("value")->DenseRange(kInteger, kFullMantissa);

// The path of a usual body. `run`: consecutive points of one host.
void BM_PutJsonFast(benchmark::State& state) {
  const std::string body = PutBody(state.range(0), static_cast<size_t>(state.range(1)));
  PutJsonFast scan;
  for (auto _ : state) {
    HOURCELL_CHECK(scan.Scan(body, kTagsMaxDefault));
    HOURCELL_CHECK(scan.points().size() == kPoints);
  }
  SetPoints(state);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(body.size()));
}
BENCHMARK(BM_PutJsonFast)
    ->ArgNames({"value", "run"})
    ->ArgsProduct({{kInteger, kTwoDecimals, kFullMantissa}, {1, 10}});

}  // namespace
}  // namespace hourcell

BENCHMARK_MAIN();
