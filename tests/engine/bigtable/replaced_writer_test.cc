// Every public function in every role of a process: alone, writer, follower, and a writer that was
// paused, was replaced meanwhile, and continues without knowing it. The last one acknowledges
// nothing and answers nothing.

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include "codec/base/status_macros.h"
#include "engine/adoption_admin.h"
#include "engine/backup_admin.h"
#include "engine/bigtable/bigtable_storage.h"
#include "engine/fsck_admin.h"
#include "engine/query/result_collector.h"
#include "engine/region_admin.h"
#include "engine/salt_admin.h"
#include "engine/tsdb.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::replaced_writer_test {
namespace {

constexpr int64_t kHour = 1356998400;
constexpr int64_t kNeverMs = 3'600'000;

template <typename T>
absl::Status OutcomeOf(const absl::StatusOr<T>& answer) {
  return answer.status();
}

QuerySpec SomeQuery() {
  return MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 100);
}

absl::Status AppendLine(Tsdb* tsdb) {
  LinePoint point;
  point.metric = "m";
  point.tags = "h=a";
  point.timestamp = {.ms = (kHour + 5) * 1000};
  point.value = Value::Integer(1);
  return tsdb->points().Append(std::span<const LinePoint>(&point, 1), nullptr).Wait();
}

absl::Status AppendHistogram(Tsdb* tsdb) {
  OwnedPoint point{"m", "h=a", kHour + 5, 0};
  const SimpleHistogram histogram{.buckets = {{0, 1, 42}}};
  const HistogramPoint one{.point = point.view(), .histogram = &histogram, .codec = 0};
  return tsdb->points().AppendHistograms({&one, 1}, nullptr);
}

absl::Status StreamQuery(Tsdb* tsdb) {
  QueryResult result;
  ResultCollector collector(&result);
  return tsdb->queries().Query(SomeQuery(), &collector, nullptr);
}

absl::Status AskLast(Tsdb* tsdb) {
  LastQuery query;
  query.queries.push_back({.metric = "m"});
  return tsdb->queries().LastPoints(query, [](const LastPoint&) {});
}

absl::Status PutNote(Tsdb* tsdb) {
  const AnnotationEdit edit{.tsuid = "", .start_time = kHour, .description = "a"};
  return OutcomeOf(tsdb->annotations().Put({&edit, 1}, AnnotationWrite::kMerge));
}

absl::Status AssignGiven(Tsdb* tsdb) {
  const UidRow row{
      .kind = UidKind::kMetric, .name = "given", .uid_bytes = std::string("\0\1\0", 3)};
  return tsdb->names().AssignGivenUids({&row, 1});
}

absl::Status DefineMetric(Tsdb* tsdb) {
  SubQuery input;
  input.metric = "m";
  input.filters.push_back(
      {.tagk = "h", .type = FilterType::kWildcard, .filter = "*", .group_by = true});
  return tsdb->names().DefineMetric("virtual", {.formula = "a", .inputs = {input}});
}

absl::Status DropMetric(Tsdb* tsdb) {
  HOURCELL_RETURN_IF_ERROR(DefineMetric(tsdb));
  return tsdb->names().DropMetric("virtual");
}

absl::Status RestoreName(Tsdb* tsdb) {
  const RestoredName name{.name = "restored", .uid = 300};
  return tsdb->maintenance().adoption()->RestoreNames(UidKind::kMetric, {&name, 1}, 300);
}

absl::Status IndexNoRow(Tsdb* tsdb) {
  std::vector<RowFault> faults;
  return tsdb->maintenance().adoption()->IndexRows({}, &faults);
}

using Call = std::function<absl::Status(Tsdb* tsdb)>;

// By "Class::Function"; of overloads and variants several.
using CallMap = std::multimap<std::string, Call>;

