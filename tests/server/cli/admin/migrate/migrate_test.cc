#include "server/cli/admin/migrate/migrate.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "engine/regions/keys/distributor_spec.h"
#include "server/cli/admin/migrate/point_digest.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::migrate_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr int64_t kHour = 1356998400;

class MigrateTest : public testing::Test {
 protected:
  std::unique_ptr<Tsdb> Open(const std::string& name, std::vector<std::string> settings = {}) {
    auto opened =
        OpenStore({.data = dir_.file(name), .settings = std::move(settings)}, StoreUse::kCreate);
    EXPECT_OK(opened);
    return opened.ok() ? *std::move(opened) : nullptr;
  }

  // Points of 40 series of two metrics in six hours, of every type and precision.
  void FillSource(std::vector<std::string> settings = {}) {
    const auto tsdb = Open("from", std::move(settings));
    Random random(7);
    for (int i = 0; i < 3000; ++i) {
      const std::string tags = fmt::format("host=h{} dc={}", random.Below(20), random.Below(2));
      const bool is_ms = random.Below(3) == 0;
      int64_t ms = (kHour + static_cast<int64_t>(random.Below(6 * 3600))) * 1000;
      if (is_ms) ms += static_cast<int64_t>(random.Below(1000));
      const Value value = random.Below(2) == 0 ? Value::Integer(static_cast<int64_t>(random.Next()))
                                               : Value::Float(random.Fraction() * 1e6);
      OwnedPoint point(random.Below(2) == 0 ? "m" : "zürich", tags, {.ms = ms, .is_ms = is_ms},
                       value);
      ASSERT_OK(tsdb->points().Put(point.view()));
      if (i == 1500) {
        ASSERT_OK(tsdb->maintenance().Seal());
      }
    }
  }

  int Run(std::vector<std::string> settings = {}) {
    return RunMigrate({.store = {.settings = std::move(settings)},
                       .from = dir_.file("from"),
                       .to = dir_.file("to")},
                      terminal_.get());
  }

