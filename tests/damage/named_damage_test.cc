// Named damages of the files and rows of a store, and the effects of each: the result of an open,
// the answers to questions, the counters and the findings of fsck. docs/damage.md has the table.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include "engine/fsck.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/series_key.h"
#include "engine/rows/uid_key.h"
#include "engine/table/table.h"
#include "engine/tsdb.h"
#include "tests/damage/full_store.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::named_damage_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The reaction of a store.
enum class Does : uint8_t {
  kRefuse,     // the open fails
  kAnswer,     // every question is answered as before
  kSayErrors,  // some are answered with data loss, the others as before
  kNameByUid,  // all points are there; a name that is gone is its UID in hex
};

// What `hourcell fsck` does.
enum class Fsck : uint8_t { kRefuses, kFindsNothing, kFindsFaults };

struct NamedDamage {
  std::string name;
  std::function<void(const std::string& store)> damage;
  Does does = Does::kRefuse;
  std::string says = {};  // of the open's error, or of one of the answers
  Fsck fsck = Fsck::kRefuses;
};

std::string Manifest(const std::string& store) {
  std::string name = ReadFile(store + "/db/CURRENT");
  name.pop_back();
  return store + "/db/" + name;
}

rocksdb::TableProperties PropertiesOf(const std::string& path) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  EXPECT_TRUE(reader.Open(path).ok()) << path;
  return *reader.GetTableProperties();
}

// The SST files of the column families whose name begins so, the largest first.
std::vector<std::string> SstFilesOf(const std::string& store, std::string_view family) {
  std::vector<std::string> files;
  for (const std::string& file : StoreFiles(store)) {
    const std::string path = store + "/" + file;
    if (file.ends_with(".sst") && PropertiesOf(path).column_family_name.starts_with(family)) {
      files.push_back(path);
    }
  }
  EXPECT_FALSE(files.empty()) << family;
  std::ranges::stable_sort(files, std::ranges::greater(),
                           [](const std::string& path) { return fs::file_size(path); });
  return files;
}

std::string SstFileOf(const std::string& store, std::string_view family) {
  return SstFilesOf(store, family).front();
}

void Cut(const std::string& path, size_t bytes_off) {
  const std::string content = ReadFile(path);
  ReplaceFile(path, std::string_view(content).substr(0, content.size() - bytes_off));
}

void FlipAt(const std::string& path, size_t offset, int bit = 0) {
  std::string content = ReadFile(path);
  HOURCELL_CHECK(offset < content.size());
  content[offset] = static_cast<char>(content[offset] ^ (1 << bit));
  ReplaceFile(path, content);
}

// From the file's end, where RocksDB keeps the description of the rest.
void FlipFromEnd(const std::string& path, size_t back, int bit = 0) {
  FlipAt(path, ReadFile(path).size() - back, bit);
}

void Change(const std::string& store, const std::vector<Mutation>& group) {
  const auto tables = OpenRocksTableStore(store + "/db", FullStoreOptions(store));
  ASSERT_OK(tables);
  ASSERT_OK((*tables)->Apply(group, /*sync=*/false));
  ASSERT_OK((*tables)->Close());
}

// The first row of a table whose key begins so.
std::pair<std::string, std::string> FirstRow(const std::string& store,
                                             TableId table,
                                             const std::string& prefix) {
  std::pair<std::string, std::string> row;
  const auto tables = OpenRocksTableStore(store + "/db", FullStoreOptions(store));
  EXPECT_OK(tables);
  EXPECT_OK((*tables)->Snapshot()->Scan(table, {.begin = prefix, .end = ""},
                                        [&](std::string_view key, std::string_view value) {
                                          row = {std::string(key), std::string(value)};
                                          return false;
                                        }));
  EXPECT_TRUE(row.first.starts_with(prefix)) << prefix;
  return row;
}

// Sets the value of the first row whose key begins so.
std::function<void(const std::string&)> SetsRow(TableId table,
                                                std::string prefix,
                                                std::string value) {
  return [=](const std::string& store) {
    const std::string key = FirstRow(store, table, prefix).first;
    Change(store, {{table, Mutation::Kind::kSet, key, value}});
  };
}

