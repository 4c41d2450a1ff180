// A writer that was paused, was replaced meanwhile, and continues without knowing it: it
// acknowledges nothing and answers nothing, in any of its functions.

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

#include "engine/adoption_admin.h"
#include "engine/bigtable/bigtable_storage.h"
#include "engine/fsck_admin.h"
#include "engine/query/result_collector.h"
#include "engine/region_admin.h"
#include "engine/salt_admin.h"
#include "engine/tsdb.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

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
  return tsdb->Append(std::span<const LinePoint>(&point, 1), nullptr).Wait();
}

absl::Status StreamQuery(Tsdb* tsdb) {
  QueryResult result;
  ResultCollector collector(&result);
  return tsdb->Query(SomeQuery(), &collector, nullptr);
}

absl::Status AskLast(Tsdb* tsdb) {
  LastQuery query;
  query.queries.push_back({.metric = "m"});
  return tsdb->LastPoints(query, [](const LastPoint&) {});
}

absl::Status PutNote(Tsdb* tsdb) {
  const AnnotationEdit edit{.tsuid = "", .start_time = kHour, .description = "a"};
  return OutcomeOf(tsdb->PutAnnotations({&edit, 1}, AnnotationWrite::kMerge));
}

absl::Status AssignGiven(Tsdb* tsdb) {
  const UidRow row{
      .kind = UidKind::kMetric, .name = "given", .uid_bytes = std::string("\0\1\0", 3)};
  return tsdb->AssignGivenUids({&row, 1});
}

absl::Status RestoreName(Tsdb* tsdb) {
  const RestoredName name{.name = "restored", .uid = 300};
  return tsdb->adoption()->RestoreNames(UidKind::kMetric, {&name, 1}, 300);
}

absl::Status IndexNoRow(Tsdb* tsdb) {
  std::vector<RowFault> faults;
  return tsdb->adoption()->IndexRows({}, &faults);
}

using Call = std::function<absl::Status(Tsdb* tsdb)>;

// By "Class::Function"; of overloads and variants several.
using CallMap = std::multimap<std::string, Call>;

CallMap PointCalls() {
  return {
      {"Tsdb::Put", [](Tsdb* it) { return it->Put(OwnedPoint{"m", "h=a", kHour + 5, 1}.view()); }},
      {"Tsdb::Append",
       [](Tsdb* it) {
         OwnedPoint point{"m", "h=a", kHour + 5, 1};
         return it->Append({&point.view(), 1}, nullptr).Wait();
       }},
      {"Tsdb::Append", AppendLine},
      {"Tsdb::Query", [](Tsdb* it) { return OutcomeOf(it->Query(SomeQuery())); }},
      {"Tsdb::Query", StreamQuery},
      {"Tsdb::LastPoints", AskLast},
      {"Tsdb::LookupSeries",
       [](Tsdb* it) {
         return OutcomeOf(
             it->LookupSeries({.metric = "m"}, [](const FoundSeries&) { return true; }));
       }},
      {"Tsdb::DeletePoints", [](Tsdb* it) { return OutcomeOf(it->DeletePoints(SomeQuery())); }},
      {"Tsdb::Scan", [](Tsdb* it) { return it->Scan({}, [](const ScannedRow&) { return true; }); }},
      {"Tsdb::PlanScan", [](Tsdb* it) { return OutcomeOf(it->PlanScan({})); }},
      {"Tsdb::DropExpired", [](Tsdb* it) { return OutcomeOf(it->DropExpired()); }},
      {"Tsdb::SealDue", [](Tsdb* it) { return it->SealDue(); }},
      {"Tsdb::Seal", [](Tsdb* it) { return it->Seal(); }},
      {"Tsdb::Flush", [](Tsdb* it) { return it->Flush(); }},
      {"Tsdb::Compact", [](Tsdb* it) { return it->Compact(); }},
  };
}