CallMap PointCalls() {
  return {
      {"Points::Put",
       [](Tsdb* it) { return it->points().Put(OwnedPoint{"m", "h=a", kHour + 5, 1}.view()); }},
      {"Points::Append",
       [](Tsdb* it) {
         OwnedPoint point{"m", "h=a", kHour + 5, 1};
         return it->points().Append({&point.view(), 1}, nullptr).Wait();
       }},
      {"Points::Append", AppendLine},
      {"Points::AppendHistograms", AppendHistogram},
      {"Queries::Query", [](Tsdb* it) { return OutcomeOf(it->queries().Query(SomeQuery())); }},
      {"Queries::Query", StreamQuery},
      {"Queries::LastPoints", AskLast},
      {"Queries::LookupSeries",
       [](Tsdb* it) {
         return OutcomeOf(
             it->queries().LookupSeries({.metric = "m"}, [](const FoundSeries&) { return true; }));
       }},
      {"Points::DeletePoints",
       [](Tsdb* it) { return OutcomeOf(it->points().DeletePoints(SomeQuery())); }},
      {"Points::CountPoints",
       [](Tsdb* it) { return OutcomeOf(it->points().CountPoints(SomeQuery())); }},
      {"Points::Deletions", [](Tsdb* it) { return OutcomeOf(it->points().Deletions()); }},
      {"Queries::Scan",
       [](Tsdb* it) { return it->queries().Scan({}, [](const ScannedRow&) { return true; }); }},
      {"Queries::PlanScan", [](Tsdb* it) { return OutcomeOf(it->queries().PlanScan({})); }},
      {"Queries::AggregateRows",
       [](Tsdb* it) { return OutcomeOf(it->queries().AggregateRows({}, {})); }},
      {"Queries::VisitHistograms",
       [](Tsdb* it) {
         return it->queries().VisitHistograms(
             {}, [](std::span<const HistogramPoint>) { return absl::OkStatus(); });
       }},
  };
}

CallMap MaintenanceCalls() {
  return {
      {"RetentionAdmin::DropExpired",
       [](Tsdb* it) { return OutcomeOf(it->retention().DropExpired()); }},
      {"Maintenance::SealDue", [](Tsdb* it) { return it->maintenance().SealDue(); }},
      {"Maintenance::Seal", [](Tsdb* it) { return it->maintenance().Seal(); }},
      {"Maintenance::Flush", [](Tsdb* it) { return it->maintenance().Flush(); }},
      {"Maintenance::Compact", [](Tsdb* it) { return it->maintenance().Compact(); }},
      {"Maintenance::ComputeRollups", [](Tsdb* it) { return it->maintenance().ComputeRollups(); }},
  };
}

const DocumentKey kNoted = {.kind = UidKind::kMetric, .id = std::string("\0\0\1", 3)};

// Of names, annotations and TTLs.
CallMap NameCalls() {
  return {
      {"Names::Suggest",
       [](Tsdb* it) { return OutcomeOf(it->names().Suggest(UidKind::kMetric, "", 9)); }},
      {"Names::VisitNames",
       [](Tsdb* it) { return it->names().VisitNames({}, [](std::string_view) { return true; }); }},
      {"Names::RankMetrics", [](Tsdb* it) { return OutcomeOf(it->names().RankMetrics({})); }},
      {"Annotations::Get", [](Tsdb* it) { return OutcomeOf(it->annotations().Get("", kHour)); }},
      {"Annotations::Put", PutNote},
      {"Annotations::Delete", [](Tsdb* it) { return it->annotations().Delete("", kHour); }},
      {"Annotations::DeleteRange",
       [](Tsdb* it) {
         return OutcomeOf(it->annotations().DeleteRange({}, true, 1, kHour * 1000));
       }},
      {"Annotations::Visit",
       [](Tsdb* it) {
         return it->annotations().Visit([](const Annotation&) { return absl::OkStatus(); });
       }},
      {"Annotations::Global",
       [](Tsdb* it) { return OutcomeOf(it->annotations().Global(1, kHour * 1000)); }},
      {"Names::AssignUid",
       [](Tsdb* it) { return OutcomeOf(it->names().AssignUid(UidKind::kMetric, "new")); }},
      {"Names::AssignUid",
       [](Tsdb* it) { return OutcomeOf(it->names().AssignUid(UidKind::kMetric, "m")); }},
      {"Names::AssignGivenUids", AssignGiven},
      {"Names::FindUid",
       [](Tsdb* it) { return OutcomeOf(it->names().FindUid(UidKind::kMetric, "m")); }},
      {"Names::FindName",
       [](Tsdb* it) { return OutcomeOf(it->names().FindName(UidKind::kMetric, 1)); }},
      {"Names::GrepUids",
       [](Tsdb* it) {
         return it->names().GrepUids(UidKind::kMetric, "m", false,
                                     [](const UidRow&) { return true; });
       }},
      {"Names::RenameUid",
       [](Tsdb* it) { return it->names().RenameUid(UidKind::kMetric, "m", "m2"); }},
      {"Names::Renames", [](Tsdb* it) { return OutcomeOf(it->names().Renames()); }},
      {"Names::DeleteUid", [](Tsdb* it) { return it->names().DeleteUid(UidKind::kMetric, "m"); }},
      {"Names::CheckUids",
       [](Tsdb* it) { return OutcomeOf(it->names().CheckUids(/*repair=*/false)); }},
      {"Names::CheckUids repair",
       [](Tsdb* it) { return OutcomeOf(it->names().CheckUids(/*repair=*/true)); }},
      {"RetentionAdmin::SetMetricTtl",
       [](Tsdb* it) { return it->retention().SetMetricTtl("m", 0); }},
      {"RetentionAdmin::ShortenedTtls",
       [](Tsdb* it) { return OutcomeOf(it->retention().ShortenedTtls()); }},
      {"RetentionAdmin::MetricTtls",
       [](Tsdb* it) { return OutcomeOf(it->retention().MetricTtls()); }},
      {"RetentionAdmin::EstimateRollups",
       [](Tsdb* it) {
         return OutcomeOf(it->retention().EstimateRollups(*MetricRules::Parse("* 1h"), 0));
       }},
  };
}

