#include "server/cli/data/scan/row_source.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/cli/data/scan/export.h"
#include "server/cli/data/scan/scan.h"
#include "server/cli/names/search.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/server/running_server.h"

namespace hourcell::row_source_test {
namespace {

using testing::HasSubstr;

constexpr std::string_view kCsvFields = "time,metric,value,tag:host,tag:dc";

// What a command printed, and how it ended.
struct Printed {
  int exit_code = 0;
  std::string out;
};

class RowSourceTest : public RunningServerTest {
 protected:
  void Put(const char* metric, const char* tags, Timestamp time, Value value) {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint(metric, tags, time, value).view()));
  }

  void PutHistogram(const char* metric, Timestamp time) {
    const ExponentialHistogram histogram{.scale = 3, .count = 5, .positive = {{-2, 5}}};
    OwnedPoint point(metric, "host=a", time, Value::Integer(0));
    const HistogramPoint one{.point = point.view(), .exponential = &histogram};
    ASSERT_OK(tsdb_->points().AppendHistograms({&one, 1}, nullptr));
  }

  // A sealed hour, one that is open, and one that is both.
  void PutSome() {
    for (const char* tags : {"host=a", "host=b dc=x", "host=\u00e4"}) {
      Put("cpu", tags, {.ms = kStartS * 1000}, Value::Integer(1));
      Put("cpu", tags, {.ms = (kStartS + 1) * 1000}, Value::Float(2.5));
      Put("cpu", tags, {.ms = kStartS * 1000 + 1500, .is_ms = true}, Value::Float(0.1));
      Put("mem", tags, {.ms = (kStartS + 3600) * 1000}, Value::Integer(-5'000'000'000));
    }
    ASSERT_OK(tsdb_->maintenance().Seal());
    Put("cpu", "host=a", {.ms = (kStartS + 2) * 1000}, Value::Integer(3));
    Put("mem", "host=a", {.ms = (kStartS + 7200) * 1000}, Value::Float(1e300));
    PutHistogram("cpu", {.ms = (kStartS + 1) * 1000});
    PutHistogram("latency", {.ms = kStartS * 1000 + 1, .is_ms = true});
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }
  StoreOptions store() const { return {.data = dir_.file("store")}; }

  template <typename Options>
  static Printed Run(int (*run)(const Options&, Terminal&), const Options& options) {
    CapturedTerminal terminal;
    const int exit_code = run(options, terminal.get());
    return {exit_code, terminal.out()};
  }

  // Runs each of the commands on the server, then on its directory. REQUIRES: Start.
  template <typename Options>
  void ExpectTheSame(int (*run)(const Options&, Terminal&), const std::vector<Options>& commands) {
    std::vector<Printed> of_server;
    for (Options options : commands) {
      options.url = url();
      of_server.push_back(Run(run, options));
    }
    server_.reset();
    ASSERT_OK(tsdb_->Close());
    tsdb_.reset();
    for (size_t i = 0; i < commands.size(); ++i) {
      SCOPED_TRACE(i);
      Options options = commands[i];
      options.store = store();
      const Printed of_store = Run(run, options);
      EXPECT_EQ(of_server[i].exit_code, of_store.exit_code);
      EXPECT_EQ(of_server[i].out, of_store.out);
      EXPECT_FALSE(of_store.out.empty() && of_store.exit_code == kExitOk);
    }
  }
};

TEST_F(RowSourceTest, ScanPrintsTheSameBytesOfAServerAndOfItsDirectory) {
  PutSome();
  Start();
  std::vector<ScanOptions> commands;
  for (const ScanFormat format : {ScanFormat::kRaw, ScanFormat::kImport, ScanFormat::kHex}) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{},
                                               {"1356998400", "cpu"},
                                               {"1356998400", "1356998401", "cpu", "host=a|b"},
                                               {"1357005600", "mem", "host=*", "dc=not_key()"},
                                               {"0", "disk"}}) {
      commands.push_back({.format = format, .words = words});
    }
  }

  ExpectTheSame(&RunScan, commands);
}

TEST_F(RowSourceTest, ExportPrintsTheSameBytesOfAServerAndOfItsDirectory) {
  PutSome();
  Start();

  ExpectTheSame(&RunExport, {{},
                             {.words = {"1356998401", "1356998402", "cpu"}},
                             {.format = ExportFormat::kVm},
                             {.format = ExportFormat::kCsv, .csv_columns = std::string(kCsvFields)},
                             {.format = ExportFormat::kCsv, .csv_columns = "time,metric,value"}});
}

TEST_F(RowSourceTest, SearchPrintsTheSameBytesOfAServerAndOfItsDirectory) {
  PutSome();
  Start();

  ExpectTheSame(&RunSearch, {{.words = {"lookup", "cpu"}},
                             {.words = {"lookup", "*", "host=a", "host=b"}},
                             {.json = true, .words = {"lookup", "dc=x"}},
                             {.words = {"lookup", "disk"}}});
}

TEST_F(RowSourceTest, AReaderThatHasEnoughEndsTheScanOfAServer) {
  PutSome();
  Start();
  const absl::StatusOr<VisitRows> rows = OpenRows({}, {.url = url()});
  ASSERT_OK(rows);
  int visited = 0;

  EXPECT_OK((*rows)([&visited](const ScannedRow&) { return ++visited < 2; }));

  EXPECT_EQ(visited, 2);
}

TEST(RowSourceOfAServerTest, AnAnswerThatIsNoneOrHasNoEndFails) {
  const auto ask = [](const std::string& body, int status = 200) {
    const ScriptedServer server({{.bytes = HttpReplyText(status, body), .close = true}});
    const absl::StatusOr<VisitRows> rows = OpenRows({}, {.url = server.url()});
    EXPECT_OK(rows);
    return (*rows)([](const ScannedRow&) { return true; });
  };
  constexpr std::string_view kRow =
      R"({"key":"00","metric":"m","tags":{},"base":0,"qualifiers":"0000","values":"01"})";

  EXPECT_OK(ask(std::string(kRow) + "\n{\"lines\":1}\n"));
  EXPECT_THAT(ask(std::string(kRow) + "\n"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("incomplete")));
  EXPECT_THAT(ask(std::string(kRow) + "\n{\"error\":\"timed out\"}\n"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("timed out")));
  EXPECT_THAT(ask("hello\n"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("hello")));
  EXPECT_THAT(ask("{\"key\":\"00\"}\n"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(ask(R"({"error":{"code":403,"message":"no"}})", 403),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("403 no")));
}

}  // namespace
}  // namespace hourcell::row_source_test