std::function<void(const std::string&)> DeletesRow(TableId table, std::string prefix) {
  return [=](const std::string& store) {
    const std::string key = FirstRow(store, table, prefix).first;
    Change(store, {{table, Mutation::Kind::kDelete, key, ""}});
  };
}

std::string LargestOfRows(const std::string& store) {
  return SstFileOf(store, "data.");
}

// The manifests, which list the SST files.
std::vector<NamedDamage> DamagedManifests() {
  return {
      {"CurrentMissing", [](const auto& s) { fs::remove(s + "/db/CURRENT"); }, Does::kRefuse,
       "CURRENT is missing"},
      {"CurrentEmpty", [](const auto& s) { ReplaceFile(s + "/db/CURRENT", ""); }, Does::kRefuse,
       "expected the name of a manifest"},
      {"CurrentGarbage", [](const auto& s) { ReplaceFile(s + "/db/CURRENT", "\1\2\3\n"); },
       Does::kRefuse, "expected the name of a manifest"},
      {"CurrentNamesNoFile",
       [](const auto& s) { ReplaceFile(s + "/db/CURRENT", "MANIFEST-999999\n"); }, Does::kRefuse,
       "MANIFEST-999999 is missing"},
      {"ManifestMissing", [](const auto& s) { fs::remove(Manifest(s)); }, Does::kRefuse,
       "is missing"},
      {"ManifestFlipped", [](const auto& s) { FlipAt(Manifest(s), 60); }, Does::kRefuse,
       "expected the CRC"},
      {"ManifestFlippedInALength", [](const auto& s) { FlipAt(Manifest(s), 5, 6); }, Does::kRefuse,
       "expected the CRC"},
      {"ManifestFlippedInAType", [](const auto& s) { FlipAt(Manifest(s), 6, 2); }, Does::kRefuse,
       "expected the CRC"},
      {"ManifestCut", [](const auto& s) { Cut(Manifest(s), 30); }, Does::kRefuse,
       "that were synced"},
      {"ManifestSumMissing", [](const auto& s) { fs::remove(Manifest(s) + ".sum"); }, Does::kAnswer,
       "", Fsck::kFindsNothing},
      {"ManifestSumFlipped", [](const auto& s) { FlipFromEnd(Manifest(s) + ".sum", 3); },
       Does::kAnswer, "", Fsck::kFindsNothing},
  };
}

std::vector<NamedDamage> DamagedSstFiles() {
  const auto data = LargestOfRows;
  return {
      {"SstFileMissing", [=](const auto& s) { fs::remove(data(s)); }, Does::kRefuse,
       "No such file"},
      {"SstFileCut", [=](const auto& s) { Cut(data(s), 100); }, Does::kRefuse, ".sst"},
      {"SstFileEmpty", [=](const auto& s) { ReplaceFile(data(s), ""); }, Does::kRefuse, ".sst"},
      {"RowsFlipped",
       [](const auto& s) {
         // After a split, daughters share files, and damage to rows that only a sister reads does
         // no harm.
         for (const std::string& path : SstFilesOf(s, "data."))
           FlipAt(path, PropertiesOf(path).data_size / 2);
       },
       Does::kSayErrors, ".sst", Fsck::kFindsFaults},
      {"FilterFlipped",
       [=](const auto& s) { FlipAt(data(s), PropertiesOf(data(s)).data_size + 20); }, Does::kAnswer,
       "", Fsck::kFindsNothing},
      {"IndexFlipped",
       [=](const auto& s) {
         const rocksdb::TableProperties properties = PropertiesOf(data(s));
         FlipAt(data(s), properties.data_size + properties.filter_size + 20);
       },
       Does::kRefuse, ".sst"},
      {"PropertiesFlipped", [=](const auto& s) { FlipFromEnd(data(s), 600); }, Does::kRefuse,
       ".sst"},
      {"FooterOtherChecksum", [=](const auto& s) { FlipFromEnd(data(s), 53, 2); }, Does::kRefuse,
       "footer"},
      {"FooterOtherVersion", [=](const auto& s) { FlipFromEnd(data(s), 12, 2); }, Does::kRefuse,
       "footer"},
      {"FooterOtherMagic", [=](const auto& s) { FlipFromEnd(data(s), 1); }, Does::kRefuse,
       "footer"},
      {"NamesFlipped", [](const auto& s) { FlipAt(SstFileOf(s, "uid"), 20); }, Does::kRefuse,
       ".sst", Fsck::kFindsFaults},
      {"SeriesFlipped", [](const auto& s) { FlipAt(SstFileOf(s, "series"), 200); }, Does::kRefuse,
       ".sst", Fsck::kFindsFaults},
      {"SystemTableFlipped", [](const auto& s) { FlipAt(SstFileOf(s, "meta"), 20); }, Does::kRefuse,
       ".sst"},
      {"AnnotationsFlipped", [](const auto& s) { FlipAt(SstFileOf(s, "annotation"), 20); },
       Does::kRefuse, ".sst", Fsck::kFindsFaults},
  };
}