// Of texts that users write.
CallMap TextCalls() {
  return {
      {"Names::FindDocument", [](Tsdb* it) { return OutcomeOf(it->names().FindDocument(kNoted)); }},
      {"Names::ChangeDocument",
       [](Tsdb* it) {
         return it->names().ChangeDocument(kNoted, [](const std::optional<std::string>&) {
           return std::optional<std::string>("text");
         });
       }},
      {"Names::VisitDocuments",
       [](Tsdb* it) {
         return it->names().VisitDocuments(
             [](const DocumentKey&, std::string_view) { return true; });
       }},
      {"Names::FindTree", [](Tsdb* it) { return OutcomeOf(it->names().FindTree(1)); }},
      {"Names::ChangeTree",
       [](Tsdb* it) {
         return it->names().ChangeTree(1, [](const std::optional<std::string>&) {
           return std::optional<std::string>("a tree");
         });
       }},
      {"Names::VisitTrees",
       [](Tsdb* it) {
         return it->names().VisitTrees([](uint16_t, std::string_view) { return true; });
       }},
      {"Names::WriteMetadata",
       [](Tsdb* it) {
         const MetadataRow row{.metric = "m", .text = "gauge"};
         return it->names().WriteMetadata({&row, 1});
       }},
      {"Names::VisitMetadata",
       [](Tsdb* it) {
         return it->names().VisitMetadata([](std::string_view, std::string_view) { return true; });
       }},
      {"SavedViews::Find", [](Tsdb* it) { return OutcomeOf(it->saved_views().Find("v")); }},
      {"SavedViews::Change",
       [](Tsdb* it) {
         return it->saved_views().Change("v", [](const std::optional<std::string>&) {
           return std::optional<std::string>("text");
         });
       }},
      {"SavedViews::Visit",
       [](Tsdb* it) {
         return it->saved_views().Visit([](std::string_view, std::string_view) { return true; });
       }},
  };
}

CallMap VirtualMetricCalls() {
  return {
      {"Names::DefineMetric", DefineMetric},
      {"Names::DropMetric", DropMetric},
      {"Names::ListVirtualMetrics",
       [](Tsdb* it) { return OutcomeOf(it->names().ListVirtualMetrics()); }},
  };
}

