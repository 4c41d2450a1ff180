#include "server/cli/data/import/import.h"

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "server/cli/data/scan/scan.h"
#include "server/cli/names/uid.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/server/rollups/rollup_test_rules.h"
#include "tests/support/temp_dir.h"
#include "tests/support/vectors.h"

namespace hourcell::import_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

// A store of one test, and what the tools say about it.
class ImportTest : public testing::Test {
 protected:
  StoreOptions store() const { return {.data = dir_.file("store")}; }
  std::string file(const std::string& name) const { return dir_.file(name); }

  int Import(const std::string& text, ImportOptions options = {}) {
    WriteFile(file("in"), text);
    options.store.data = store().data;
    options.paths = {file("in")};
    return RunImport(options, terminal_.get());
  }
  std::string ScanText(ScanFormat format) const {
    CapturedTerminal terminal;
    EXPECT_EQ(RunScan({.store = store(), .format = format}, terminal.get()), kExitOk)
        << terminal.err();
    return terminal.out();
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(ImportTest, StoresEveryLineAndSaysSo) {
  EXPECT_EQ(Import("cpu 1356998401 2.5 host=a\ncpu 1356998400 1 host=a\n"), kExitOk);

  EXPECT_THAT(terminal_.out(), HasSubstr("imported 2 points of 2 lines from 1 file in 0.0 s"));
  EXPECT_THAT(terminal_.out(), EndsWith("; 0 bad lines\n"));
  EXPECT_EQ(terminal_.err(), "");
  EXPECT_EQ(ScanText(ScanFormat::kImport), "cpu 1356998400 1 host=a\ncpu 1356998401 2.5 host=a\n");
}

TEST_F(ImportTest, AFileThatIsNotThereMakesNoStore) {
  for (const std::string& path : {file("nope"), dir_.path()}) {
    EXPECT_EQ(RunImport({.store = store(), .paths = {path}}, terminal_.get()), kExitFailure);
    EXPECT_THAT(terminal_.err(), HasSubstr("hourcell import: " + path));
  }
  EXPECT_FALSE(std::filesystem::exists(store().data));
}

TEST_F(ImportTest, InputWithoutAPointMakesNoStore) {
  EXPECT_EQ(Import("cpu x 1 host=a\n"), kExitFailure);
  EXPECT_EQ(Import("cpu x 1 host=a\n", {.skip_errors = true}), kExitOk);
  EXPECT_FALSE(std::filesystem::exists(store().data));

  EXPECT_EQ(Import("cpu x 1 host=a\ncpu 1356998400 1 host=a\n", {.skip_errors = true}), kExitOk);
  EXPECT_TRUE(std::filesystem::exists(store().data));
}

TEST_F(ImportTest, ASourceThatCannotBeReadMakesNeitherStoreNorState) {
  ScriptedServer server({{HttpReplyText(404, "no")}});
  ImportOptions options{.store = store(), .opentsdb_url = server.url()};
  options.opentsdb.state_file = file("state");
  options.opentsdb.patience = {.tries = 1};

  EXPECT_EQ(RunImport(options, terminal_.get()), kExitFailure);
  options.opentsdb_url = "http://no-such-host.invalid:4242";
  options.paths = {"cpu"};
  EXPECT_EQ(RunImport(options, terminal_.get()), kExitFailure);

  EXPECT_FALSE(std::filesystem::exists(store().data));
  EXPECT_FALSE(std::filesystem::exists(file("state")));
}

TEST_F(ImportTest, AStoreThatCannotBeMadeIsAnUsageErrorBeforeTheInputIsRead) {
  EXPECT_EQ(Import("", {.store = {.settings = {"tsd.storage.salt.width=9"}}}), kExitUsage);
  EXPECT_FALSE(std::filesystem::exists(store().data));
}

TEST_F(ImportTest, StopsAtTheFirstBadLineWithWhatWasBeforeItStored) {
  EXPECT_EQ(Import("cpu 1356998400 1 host=a\ncpu x 2 host=a\ncpu 1356998402 3 host=a\n"),
            kExitFailure);

  EXPECT_THAT(terminal_.err(), HasSubstr(file("in") + ":2: "));
  EXPECT_THAT(terminal_.err(), HasSubstr(": \"cpu x 2 host=a\"\n"));
  EXPECT_THAT(terminal_.err(), HasSubstr("stopped at a bad line"));
  EXPECT_THAT(terminal_.out(), HasSubstr("imported 1 point of 2 lines"));
  EXPECT_EQ(ScanText(ScanFormat::kImport), "cpu 1356998400 1 host=a\n");
}

TEST_F(ImportTest, SkipsBadLinesCountsThemByReasonAndSucceeds) {
  EXPECT_EQ(Import("cpu 1356998400 1 host=a\n"
                   "cpu x 2 host=a\n"
                   "cpu 1356998402 3 host=\n"
                   "cpu 1356998403 4 ho\x02t=a\n"
                   "cpu 1356998404 5 host=a\n",
                   {.skip_errors = true}),
            kExitOk);

  EXPECT_THAT(terminal_.out(), HasSubstr("imported 2 points of 5 lines"));
  EXPECT_THAT(terminal_.out(), EndsWith("; 3 bad lines\n"));
  EXPECT_THAT(terminal_.err(), HasSubstr("in:2: "));
  EXPECT_THAT(terminal_.err(), HasSubstr("in:3: invalid tag: host="));
  EXPECT_THAT(terminal_.err(), HasSubstr("in:4: "));
  EXPECT_THAT(terminal_.err(), HasSubstr("1 bad line: invalid_value\n"));
  EXPECT_THAT(terminal_.err(), HasSubstr("2 bad lines: illegal_argument\n"));
}

TEST_F(ImportTest, NameTheStoreRefusesStopsTheImport) {
  EXPECT_EQ(Import("cpu 1356998400 1 host=a\nc\x02u 1356998400 1 host=a\n"), kExitFailure);

  EXPECT_THAT(terminal_.err(), HasSubstr("in:2: "));
  EXPECT_THAT(terminal_.out(), HasSubstr("imported 1 point"));
}

TEST_F(ImportTest, UnknownMetricIsABadLineIfMetricsAreNotCreated) {
  ImportOptions options{.skip_errors = true};
  options.store.settings = {"tsd.core.auto_create_metrics=false"};

  EXPECT_EQ(Import("cpu 1356998400 1 host=a\n", options), kExitOk);

  EXPECT_THAT(terminal_.err(), HasSubstr("1 bad line: unknown_name\n"));
}

TEST_F(ImportTest, LineTooLongIsABadLine) {
  EXPECT_EQ(Import("cpu 1356998400 1 host=a\n" + std::string(100'000, 'x') +
                       "\ncpu 1356998401 1 host=a\n",
                   {.skip_errors = true}),
            kExitOk);

  EXPECT_THAT(terminal_.err(), HasSubstr("in:2: line longer than 65536 bytes: \"xxx"));
  EXPECT_THAT(terminal_.out(), HasSubstr("imported 2 points of 3 lines"));
}

TEST_F(ImportTest, ManySmallBatchesOfSeveralFilesInArgumentOrder) {
  std::string first;
  for (int i = 0; i < 25; ++i)
    first += "cpu " + std::to_string(1356998400 + i) + " 1 host=a\n";
  WriteGzipFile(file("first"), first);
  WriteFile(file("second"), "cpu 1356998400 2 host=a");
  ImportOptions options{
      .store = store(), .batch_points = 10, .paths = {file("first"), file("second")}};

  EXPECT_EQ(RunImport(options, terminal_.get()), kExitOk);

  EXPECT_THAT(terminal_.out(), HasSubstr("imported 26 points of 26 lines from 2 files"));
  EXPECT_THAT(ScanText(ScanFormat::kImport),
              testing::StartsWith("cpu 1356998400 2 host=a\ncpu 1356998401 1 host=a\n"));
}

// Lines of few series and instants, so that most come twice; every series in several spellings.
// What must be stored of them: for each, the last value.
std::string LinesWithDuplicates(int lines, std::map<std::string, std::string>* stored) {
  Random random(7);
  // The first line says in which order tags get their UIDs, and so are shown.
  std::string text = "m0 1356998399 0 host=h0 dc=lga\n";
  (*stored)["m0 1356998399 host=h0 dc=lga"] = "0";
  for (int i = 0; i < lines; ++i) {
    const uint64_t host = random.Below(40);
    const std::string metric = fmt::format("m{}", random.Below(3));
    const std::string time = fmt::format("{}", 1356998400 + random.Below(50));
    if (random.Below(200) == 0) {
      text += fmt::format("{} {} x host=h{}\n", metric, time, host);
      continue;
    }
    const std::string spellings[] = {fmt::format("host=h{} dc=lga", host),
                                     fmt::format("dc=lga host=h{}", host),
                                     fmt::format("host=h{}  dc=lga dc=lga", host)};
    text += fmt::format("{} {} {} {}\n", metric, time, i, spellings[random.Below(3)]);
    (*stored)[fmt::format("{} {} {}", metric, time, spellings[0])] = fmt::format("{}", i);
  }
  return text;
}

TEST_F(ImportTest, AnyNumberOfThreadsStoresTheSameAndSaysTheSame) {
  std::map<std::string, std::string> stored;
  WriteFile(file("in"), LinesWithDuplicates(20'000, &stored));
  std::string rows;
  std::string said;
  for (const size_t threads : {1U, 2U, 3U, 8U}) {
    SCOPED_TRACE(threads);
    const StoreOptions store{.data = dir_.file(fmt::format("store{}", threads))};
    CapturedTerminal terminal;
    ASSERT_EQ(RunImport({.store = store,
                         .skip_errors = true,
                         .batch_points = 150,
                         .threads = threads,
                         .paths = {file("in")}},
                        terminal.get()),
              kExitOk);
    CapturedTerminal scanned;
    ASSERT_EQ(RunScan({.store = store, .format = ScanFormat::kImport}, scanned.get()), kExitOk);
    if (threads == 1) rows = scanned.out();
    if (threads == 1) said = terminal.err();
    EXPECT_EQ(scanned.out(), rows) << "rows, in the order of UIDs";
    EXPECT_EQ(terminal.err(), said) << "bad lines, by number";
  }
  EXPECT_THAT(said, HasSubstr("bad lines: invalid_value"));
  std::map<std::string, std::string> scanned;
  std::istringstream lines(rows);
  for (std::string metric, time, value, tags; lines >> metric >> time >> value;) {
    std::getline(lines, tags);
    scanned[metric + " " + time + tags] = value;
  }
  EXPECT_EQ(scanned, stored);
}

TEST_F(ImportTest, NothingAfterABadLineIsStoredWithAnyNumberOfThreads) {
  std::string text;
  std::string stored;
  for (int i = 1; i <= 3000; ++i) {
    const std::string line = fmt::format("cpu {} {} host=h{}\n", 1356998400 + i, i, i % 10);
    text += i == 1234 ? "cpu x 1 host=a\n" : line;
    if (i < 1234) stored += line;
  }
  for (const size_t threads : {1U, 2U, 8U}) {
    SCOPED_TRACE(threads);
    std::filesystem::remove_all(store().data);
    EXPECT_EQ(Import(text, {.batch_points = 100, .threads = threads}), kExitFailure);
    EXPECT_THAT(terminal_.err(), EndsWith("use --skip-errors to skip bad lines\n"));
    EXPECT_THAT(terminal_.err(), HasSubstr("in:1234: "));
    EXPECT_THAT(terminal_.out(), HasSubstr("imported 1233 points of 1234 lines from 1 file"));
    std::vector<std::string> want = Lines(stored);
    EXPECT_THAT(Lines(ScanText(ScanFormat::kImport)), testing::UnorderedElementsAreArray(want));
  }
}

TEST_F(ImportTest, AFailingFileEndsTheImportWithWhatWasBeforeItStored) {
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += fmt::format("cpu {} {} host=a\n", 1356998400 + i, i);
  const std::string whole = Gzip(text);
  WriteFile(file("cut"), whole.substr(0, whole.size() / 2));
  ImportOptions options{.store = store(), .batch_points = 100, .paths = {file("cut")}};

  EXPECT_EQ(RunImport(options, terminal_.get()), kExitFailure);

  EXPECT_THAT(terminal_.err(), HasSubstr("gzip"));
  const std::vector<std::string> stored = Lines(ScanText(ScanFormat::kImport));
  ASSERT_GT(stored.size(), 1000u);
  EXPECT_TRUE(text.starts_with(fmt::format("{}\n", fmt::join(stored, "\n"))));
  EXPECT_THAT(terminal_.out(), HasSubstr(fmt::format("imported {} points", stored.size())));
}

TEST_F(ImportTest, MissingFileIsSaidBeforeAnythingIsImported) {
  WriteFile(file("in"), "cpu 1356998400 1 host=a\n");
  ImportOptions options{.store = store(), .paths = {file("in"), file("none")}};

  EXPECT_EQ(RunImport(options, terminal_.get()), kExitFailure);

  EXPECT_THAT(terminal_.err(), HasSubstr("none: No such file or directory"));
  EXPECT_FALSE(std::filesystem::exists(store().data));
}

TEST_F(ImportTest, NoPathsABatchOfNothingAndTooManyThreadsAreUsageErrors) {
  EXPECT_EQ(RunImport({.store = store()}, terminal_.get()), kExitUsage);
  EXPECT_EQ(Import("", {.batch_points = 0}), kExitUsage);
  EXPECT_EQ(Import("", {.threads = kImportThreadsMax + 1}), kExitUsage);
}

TEST_F(ImportTest, ServersErrorsAreNamedByLine) {
  ScriptedServer server({{HttpReplyText(
      400, R"({"success":1,"failed":1,"errors":[{"error":"Unknown metric","datapoint":)"
           R"({"metric":"mem","timestamp":1356998400,"value":"1","tags":{"host":"a"}}}]})")}});

  EXPECT_EQ(Import("cpu 1356998400 1 host=a\nmem 1356998400 1 host=a\n",
                   {.url = server.url(), .skip_errors = true}),
            kExitOk);

  EXPECT_THAT(terminal_.err(), HasSubstr("in:2: Unknown metric: \"mem 1356998400 1 host=a\"\n"));
  EXPECT_THAT(terminal_.out(), HasSubstr("imported 1 point of 2 lines"));
}

TEST_F(ImportTest, RollupsNeedTheirSettings) {
  const std::string line = "rollup 1h-sum:max cpu 1356998460 1 host=a\n";

  EXPECT_EQ(Import(line), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("in:1: rollups are off; set tsd.rollups.enable"));

  ImportOptions options;
  options.store.settings = {"tsd.rollups.enable=true",
                            "tsd.rollups.config=" + std::string(kTestRollups)};
  EXPECT_EQ(Import(line, options), kExitOk);
  EXPECT_THAT(ScanText(ScanFormat::kImport),
              AllOf(StartsWith("_rollup/1h-sum-agg/cpu 1356998400 1 "),
                    HasSubstr(" _aggregate=MAX"), HasSubstr(" host=a")));
}

TEST_F(ImportTest, FilesOfOtherFormatsAreTheSamePoints) {
  const std::string want = "cpu 1356998400 1 host=a\ncpu 1356998401500 2.5 host=a\n";
  const auto in_format = [this](ForeignRules rules, const std::string& text) {
    std::filesystem::remove_all(store().data);
    EXPECT_EQ(Import(text, {.foreign = std::move(rules)}), kExitOk) << terminal_.err();
    return ScanText(ScanFormat::kImport);
  };
  EXPECT_EQ(in_format({.format = ImportFormat::kVm},
                      R"({"metric":{"__name__":"cpu","host":"a"},"values":[1,2.5],)"
                      R"("timestamps":[1356998400000,1356998401500]})"),
            want);
  EXPECT_THAT(terminal_.out(), HasSubstr("imported 2 points of 1 line from 1 file"));
  EXPECT_EQ(in_format({.format = ImportFormat::kCsv, .csv_columns = "time,metric,value,tag:host"},
                      "1356998400,cpu,1,a\n1356998401500,cpu,2.5,a\n"),
            want);
  EXPECT_EQ(in_format({.format = ImportFormat::kGraphite},
                      "cpu;host=a 1 1356998400\ncpu;host=a 2.5 1356998460\n"),
            "cpu 1356998400 1 host=a\ncpu 1356998460 2.5 host=a\n");
  EXPECT_EQ(in_format({.format = ImportFormat::kInflux, .influx_precision = "ms"},
                      "# DML\ncpu,host=a v=1i 1356998400000\ncpu,host=a v=2.5 1356998401500\n"),
            "cpu_v 1356998400 1 host=a\ncpu_v 1356998401500 2.5 host=a\n");
}

TEST_F(ImportTest, ABadForeignLineIsNamedByItsNumberInTheFile) {
  ImportOptions options{.foreign = {.format = ImportFormat::kGraphite, .default_tag = " a=b"},
                        .skip_errors = true};
  for (const size_t threads : {size_t{1}, size_t{3}}) {
    options.threads = threads;
    options.batch_points = 2;
    EXPECT_EQ(Import("cpu 1 1356998400\n\ncpu x 1356998401\ncpu 1\ncpu 3 1356998402\n", options),
              kExitOk);
    EXPECT_THAT(terminal_.err(), HasSubstr("in:3: Invalid character 'x'"));
    EXPECT_THAT(terminal_.err(),
                HasSubstr("in:4: expected three words: path value time: \"cpu 1\""));
    EXPECT_THAT(terminal_.out(), HasSubstr("imported 2 points of 5 lines"));
  }
}

TEST_F(ImportTest, ADumpOfWhisperIsTheSeriesOfItsFile) {
  const ForeignRules rules{.format = ImportFormat::kWhisper, .default_tag = " from=g"};
  std::string dump = "Archive 0 info:\n  seconds per point: 1\n\nArchive 0 data:\n";
  for (int i = 0; i < 5'000; ++i)
    dump += fmt::format("{}: {}, {:>10}\n", i, i % 2 == 0 ? 0 : 1356998400 + i, i);

  EXPECT_EQ(Import(dump, {.foreign = rules, .metric = "a.b", .batch_points = 7, .threads = 3}),
            kExitOk);

  EXPECT_THAT(terminal_.out(), HasSubstr("imported 2500 points of 5004 lines"));
  EXPECT_THAT(ScanText(ScanFormat::kImport), HasSubstr("a.b 1356998403 3 from=g\n"));
  EXPECT_EQ(Import("Archive 0 data:\n0: 60 1\n", {.foreign = rules, .metric = "a"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr(":2: expected SLOT: SECONDS, VALUE"));
  EXPECT_EQ(Import("", {.foreign = rules}), kExitUsage) << "an absolute path is no metric";
  EXPECT_EQ(Import("", {.metric = "a"}), kExitUsage) << "of another format";
}

TEST_F(ImportTest, ALongLineOfAWholeSeriesIsTaken) {
  std::string values;
  std::string times;
  constexpr int kPoints = 20'000;
  for (int i = 0; i < kPoints; ++i) {
    values += fmt::format("{}{}", i == 0 ? "" : ",", i);
    times += fmt::format("{}{}", i == 0 ? "" : ",", 1356998400000 + int64_t{i} * 1000);
  }
  EXPECT_EQ(Import(fmt::format(R"({{"metric":{{"__name__":"m","a":"b"}},"values":[{}],)"
                               R"("timestamps":[{}]}})",
                               values, times),
                   {.foreign = {.format = ImportFormat::kVm}}),
            kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("imported 20000 points of 1 line"));
}

TEST_F(ImportTest, OptionsOfFormatsThatMakeNoSenseAreUsageErrors) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"--format", "xml", "-"},
                                             {"--format", "csv", "-"},
                                             {"--format", "csv", "--csv-columns", "x", "-"},
                                             {"--csv-columns", "time,value:a", "-"},
                                             {"--csv-header", "-"},
                                             {"--state", "x", "-"},
                                             {"--opentsdb", "ftp://a"},
                                             {"--opentsdb", "a", "--start", "x"},
                                             {"--opentsdb", "a", "--format", "vm"},
                                             {"--opentsdb", "a", "--start", "2", "--end", "1"},
                                             {"--precision", "s", "-"},
                                             {"--format", "influx", "--precision", "d", "-"},
                                             {"--format", "vm", "--separator", ".", "-"},
                                             {"--default-tag", "a=b", "-"},
                                             {"--format", "vm", "--default-tag", "a", "-"}}) {
    CapturedTerminal terminal;
    EXPECT_EQ(ImportMain(args, terminal.get()), kExitUsage) << args[0] << " " << args[1];
  }
}

TEST_F(ImportTest, UrlThatIsNoneIsAUsageError) {
  EXPECT_EQ(Import("", {.url = "ftp://a"}), kExitUsage);
}

// The UIDs the vectors rely on, in the order that gives them those numbers.
void AssignVectorUids(const StoreOptions& store) {
  const std::vector<std::vector<std::string>> commands = {{"assign", "metrics", "sys.cpu.user"},
                                                          {"assign", "tagk", "host"},
                                                          {"assign", "tagv", "web01", "web02"}};
  for (const std::vector<std::string>& words : commands) {
    CapturedTerminal terminal;
    ASSERT_EQ(RunUid({.store = store, .words = words}, terminal.get()), kExitOk) << terminal.err();
  }
}

// Floats of the vectors are exact as binary32, which OpenTSDB's importer always stores.
TEST_F(ImportTest, StoredBytesAreOpenTsdbs) {
  AssignVectorUids(store());
  for (const TestVector& vector : LoadVectors("storage.json", "import.line")) {
    SCOPED_TRACE(vector.from);
    const std::string line = TextOf(vector.given, "line");
    SCOPED_TRACE(line);
    const TempDir dir;
    const StoreOptions store{.data = dir.file("store")};
    std::filesystem::copy(this->store().data, store.data, std::filesystem::copy_options::recursive);
    WriteFile(dir.file("in"), line);

    CapturedTerminal terminal;
    const int imported = RunImport({.store = store, .paths = {dir.file("in")}}, terminal.get());
    CapturedTerminal scanned;
    ASSERT_EQ(RunScan({.store = store, .format = ScanFormat::kHex}, scanned.get()), kExitOk);

    EXPECT_EQ(imported, vector.wants_error() ? kExitFailure : kExitOk) << terminal.err();
    EXPECT_EQ(scanned.out(), vector.wants_error() ? std::string()
                                                  : TextOf(vector.expect, "row_key") + "\t" +
                                                        TextOf(vector.expect, "q") + "\t" +
                                                        TextOf(vector.expect, "v") + "\n");
  }
}

// A named deviation: OpenTSDB refuses times that do not ascend.
TEST_F(ImportTest, TimesInAnyOrderAndTheLaterLineWins) {
  for (const TestVector& vector : LoadVectors("storage.json", "import.sequence")) {
    SCOPED_TRACE(vector.from);
    std::string text;
    for (const simdjson::dom::element line : vector.given["lines"].get_array()) {
      text += std::string(line.get_string().value()) + "\n";
    }
    EXPECT_EQ(Import(text), kExitOk);
  }
  EXPECT_EQ(ScanText(ScanFormat::kImport),
            "sys.cpu.user 1356998300 42 host=web01\nsys.cpu.user 1356998400 24 host=web01\n");
}

}  // namespace
}  // namespace hourcell::import_test