std::vector<NamedDamage> OtherDamagedFiles() {
  return {
      {"IdentityMissing", [](const auto& s) { fs::remove(s + "/db/IDENTITY"); }, Does::kAnswer, "",
       Fsck::kFindsNothing},
      {"IdentityGarbage", [](const auto& s) { ReplaceFile(s + "/db/IDENTITY", "\xff"); },
       Does::kAnswer, "", Fsck::kFindsNothing},
      {"OptionsGarbage", [](const auto& s) { ReplaceFile(s + "/db/OPTIONS-000007", "\xff"); },
       Does::kAnswer, "", Fsck::kFindsNothing},
      {"LocksMissing",
       [](const auto& s) {
         fs::remove(s + "/LOCK");
         fs::remove(s + "/db/LOCK");
       },
       Does::kAnswer, "", Fsck::kFindsNothing},
      {"LogGarbage", [](const auto& s) { ReplaceFile(s + "/rocksdb.log", "\xff"); }, Does::kAnswer,
       "", Fsck::kFindsNothing},
      {"TablesMissing", [](const auto& s) { fs::remove_all(s + "/db"); }, Does::kRefuse,
       "CURRENT is missing"},
      {"JournalMissing", [](const auto& s) { fs::remove_all(s + "/journal"); }, Does::kRefuse,
       "journal is missing", Fsck::kFindsFaults},
      {"JournalMissingAndAnEmptyOneMade",
       [](const auto& s) {
         fs::remove_all(s + "/journal");
         fs::create_directory(s + "/journal");
       },
       Does::kAnswer, "", Fsck::kFindsNothing},
  };
}

std::vector<NamedDamage> DamagedRows() {
  return {
      {"FormatGarbage", SetsRow(TableId::kSystem, "format", "x"), Does::kRefuse, "store format"},
      {"FormatMissing", DeletesRow(TableId::kSystem, "format"), Does::kRefuse, "no format record"},
      {"LayoutGarbage", SetsRow(TableId::kSystem, "layout", "x"), Does::kRefuse, "layout"},
      {"LayoutMissing", DeletesRow(TableId::kSystem, "layout"), Does::kRefuse, "no layout record"},
      {"LowMarkGarbage", SetsRow(TableId::kSystem, "low_mark", "x"), Does::kRefuse, "low_mark"},
      {"TtlGarbage", SetsRow(TableId::kSystem, "ttl/", "x"), Does::kRefuse, "ttl/",
       Fsck::kFindsNothing},
      {"RegionGarbage", SetsRow(TableId::kSystem, "region/data/", "x"), Does::kRefuse,
       "region/data/"},
      {"RegionMissing", DeletesRow(TableId::kSystem, "region/data/"), Does::kRefuse,
       "region catalogue"},
      {"UidOfANameGarbage", SetsRow(TableId::kUid, UidForwardPrefix(UidKind::kMetric), "x"),
       Does::kSayErrors, "uid", Fsck::kFindsFaults},
      {"NameOfAUidMissing", DeletesRow(TableId::kUid, UidReversePrefix(UidKind::kTagv)),
       Does::kNameByUid, "", Fsck::kFindsFaults},
      {"UidCounterGarbage", SetsRow(TableId::kUid, UidCounterKey(UidKind::kMetric), "x"),
       Does::kRefuse, "counter", Fsck::kFindsFaults},
      {"SeriesCounterGarbage", SetsRow(TableId::kSeries, SeriesCounterKey(), "x"), Does::kRefuse,
       "8", Fsck::kFindsFaults},
      {"SeriesRowGarbage", SetsRow(TableId::kSeries, "n", "x"), Does::kSayErrors, "series",
       Fsck::kFindsFaults},
      {"PostingSetGarbage", SetsRow(TableId::kSeries, "m", "x"), Does::kSayErrors, "posting set",
       Fsck::kFindsFaults},
      {"CellGarbage", SetsRow(TableId::kData, std::string(1, '\0'), "x"), Does::kSayErrors, "row",
       Fsck::kFindsFaults},
      {"AnnotationGarbage", SetsRow(TableId::kAnnotation, std::string(1, '\0'), "x"),
       Does::kSayErrors, "annotation", Fsck::kFindsFaults},
  };
}