// Of names, annotations and TTLs.
CallMap NameCalls() {
  return {
      {"Tsdb::Suggest", [](Tsdb* it) { return OutcomeOf(it->Suggest(UidKind::kMetric, "", 9)); }},
      {"Tsdb::VisitNames",
       [](Tsdb* it) { return it->VisitNames({}, [](std::string_view) { return true; }); }},
      {"Tsdb::GetAnnotation", [](Tsdb* it) { return OutcomeOf(it->GetAnnotation("", kHour)); }},
      {"Tsdb::PutAnnotations", PutNote},
      {"Tsdb::DeleteAnnotation", [](Tsdb* it) { return it->DeleteAnnotation("", kHour); }},
      {"Tsdb::DeleteAnnotations",
       [](Tsdb* it) { return OutcomeOf(it->DeleteAnnotations({}, true, 1, kHour * 1000)); }},
      {"Tsdb::VisitAnnotations",
       [](Tsdb* it) {
         return it->VisitAnnotations([](const Annotation&) { return absl::OkStatus(); });
       }},
      {"Tsdb::GlobalAnnotations",
       [](Tsdb* it) { return OutcomeOf(it->GlobalAnnotations(1, kHour * 1000)); }},
      {"Tsdb::AssignUid",
       [](Tsdb* it) { return OutcomeOf(it->AssignUid(UidKind::kMetric, "new")); }},
      {"Tsdb::AssignUid", [](Tsdb* it) { return OutcomeOf(it->AssignUid(UidKind::kMetric, "m")); }},
      {"Tsdb::AssignGivenUids", AssignGiven},
      {"Tsdb::FindUid", [](Tsdb* it) { return OutcomeOf(it->FindUid(UidKind::kMetric, "m")); }},
      {"Tsdb::FindName", [](Tsdb* it) { return OutcomeOf(it->FindName(UidKind::kMetric, 1)); }},
      {"Tsdb::GrepUids",
       [](Tsdb* it) {
         return it->GrepUids(UidKind::kMetric, "m", false, [](const UidRow&) { return true; });
       }},
      {"Tsdb::RenameUid", [](Tsdb* it) { return it->RenameUid(UidKind::kMetric, "m", "m2"); }},
      {"Tsdb::DeleteUid", [](Tsdb* it) { return it->DeleteUid(UidKind::kMetric, "m"); }},
      {"Tsdb::CheckUids", [](Tsdb* it) { return OutcomeOf(it->CheckUids(/*repair=*/false)); }},
      {"Tsdb::CheckUids", [](Tsdb* it) { return OutcomeOf(it->CheckUids(/*repair=*/true)); }},
      {"Tsdb::SetMetricTtl", [](Tsdb* it) { return it->SetMetricTtl("m", 0); }},
      {"Tsdb::MetricTtls", [](Tsdb* it) { return OutcomeOf(it->MetricTtls()); }},
  };
}

CallMap AdminCalls() {
  return {
      {"RegionAdmin::List",
       [](Tsdb* it) { return OutcomeOf(it->regions()->List("data", ListDetail::kPlain)); }},
      {"RegionAdmin::Explain",
       [](Tsdb* it) { return OutcomeOf(it->regions()->Explain("data", "\\x00\\x00\\x00\\x01")); }},
      {"RegionAdmin::Loads",
       [](Tsdb* it) { return OutcomeOf(it->regions()->Loads("data", 0, ListDetail::kPlain)); }},
      {"RegionAdmin::Check", [](Tsdb* it) { return OutcomeOf(it->regions()->Check("meta")); }},
      {"RegionAdmin::UnfinishedRollingSplit",
       [](Tsdb* it) { return OutcomeOf(it->regions()->UnfinishedRollingSplit("data")); }},
      {"SaltAdmin::Epochs", [](Tsdb* it) { return OutcomeOf(it->salt()->Epochs()); }},
      {"SaltAdmin::Change", [](Tsdb* it) { return it->salt()->Change(7, std::nullopt); }},
      {"FsckAdmin::Check", [](Tsdb* it) { return OutcomeOf(it->fsck()->Check({})); }},
      {"AdoptionAdmin::RestoreNames", RestoreName},
      {"AdoptionAdmin::IndexRows", IndexNoRow},
      {"AdoptionAdmin::ReplaceRow",
       [](Tsdb* it) { return it->adoption()->ReplaceRow("a row key", ""); }},
  };
}

