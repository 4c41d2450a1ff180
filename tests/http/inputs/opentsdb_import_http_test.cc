// `hourcell import --opentsdb` from one server into a store, killed on its way.

#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::opentsdb_import_http_test {
namespace {

using testing::HasSubstr;

constexpr int kMetrics = 8;
constexpr int kPointsOfMetric = 500;
constexpr int kRunsMax = 20;

// Two series a metric, one of integers, one of floats, in seconds and milliseconds.
std::string PointLines() {
  std::string lines;
  for (int metric = 0; metric < kMetrics; ++metric) {
    for (int i = 0; i < kPointsOfMetric; ++i) {
      const int64_t second = 1'356'998'400 + int64_t{i} * 97;
      lines += fmt::format(
          "put m.{} {} {} host=h{} dc=x\n", metric,
          i % 3 == 0 ? fmt::format("{}", second * 1000 + 250) : fmt::format("{}", second),
          i % 2 == 0 ? fmt::format("{}.5", i) : fmt::format("{}", i), i % 2);
    }
  }
  return lines;
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(OpenTsdbImportHttpTest, AKilledImportGoesOnWhereItWas) {
  TempDir source_dir;
  TempDir dir;
  ServerProcess server(source_dir.path());
  ASSERT_EQ(SendLines(server.port(), PointLines()), "");
  std::vector<std::string> arguments = {
      "import",     "--opentsdb",      fmt::format("http://127.0.0.1:{}", server.port()),
      "--start",    "2013/01/01",      "--end",
      "2013/01/03", "--state",         dir.file("state"),
      "--data",     dir.file("store"), "--threads",
      "1"};
  std::vector<std::string> slow = arguments;
  slow.insert(slow.end(), {"--rate", "2000"});

  // Until a run has finished a slice; one of 500 points takes a quarter of a second.
  for (int run = 0;
       run < kRunsMax && FileText(dir.file("state")).find("\nslice ") == std::string::npos; ++run)
    RunAndKill(slow, 500);
  const std::string before = FileText(dir.file("state"));
  ASSERT_THAT(before, HasSubstr("\nslice "));
  const ProgramResult result = RunProgram(arguments);

  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_TRUE(FileText(dir.file("state")).starts_with(before.substr(0, before.rfind('\n') + 1)));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("; 0 slices with")));
  EXPECT_THAT(result.out, HasSubstr(fmt::format("compared {} points of {} metrics: counts and sums "
                                                "are the same\n",
                                                kMetrics * kPointsOfMetric, kMetrics)));
  server.End(SIGTERM);
  const ProgramResult there = RunProgram({"export", "--data", source_dir.path()});
  const ProgramResult here = RunProgram({"export", "--data", dir.file("store")});
  EXPECT_EQ(there.out, here.out);
  EXPECT_EQ(std::ranges::count(here.out, '\n'), kMetrics * kPointsOfMetric);
}

}  // namespace
}  // namespace hourcell::opentsdb_import_http_test