CallMap AdminCalls() {
  return {
      {"RegionAdmin::List",
       [](Tsdb* it) {
         return OutcomeOf(it->maintenance().regions()->List("data", ListDetail::kPlain));
       }},
      {"RegionAdmin::Explain",
       [](Tsdb* it) {
         return OutcomeOf(it->maintenance().regions()->Explain("data", "\\x00\\x00\\x00\\x01"));
       }},
      {"RegionAdmin::Loads",
       [](Tsdb* it) {
         return OutcomeOf(it->maintenance().regions()->Loads("data", 0, ListDetail::kPlain));
       }},
      {"RegionAdmin::Check",
       [](Tsdb* it) { return OutcomeOf(it->maintenance().regions()->Check("meta")); }},
      {"RegionAdmin::UnfinishedRollingSplit",
       [](Tsdb* it) {
         return OutcomeOf(it->maintenance().regions()->UnfinishedRollingSplit("data"));
       }},
      {"SaltAdmin::Epochs", [](Tsdb* it) { return OutcomeOf(it->maintenance().salt()->Epochs()); }},
      {"SaltAdmin::Change",
       [](Tsdb* it) { return it->maintenance().salt()->Change(7, std::nullopt); }},
      {"FsckAdmin::Check", [](Tsdb* it) { return OutcomeOf(it->maintenance().fsck()->Check({})); }},
      {"AdoptionAdmin::RestoreNames", RestoreName},
      {"AdoptionAdmin::IndexRows", IndexNoRow},
      {"AdoptionAdmin::ReplaceRow",
       [](Tsdb* it) { return it->maintenance().adoption()->ReplaceRow("a row key", ""); }},
  };
}

CallMap Calls() {
  CallMap calls = PointCalls();
  CallMap maintenance = MaintenanceCalls();
  calls.merge(maintenance);
  CallMap names = NameCalls();
  calls.merge(names);
  CallMap texts = TextCalls();
  calls.merge(texts);
  CallMap virtual_metrics = VirtualMetricCalls();
  calls.merge(virtual_metrics);
  CallMap admins = AdminCalls();
  calls.merge(admins);
  return calls;
}

// Changes that a store on Bigtable refuses at any process.
CallMap RefusedOnBigtable() {
  return {
      {"Points::Undo", [](Tsdb* it) { return it->points().Undo(1); }},
      {"Points::Forget", [](Tsdb* it) { return it->points().Forget(1); }},
      {"Names::UndoRename", [](Tsdb* it) { return it->names().UndoRename(1); }},
      {"Names::ForgetRename", [](Tsdb* it) { return it->names().ForgetRename(1); }},
      {"RetentionAdmin::UndoTtl", [](Tsdb* it) { return it->retention().UndoTtl(1); }},
      {"RetentionAdmin::ForgetTtl", [](Tsdb* it) { return it->retention().ForgetTtl(1); }},
      {"RegionAdmin::Split",
       [](Tsdb* it) { return OutcomeOf(it->maintenance().regions()->Split({})); }},
      {"RegionAdmin::PlanSplit",
       [](Tsdb* it) { return OutcomeOf(it->maintenance().regions()->PlanSplit({})); }},
      {"RegionAdmin::Merge",
       [](Tsdb* it) { return OutcomeOf(it->maintenance().regions()->Merge("data", {})); }},
      {"RegionAdmin::RollingSplit",
       [](Tsdb* it) { return OutcomeOf(it->maintenance().regions()->RollingSplit("data", "")); }},
      {"RegionAdmin::AbandonRollingSplit",
       [](Tsdb* it) { return it->maintenance().regions()->AbandonRollingSplit("data"); }},
      {"BackupAdmin::Make",
       [](Tsdb* it) { return OutcomeOf(it->maintenance().backups()->Make("/no/backups")); }},
  };
}

// The functions that pass the gate of reads. All others in the calls pass the gate of writes.
const std::set<std::string>& Reads() {
  static const auto* const reads = new std::set<std::string>{
      "Queries::Query",
      "Queries::LastPoints",
      "Queries::LookupSeries",
      "Queries::Scan",
      "Queries::PlanScan",
      "Queries::AggregateRows",
      "Queries::VisitHistograms",
      "Points::CountPoints",
      "Names::Suggest",
      "Names::VisitNames",
      "Names::ListVirtualMetrics",
      "Names::RankMetrics",
      "Names::FindUid",
      "Names::FindName",
      "Names::GrepUids",
      "Names::FindDocument",
      "Names::VisitDocuments",
      "Names::FindTree",
      "Names::VisitTrees",
      "Names::VisitMetadata",
      "Names::CheckUids",
      "SavedViews::Find",
      "SavedViews::Visit",
      "Annotations::Get",
      "Annotations::Visit",
      "Annotations::Global",
      "RetentionAdmin::MetricTtls",
      "RetentionAdmin::EstimateRollups",
      "RegionAdmin::List",
      "RegionAdmin::Explain",
      "RegionAdmin::Loads",
      "RegionAdmin::Check",
      "RegionAdmin::UnfinishedRollingSplit",
      "SaltAdmin::Epochs",
      "FsckAdmin::Check",
  };
  return *reads;
}