  static PointDigest DigestOf(Tsdb* tsdb) {
    PointDigest digest;
    EXPECT_OK(tsdb->queries().Scan({}, [&](const ScannedRow& row) {
      digest.Add(row);
      return true;
    }));
    return digest;
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(MigrateTest, AnotherLayoutHasTheSamePoints) {
  const std::vector<std::string> layouts[] = {
      {},
      {"tsd.storage.salt.width=1", "tsd.storage.salt.buckets=7"},
      {"tsd.storage.uid.width.metric=1", "tsd.storage.uid.width.tagk=2",
       "tsd.storage.uid.width.tagv=8"},
      {"tsd.storage.salt.width=2", "tsd.storage.cell=opentsdb"}};
  ASSERT_NO_FATAL_FAILURE(FillSource());
  const PointDigest source = DigestOf(Open("from").get());
  EXPECT_GT(source.points(), 2900u);
  for (const std::vector<std::string>& layout : layouts) {
    std::filesystem::remove_all(dir_.file("to"));
    ASSERT_EQ(Run(layout), kExitOk) << terminal_.err();
    EXPECT_EQ(DigestOf(Open("to", layout).get()), source);
  }
  EXPECT_THAT(terminal_.out(), HasSubstr("26 names, 0 annotations and 0 TTLs"));
  EXPECT_THAT(terminal_.out(), HasSubstr("both stores have the same points"));
  EXPECT_EQ(DigestOf(Open("from").get()), source);
}

TEST_F(MigrateTest, NamesKeepTheirUids) {
  ASSERT_NO_FATAL_FAILURE(FillSource());
  ASSERT_EQ(Run({"tsd.storage.salt.width=1"}), kExitOk) << terminal_.err();
  const auto from = Open("from");
  const auto to = Open("to");
  for (const UidKind kind : kUidKinds) {
    size_t names = 0;
    ASSERT_OK(from->names().GrepUids(kind, "", false, [&](const UidRow& row) {
      ++names;
      const auto there = to->names().FindUid(kind, row.name);
      EXPECT_OK(there);
      EXPECT_TRUE(there.ok() && there->uid_bytes == row.uid_bytes) << row.name;
      return true;
    }));
    EXPECT_GT(names, 0U);
  }
}

TEST_F(MigrateTest, AnnotationsAndTtlsComeToo) {
  ASSERT_NO_FATAL_FAILURE(FillSource({"tsd.storage.ttl=4000000000"}));
  {
    const auto from = Open("from");
    ASSERT_OK(from->retention().SetMetricTtl("m", 0));
    ASSERT_OK(from->retention().SetMetricTtl("zürich", 3'000'000'000));
    for (const std::string& tsuid :
         {std::string(), std::string("000001000001000001000002000002")}) {
      AnnotationEdit edit{.tsuid = tsuid, .start_time = kHour};
      edit.end_time = kHour + 60;
      edit.description = "of " + tsuid;
      edit.custom.emplace().emplace_back("key", "value");
      ASSERT_OK(from->annotations().Put({&edit, 1}, AnnotationWrite::kMerge));
    }
  }
  ASSERT_EQ(Run({"tsd.storage.uid.width.metric=2", "tsd.storage.uid.width.tagv=4",
                 "tsd.storage.undo=86400"}),
            kExitOk)
      << terminal_.err();
  EXPECT_THAT(terminal_.out(), HasSubstr("2 annotations and 2 TTLs"));

  const auto to = Open("to");
  EXPECT_EQ(to->retention().store_ttl_s(), 4'000'000'000);
  EXPECT_THAT(to->retention().MetricTtls(),
              IsOkAndHolds(ElementsAre(MetricTtl{"m", 0}, MetricTtl{"zürich", 3'000'000'000})));
  EXPECT_THAT(to->retention().ShortenedTtls(), IsOkAndHolds(IsEmpty()));
  const auto of_series = to->annotations().Get("00010000010000000100000200000002", kHour);
  ASSERT_OK(of_series);
  ASSERT_TRUE(of_series->has_value());
  EXPECT_EQ((*of_series)->description, "of 000001000001000001000002000002");
  EXPECT_EQ((*of_series)->end_time, kHour + 60);
  EXPECT_THAT((*of_series)->custom, SizeIs(1));
  EXPECT_THAT(to->annotations().Global(kHour * 1000, (kHour + 60) * 1000), IsOkAndHolds(SizeIs(1)));
}

TEST_F(MigrateTest, HistogramsComeToo) {
  const SimpleHistogram histogram{.buckets = {{0, 1, 42}, {1, 5, 24}}, .overflow = 1};
  OwnedPoint first("latency", "host=a", kHour, 0);
  OwnedPoint second("latency", "host=b", kHour + 1, 0);
  const std::vector<HistogramPoint> histograms = {
      {.point = first.view(), .histogram = &histogram, .codec = 42},
      {.point = second.view(), .histogram = &histogram, .codec = 42}};
  ASSERT_OK(Open("from")->points().AppendHistograms(histograms, nullptr));

  ASSERT_EQ(Run({"tsd.storage.salt.width=1"}), kExitOk) << terminal_.err();

  EXPECT_THAT(terminal_.out(), HasSubstr("0 annotations, 2 histograms and 0 TTLs"));
  std::vector<std::string> found;
  const auto visit = [&](std::span<const HistogramPoint> some) {
    for (const HistogramPoint& one : some) {
      EXPECT_EQ(*one.histogram, histogram);
      EXPECT_EQ(one.codec, 42);
      found.push_back(fmt::format("{} {} {}", one.point.metric, one.point.tags[0].value,
                                  one.point.timestamp.ms));
    }
    return absl::OkStatus();
  };
  ASSERT_OK(Open("to")->queries().VisitHistograms({}, visit));
  EXPECT_THAT(found, UnorderedElementsAre(fmt::format("latency a {}", kHour * 1000),
                                          fmt::format("latency b {}", kHour * 1000 + 1000)));
}

TEST_F(MigrateTest, VirtualMetricsComeToo) {
  ASSERT_NO_FATAL_FAILURE(FillSource());
  MetricExpression expression;
  expression.formula = "2 * a";
  SubQuery& input = expression.inputs.emplace_back();
  input.aggregator = Aggregator::kNone;
  input.metric = "m";
  MetricExpression of_other = expression;
  of_other.inputs[0].metric = "z.double";
  {
    const auto from = Open("from");
    ASSERT_OK(from->names().DefineMetric("z.double", expression));
    ASSERT_OK(from->names().DefineMetric("a.double", of_other));
  }
  ASSERT_EQ(Run({"tsd.storage.uid.width.metric=2"}), kExitOk) << terminal_.err();
  EXPECT_THAT(terminal_.out(), HasSubstr("0 TTLs and 2 virtual metrics"));

  const std::vector<VirtualMetric> metrics = *Open("to")->names().ListVirtualMetrics();
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].name, "a.double");
  EXPECT_EQ(metrics[0].expression, of_other);
  EXPECT_EQ(metrics[1].expression, expression);
}

TEST_F(MigrateTest, TextsOfUidsAndSeriesComeToo) {
  ASSERT_NO_FATAL_FAILURE(FillSource());
  const std::string series("\0\0\1\0\0\1\0\0\1\0\0\2\0\0\2", 15);
  const auto set = [](Tsdb* tsdb, const DocumentKey& key) {
    return tsdb->names().ChangeDocument(key, [&](const std::optional<std::string>&) {
      return std::optional<std::string>("of " + ToUpperHex(key.id));
    });
  };
  {
    const auto from = Open("from");
    ASSERT_OK(set(from.get(), {.kind = UidKind::kMetric, .id = std::string("\0\0\1", 3)}));
    ASSERT_OK(set(from.get(), {.kind = std::nullopt, .id = series}));
    // Of UIDs without a name.
    ASSERT_OK(set(from.get(), {.kind = UidKind::kTagv, .id = "\xFF\xFF\xFF"}));
    ASSERT_OK(set(from.get(), {.kind = std::nullopt, .id = "\xFF\xFF\xFF" + series.substr(3)}));
  }
  ASSERT_EQ(Run({"tsd.storage.uid.width.metric=2", "tsd.storage.uid.width.tagv=4"}), kExitOk)
      << terminal_.err();
  EXPECT_THAT(terminal_.out(), HasSubstr("0 TTLs and 2 meta texts"));

  std::vector<std::string> texts;
  ASSERT_OK(Open("to")->names().VisitDocuments([&](const DocumentKey& key, std::string_view text) {
    texts.push_back(fmt::format("{} {}", ToUpperHex(key.id), text));
    return true;
  }));
  EXPECT_THAT(texts, ElementsAre("0001 of 000001",
                                 "00010000010000000100000200000002 of "
                                 "000001000001000001000002000002"));
}

TEST_F(MigrateTest, MetadataOfMetricsComesToo) {
  ASSERT_NO_FATAL_FAILURE(FillSource());
  std::vector<MetadataRow> rows;
  for (int i = 0; i < 2001; ++i)  // three batches
    rows.push_back({.metric = fmt::format("m{:04}", i), .text = fmt::format("text {}", i)});
  ASSERT_OK(Open("from")->names().WriteMetadata(rows));

  ASSERT_EQ(Run({"tsd.storage.uid.width.metric=2"}), kExitOk) << terminal_.err();

  size_t copied = 0;
  ASSERT_OK(Open("to")->names().VisitMetadata([&](std::string_view metric, std::string_view text) {
    EXPECT_EQ(metric, rows.at(copied).metric);
    EXPECT_EQ(text, rows.at(copied).text);
    return ++copied < rows.size();
  }));
  EXPECT_EQ(copied, rows.size());
}

TEST_F(MigrateTest, SavedViewsAndTreesComeToo) {
  ASSERT_NO_FATAL_FAILURE(FillSource());
  ASSERT_OK(Open("from")->saved_views().Change(
      "Web servers", [](const auto&) { return std::optional<std::string>("a view"); }));
  ASSERT_OK(Open("from")->names().ChangeTree(
      7, [](const auto&) { return std::optional<std::string>("a tree"); }));
  ASSERT_EQ(Run({"tsd.storage.uid.width.metric=2"}), kExitOk) << terminal_.err();
  EXPECT_THAT(terminal_.out(), HasSubstr("0 TTLs and 1 saved views"));
  EXPECT_THAT(Open("to")->saved_views().Find("Web servers"),
              IsOkAndHolds(testing::Optional(std::string("a view"))));
  EXPECT_THAT(Open("to")->names().FindTree(7),
              IsOkAndHolds(testing::Optional(std::string("a tree"))));
}

TEST_F(MigrateTest, ATargetThatHasSomethingIsLeftAlone) {
  ASSERT_NO_FATAL_FAILURE(FillSource());
  std::filesystem::create_directories(dir_.file("to"));
  std::ofstream(dir_.file("to/notes")) << "mine";
  EXPECT_EQ(Run(), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("is not empty; give a new directory"));
  EXPECT_FALSE(std::filesystem::exists(dir_.file("to/db")));

  std::filesystem::remove(dir_.file("to/notes"));
  EXPECT_EQ(Run(), kExitOk) << terminal_.err();
  EXPECT_EQ(Run(), kExitUsage) << "a store that is whole is no target";
}

TEST_F(MigrateTest, AnUnfinishedTargetWithOtherPointsIsAFailure) {
  ASSERT_NO_FATAL_FAILURE(FillSource());
  const PointDigest source = DigestOf(Open("from").get());
  {
    const auto begun = Open("to");
    OwnedPoint point("m", "host=h1 dc=0", kHour, 1);
    ASSERT_OK(begun->points().Put(point.view()));
  }
  std::ofstream(dir_.file("to/migration")) << dir_.file("from");
  // A point that the source does not have: whoever wrote to the target is told.
  EXPECT_EQ(Run(), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("the points of the target differ from the source"));
  EXPECT_TRUE(std::filesystem::exists(dir_.file("to/migration")));
}

TEST_F(MigrateTest, NamesThatDoNotFitAreAnError) {
  {
    const auto from = Open("from");
    for (int i = 0; i < 300; ++i) {
      OwnedPoint point("m", fmt::format("host=h{}", i), kHour, i);
      ASSERT_OK(from->points().Put(point.view()));
    }
  }
  EXPECT_EQ(Run({"tsd.storage.uid.width.tagv=1"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("the target refused the tagv name \"h255\""));
}

TEST_F(MigrateTest, DistributorsThatAStoreCannotHaveAreRefusedByName) {
  ASSERT_NO_FATAL_FAILURE(FillSource());
  const std::string specs[] = {"simple-hash:15",  "xxh3:64",
                               "md5-4hex",        "md5-8hex",
                               "time-hash:4",     "round-robin:4",
                               "partition:20",    "reversed",
                               "reversed-time:3", "cyclic:period=44d,slot=1d,ttl=30d,major=7d"};
  for (const std::string& spec : specs) {
    ASSERT_OK(MakeKeyDistributor(spec, Layout())) << "the simulator has it";
    CapturedTerminal terminal;
    EXPECT_EQ(RunMigrate({.from = dir_.file("from"), .to = dir_.file("to"), .distributor = spec},
                         terminal.get()),
              kExitUsage);
    EXPECT_THAT(terminal.err(), HasSubstr("expected none or series-salt, got \"" + spec + "\""));
  }
  EXPECT_FALSE(std::filesystem::exists(dir_.file("to")));
}

TEST_F(MigrateTest, TheDistributorIsThatOfTheSettings) {
  ASSERT_NO_FATAL_FAILURE(FillSource());
  const auto run = [&](const std::string& distributor, const std::string& width) {
    return RunMigrate({.store = {.settings = {"tsd.storage.salt.width=" + width}},
                       .from = dir_.file("from"),
                       .to = dir_.file("to" + width),
                       .distributor = distributor},
                      terminal_.get());
  };
  EXPECT_EQ(run("none", "1"), kExitUsage);
  EXPECT_THAT(terminal_.err(),
              HasSubstr("none contradicts tsd.storage.salt.width=1; the width must be 0"));
  EXPECT_EQ(run("series-salt", "0"), kExitUsage);
  EXPECT_EQ(run("none", "0"), kExitOk) << terminal_.err();
  EXPECT_EQ(run("series-salt", "1"), kExitOk) << terminal_.err();
}

// tests/cluster has what a migration between engines does.
TEST_F(MigrateTest, TheEnginesAreTwo) {
  const auto run = [this](const std::string& engine) {
    return RunMigrate({.from = dir_.file("from"), .to_engine = engine}, terminal_.get());
  };
  EXPECT_EQ(run("hbase"), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("expected bigtable or rocksdb, got \"hbase\""));
  // It is not in this build, or has no project.
  EXPECT_EQ(run("bigtable"), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("tsd.storage."));
}

TEST_F(MigrateTest, WithAnEngineThereIsOneDirectory) {
  EXPECT_EQ(MigrateMain({"a"}, terminal_.get()), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("expected FROM and TO, got \"a\""));
  EXPECT_EQ(MigrateMain({"a", "b", "--to-engine", "bigtable"}, terminal_.get()), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("expected one directory, with --to-engine, got \"a b\""));
}

TEST_F(MigrateTest, NoSourceMakesNoTarget) {
  EXPECT_EQ(Run(), kExitFailure);
  EXPECT_FALSE(std::filesystem::exists(dir_.file("to")));
  EXPECT_THAT(terminal_.out(), IsEmpty());
}

// At the first steps, in the middle and in the comparison: the target is marked as not whole, and
// the next migration begins it again.
TEST_F(MigrateTest, ASignalEndsIt) {
  ASSERT_NO_FATAL_FAILURE(FillSource());
  const PointDigest source = DigestOf(Open("from").get());
  int interrupted = 0;
  bool is_done = false;
  for (int looks = 3; !is_done; looks = looks * 5 / 4 + 1) {
    const int signal = looks % 2 == 0 ? SIGTERM : SIGINT;
    SignallingClock clock(signal, looks);
    terminal_.get().clock = &clock;
    const int code = Run();
    terminal_.get().clock = &terminal_.clock();
    is_done = code == kExitOk;
    if (is_done) break;
    ++interrupted;
    EXPECT_EQ(code, 128 + signal) << terminal_.err();
    EXPECT_THAT(terminal_.err(), HasSubstr("is not whole. Run the migration again"));
    EXPECT_TRUE(std::filesystem::exists(dir_.file("to") + "/migration"));
  }
  EXPECT_GT(interrupted, 5);
  EXPECT_FALSE(std::filesystem::exists(dir_.file("to") + "/migration"));
  EXPECT_EQ(DigestOf(Open("to").get()), source);
  EXPECT_EQ(DigestOf(Open("from").get()), source);
}

}  // namespace
}  // namespace hourcell::migrate_test