CallMap Calls() {
  CallMap calls = PointCalls();
  CallMap names = NameCalls();
  calls.merge(names);
  CallMap admins = AdminCalls();
  calls.merge(admins);
  return calls;
}

// They neither acknowledge a change of the store nor answer with its contents.
const std::set<std::string>& Others() {
  static const auto* const others = new std::set<std::string>{
      "Tsdb::Open",
      "Tsdb::Close",             // the journal has all that was acknowledged
      "Tsdb::LeaseQueryMemory",  // memory of the process
      "Tsdb::DropCaches",
      "Tsdb::store_ttl_s",  // as in the options
      "Tsdb::layout", "Tsdb::stats", "Tsdb::Health", "Tsdb::Cluster",
      "Tsdb::regions",  // these lead to the admins, whose functions are called here, too
      "Tsdb::salt", "Tsdb::backups", "Tsdb::fsck", "Tsdb::adoption",
      // A store on Bigtable refuses these at any process.
      "RegionAdmin::Split", "RegionAdmin::Merge", "RegionAdmin::RollingSplit",
      "RegionAdmin::AbandonRollingSplit", "BackupAdmin::Make",
      "AdoptionAdmin::HighestUid",  // RestoreNames, which follows, is checked
  };
  return *others;
}

class ReplacedWriterTest : public testing::Test {
 protected:
  static std::unique_ptr<Tsdb> Open(const FakeBigtable& fake) {
    BigtableOptions bigtable = QuickBigtableOptions(fake);
    bigtable.call_timeout_ms = 200;
    Options options = TinyOptions("bigtable");
    options.storage = std::make_shared<BigtableStorage>(
        bigtable, LeaseOptions{.lease_ms = 1, .heartbeat_ms = kNeverMs});
    options.seal_in_background = false;
    options.layout.salt_width = 1;
    options.layout.salt_buckets = 4;
    auto opened = Tsdb::Open(options);
    EXPECT_OK(opened);
    if (!opened.ok()) return nullptr;
    return *std::move(opened);
  }

  static std::unique_ptr<Tsdb> OpenWithPoints(const FakeBigtable& fake) {
    std::unique_ptr<Tsdb> tsdb = Open(fake);
    EXPECT_OK(tsdb->Put(OwnedPoint{"m", "h=a", kHour, 1}.view()));
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

// A call that finds out that its process was replaced is made again: at the writer of now.
TEST_F(ReplacedWriterTest, ChangesThatItRefusesMayBeRepeated) {
  FakeBigtable fake;
  const std::unique_ptr<Tsdb> replaced = OpenWithPoints(fake);
  const std::unique_ptr<Tsdb> writer = Open(fake);

  EXPECT_THAT(replaced->SetMetricTtl("m", 0), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(replaced->SetMetricTtl("m", 0), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_OK(writer->SetMetricTtl("m", 0));
}

// The names of the public functions of a class in a header: "Class::Function".
std::set<std::string> FunctionsOf(const std::string& name, const std::string& header) {
  std::ifstream file(std::string(HOURCELL_SOURCE_DIR) + "/engine/" + header);
  EXPECT_TRUE(file) << header;
  std::set<std::string> functions;
  const RE2 declaration(R"(^  [^ /].*?\b([A-Za-z_]+)\()");
  bool is_in_class = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "class " + name + " {") is_in_class = true;
    if (is_in_class && line == " private:") break;
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
    known.insert(name);
  std::set<std::string> declared;
  for (const auto& [name, header] :
       std::vector<std::pair<std::string, std::string>>{{"Tsdb", "tsdb.h"},
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