// They neither acknowledge a change of the store nor answer with its contents.
const std::set<std::string>& Others() {
  static const auto* const others = new std::set<std::string>{
      "Tsdb::Open",
      "Tsdb::points",  // the functions of the facets are called here, too
      "Tsdb::queries",
      "Tsdb::names",
      "Tsdb::annotations",
      "Tsdb::saved_views",
      "Tsdb::retention",
      "Tsdb::maintenance",
      "Tsdb::Close",                // the journal has all that was acknowledged
      "Queries::LeaseQueryMemory",  // memory of the process
      "Maintenance::DropCaches",
      "RetentionAdmin::store_ttl_s",  // as in the options
      "RetentionAdmin::Rollups",      // these two fail: the storage refuses rules
      "RetentionAdmin::RebuildRollups",
      "Tsdb::layout",
      "Tsdb::stats",
      "Maintenance::Health",
      "Maintenance::Cluster",
      "Maintenance::regions",  // these lead to the admins, whose functions are called here, too
      "Maintenance::salt",
      "Maintenance::backups",
      "Maintenance::fsck",
      "Maintenance::adoption",
      "AdoptionAdmin::HighestUid",  // RestoreNames, which follows, is checked
  };
  return *others;
}

class ReplacedWriterTest : public testing::Test {
 protected:
  static std::unique_ptr<Tsdb> Open(const FakeBigtable& fake, bool follow = false) {
    BigtableOptions bigtable = QuickBigtableOptions(fake);
    bigtable.call_timeout_ms = 200;
    Options options = TinyOptions("bigtable");
    options.storage = std::make_shared<BigtableStorage>(
        bigtable, LeaseOptions{.lease_ms = 1, .heartbeat_ms = kNeverMs});
    options.seal_in_background = false;
    options.follow = follow;
    options.layout.salt_width = 1;
    options.layout.salt_buckets = 4;
    auto opened = Tsdb::Open(options);
    EXPECT_OK(opened);
    if (!opened.ok()) return nullptr;
    return *std::move(opened);
  }

  static std::unique_ptr<Tsdb> OpenWithPoints(const FakeBigtable& fake) {
    std::unique_ptr<Tsdb> tsdb = Open(fake);
    EXPECT_OK(tsdb->points().Put(OwnedPoint{"m", "h=a", kHour, 1}.view()));
    return tsdb;
  }
};

TEST_F(ReplacedWriterTest, AcknowledgesAndAnswersNothing) {
  const CallMap calls = Calls();
  for (const auto& [name, call] : calls) {
    SCOPED_TRACE(name);
    {
      FakeBigtable fake;
      const std::unique_ptr<Tsdb> writer = OpenWithPoints(fake);
      EXPECT_OK(call(writer.get())) << "at the writer itself";
    }
    FakeBigtable fake;
    const std::unique_ptr<Tsdb> replaced = OpenWithPoints(fake);
    const std::unique_ptr<Tsdb> writer = Open(fake);
    const absl::Status done = call(replaced.get());
    EXPECT_TRUE(absl::IsUnavailable(done) || absl::IsFailedPrecondition(done)) << done;
    // Nor does it once it knows.
    const absl::Status again = call(replaced.get());
    EXPECT_TRUE(absl::IsUnavailable(again) || absl::IsFailedPrecondition(again)) << again;
  }
}

// The role of a follower.
TEST_F(ReplacedWriterTest, AFollowerAnswersReadsAndRefusesWrites) {
  CallMap calls = Calls();
  CallMap refused = RefusedOnBigtable();
  calls.merge(refused);
  FakeBigtable fake;
  const std::unique_ptr<Tsdb> writer = OpenWithPoints(fake);
  const std::unique_ptr<Tsdb> follower = Open(fake, /*follow=*/true);
  for (const auto& [name, call] : calls) {
    const absl::Status done = call(follower.get());
    EXPECT_EQ(done.code(), Reads().contains(name) ? absl::StatusCode::kOk
                                                  : absl::StatusCode::kFailedPrecondition)
        << name << ": " << done;
  }
}