class NamedDamageTest : public testing::Test {
 protected:
  void SetUp() override {
    MakeFullStore(whole_);
    LinkStore(whole_, dir_.file("asked"));
    const auto tsdb = Tsdb::Open(FullStoreOptions(dir_.file("asked")));
    ASSERT_OK(tsdb);
    answers_ = AskAll(tsdb->get());
  }

  std::string Damaged(const NamedDamage& damage) {
    const std::string store = dir_.file("damaged");
    LinkStore(whole_, store);
    damage.damage(store);
    return store;
  }

  void CheckAll(const std::vector<NamedDamage>& damages) {
    for (const NamedDamage& damage : damages) {
      SCOPED_TRACE(damage.name);
      CheckOpen(damage);
      CheckFsck(damage);
    }
  }

  void CheckOpen(const NamedDamage& damage) {
    const auto tsdb = Tsdb::Open(FullStoreOptions(Damaged(damage)));
    if (damage.does == Does::kRefuse) {
      ASSERT_FALSE(tsdb.ok());
      EXPECT_THAT(tsdb.status().ToString(), HasSubstr(damage.says));
      return;
    }
    ASSERT_OK(tsdb);
    const std::vector<StoreAnswer> answers = AskAll(tsdb->get());
    const std::vector<std::string> wrong = WrongAnswers(answers_, answers);
    if (damage.does == Does::kNameByUid) {
      EXPECT_THAT(wrong, testing::Not(testing::IsEmpty()));
      for (size_t i = 0; i < answers.size(); ++i) {
        EXPECT_OK(answers[i].status);
        EXPECT_GE(answers[i].text.size(), answers_[i].text.size());
      }
      return;
    }
    EXPECT_THAT(wrong, testing::IsEmpty());
    CheckErrors(damage, answers, (*tsdb)->stats().counter("storage.data_loss")->value());
  }

  static void CheckErrors(const NamedDamage& damage,
                          const std::vector<StoreAnswer>& answers,
                          uint64_t losses) {
    std::string errors;
    for (const StoreAnswer& answer : answers) {
      if (!answer.status.ok()) errors += answer.question + ": " + answer.status.ToString() + "\n";
    }
    if (damage.does == Does::kAnswer) {
      EXPECT_EQ(errors, "");
      EXPECT_EQ(losses, 0U);
      return;
    }
    EXPECT_THAT(errors, HasSubstr("DATA_LOSS"));
    EXPECT_THAT(errors, HasSubstr(damage.says));
    EXPECT_GT(losses, 0U);
  }

  void CheckFsck(const NamedDamage& damage) {
    const auto report = RunFsck(FullStoreOptions(Damaged(damage)), {});
    EXPECT_EQ(report.ok(), damage.fsck != Fsck::kRefuses);
    if (!report.ok()) return;
    EXPECT_EQ(report->faults() > 0, damage.fsck == Fsck::kFindsFaults)
        << (report->examples.empty() ? "" : report->examples.front().text);
  }

  TempDir dir_;
  const std::string whole_ = dir_.file("whole");
  std::vector<StoreAnswer> answers_;  // of the whole store
};

TEST_F(NamedDamageTest, OfManifestsIsTold) {
  CheckAll(DamagedManifests());
}

TEST_F(NamedDamageTest, OfSstFilesIsTold) {
  CheckAll(DamagedSstFiles());
}

TEST_F(NamedDamageTest, OfOtherFilesIsTold) {
  CheckAll(OtherDamagedFiles());
}

TEST_F(NamedDamageTest, OfRowsIsTold) {
  CheckAll(DamagedRows());
}

}  // namespace
}  // namespace hourcell::named_damage_test