TEST_F(ReplacedWriterTest, AClosedStoreRefusesEveryCall) {
  CallMap calls = Calls();
  CallMap refused = RefusedOnBigtable();
  calls.merge(refused);
  FakeBigtable fake;
  const std::unique_ptr<Tsdb> closed = OpenWithPoints(fake);
  ASSERT_OK(closed->Close());
  for (const auto& [name, call] : calls)
    EXPECT_THAT(call(closed.get()), StatusIs(absl::StatusCode::kFailedPrecondition)) << name;
}

// Without other processes, no call is refused.
TEST_F(ReplacedWriterTest, AStoreOfOneProcessTakesEveryCall) {
  for (const auto& [name, call] : Calls()) {
    const TempDir directory;
    Options options = TinyOptions(directory.path());
    options.seal_in_background = false;
    options.layout.salt_width = 1;
    options.layout.salt_buckets = 4;
    auto alone = Tsdb::Open(options);
    ASSERT_OK(alone);
    ASSERT_OK((*alone)->points().Put(OwnedPoint{"m", "h=a", kHour, 1}.view()));
    EXPECT_OK(call(alone->get())) << name;
  }
}

// A call that finds out that its process was replaced is made again: at the writer of now.
TEST_F(ReplacedWriterTest, ChangesThatItRefusesMayBeRepeated) {
  FakeBigtable fake;
  const std::unique_ptr<Tsdb> replaced = OpenWithPoints(fake);
  const std::unique_ptr<Tsdb> writer = Open(fake);

  EXPECT_THAT(replaced->retention().SetMetricTtl("m", 0), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(replaced->retention().SetMetricTtl("m", 0), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_OK(writer->retention().SetMetricTtl("m", 0));
}

// The names of the public functions of a class in a header: "Class::Function".
std::set<std::string> FunctionsOf(const std::string& name, const std::string& header) {
  std::ifstream file(std::string(HOURCELL_SOURCE_DIR) + "/engine/" + header);
  EXPECT_TRUE(file) << header;
  std::set<std::string> functions;
  const RE2 declaration(R"(^  [^ /].*?\b([A-Za-z_]+)\()");
  bool is_in_class = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "class " + name + " {" || line == "class " + name + " final {") is_in_class = true;
    if (is_in_class && (line == " private:" || line == "};")) break;
    std::string function;
    if (is_in_class && !line.starts_with("  using ") &&
        RE2::PartialMatch(line, declaration, &function) && function != name) {
      functions.insert(name + "::" + function);
    }
  }
  return functions;
}

// A new function must be added to the calls above.
TEST_F(ReplacedWriterTest, EveryFunctionIsCalled) {
  std::set<std::string> known = Others();
  const CallMap calls = Calls();
  for (const auto& [name, call] : calls)
    known.insert(name.substr(0, name.find(' ')));
  for (const auto& [name, call] : RefusedOnBigtable())
    known.insert(name);
  std::set<std::string> declared;
  for (const auto& [name, header] :
       std::vector<std::pair<std::string, std::string>>{{"Tsdb", "tsdb.h"},
                                                        {"Points", "points.h"},
                                                        {"Queries", "queries.h"},
                                                        {"Names", "names.h"},
                                                        {"Annotations", "annotations.h"},
                                                        {"SavedViews", "saved_views.h"},
                                                        {"RetentionAdmin", "retention.h"},
                                                        {"Maintenance", "maintenance.h"},
                                                        {"RegionAdmin", "region_admin.h"},
                                                        {"SaltAdmin", "salt_admin.h"},
                                                        {"BackupAdmin", "backup_admin.h"},
                                                        {"FsckAdmin", "fsck_admin.h"},
                                                        {"AdoptionAdmin", "adoption_admin.h"}}) {
    declared.merge(FunctionsOf(name, header));
  }
  EXPECT_EQ(declared, known);
}

}  // namespace
}  // namespace hourcell::replaced_writer_test
