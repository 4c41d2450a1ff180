// The rules of the tree, held against the tree. The checks themselves are tested in
// *_checks_test.cc.

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/strings.h"
#include "tests/support/source_dir.h"
#include "tests/tidy/claim_checks.h"
#include "tests/tidy/claim_exceptions.h"
#include "tests/tidy/file_checks.h"
#include "tests/tidy/folder_rules.h"
#include "tests/tidy/tree_checks.h"
#include "tests/tidy/type_checks.h"
#include "tests/tidy/word_checks.h"

namespace hourcell::tidy {
namespace {

// Files whose test is elsewhere, and where.
constexpr std::array kMirrorExceptions = {
    MirrorException{"codec/base/clock.cc", "one call of the operating system"},
    MirrorException{"codec/base/kill_point.cc", "ends the process: tests/http/crash/crash_test.cc"},
    MirrorException{"codec/base/random.cc", "one call of the operating system"},
    MirrorException{"engine/bigtable/bigtable_view.cc",
                    "tests/engine/table/conformance, tests/engine/bigtable"},
    MirrorException{"engine/bigtable/writer/journal_rows.cc",
                    "tests/engine/bigtable/writer/bigtable_journal_test.cc, "
                    "bigtable_journal_tail_test.cc"},
    MirrorException{"engine/days/day_cursor.cc", "tests/engine/days/day_row_store_test.cc"},
    MirrorException{"engine/days/day_writes.cc", "tests/engine/days/day_row_store_test.cc"},
    MirrorException{"engine/days/hour_cell.cc", "tests/engine/days/day_row_store_test.cc"},
    MirrorException{"engine/days/hour_cursor.cc", "tests/engine/days/day_row_store_test.cc"},
    MirrorException{"engine/days/hours_view.cc", "tests/engine/days/day_row_store_test.cc"},
    MirrorException{"engine/deletion/hidden_finder.cc",
                    "tests/engine/deletion/series_unlister_test.cc"},
    MirrorException{"engine/deletion/hidden_remover.cc",
                    "tests/engine/deletion/deletion_log_test.cc"},
    MirrorException{"engine/deletion/hidden_selection.cc",
                    "tests/engine/deletion/deletion_log_test.cc"},
    MirrorException{"engine/deletion/hidden_series_reader.cc",
                    "tests/engine/deletion/deletion_log_test.cc"},
    MirrorException{"engine/deletion/point_restorer.cc",
                    "tests/engine/deletion/deletion_log_test.cc"},
    MirrorException{"engine/facets/annotations.cc",
                    "tests/server/documents/annotation_handler_test.cc"},
    MirrorException{"engine/facets/maintenance.cc", "tests/engine/store/tsdb_test.cc"},
    MirrorException{"engine/facets/names.cc", "tests/engine/store/tsdb_test.cc"},
    MirrorException{"engine/facets/points.cc", "tests/engine/store/tsdb_test.cc"},
    MirrorException{"engine/facets/queries.cc", "tests/engine/store/tsdb_test.cc"},
    MirrorException{"engine/facets/retention.cc", "tests/model/expiry_model_test.cc"},
    MirrorException{"engine/facets/saved_views.cc", "tests/engine/backup/backup_admin_test.cc"},
    MirrorException{"engine/fsck/fsck_checks.cc",
                    "tests/engine/fsck/fsck_test.cc, fsck_admin_test.cc"},
    MirrorException{"engine/hidden/hidden_cell.cc", "tests/engine/hidden/hidden_writes_test.cc"},
    MirrorException{"engine/hidden/hidden_cursor.cc",
                    "tests/engine/hidden/hidden_points_store_test.cc"},
    MirrorException{"engine/hidden/hidden_rows.cc",
                    "tests/engine/hidden/hidden_points_store_test.cc"},
    MirrorException{"engine/hidden/hidden_view.cc",
                    "tests/engine/hidden/hidden_points_store_test.cc"},
    MirrorException{"engine/histograms/annotated_series.cc",
                    "tests/engine/deletion/series_unlister_test.cc"},
    MirrorException{"engine/journal/journal_repair.cc",
                    "tests/engine/journal/journal_recovery_test.cc"},
    MirrorException{"engine/query/stages/aggregate_spans.cc",
                    "tests/engine/query/stages/aggregate_test.cc"},
    MirrorException{"engine/query/stages/tag_regexp.cc",
                    "tests/engine/query/stages/tag_filter_test.cc"},
    MirrorException{"engine/read/day_joiner.cc", "tests/engine/read/row_reader_test.cc"},
    MirrorException{"engine/rocks/rocks_merge.cc", "tests/engine/table/table_store_test.cc"},
    MirrorException{"engine/rocks/regions/rocks_region_files.cc",
                    "tests/engine/rocks/rocks_region_changer_test.cc"},
    MirrorException{"engine/rocks/rocks_region_size.cc",
                    "tests/engine/rocks/rocks_region_changer_test.cc"},
    MirrorException{"engine/rocks/files/rocks_status.cc", "tests/engine/table/table_store_test.cc"},
    MirrorException{"engine/role/follower.cc", "tests/engine/bigtable/follower_test.cc"},
    MirrorException{"engine/role/store_role.cc", "tests/engine/bigtable/replaced_writer_test.cc"},
    MirrorException{"engine/rollups/keeper/level_writer.cc",
                    "tests/engine/rollups/keeper/rollup_keeper_test.cc"},
    MirrorException{"engine/series/series_table_reads.cc",
                    "tests/engine/series/series_table_test.cc"},
    MirrorException{"engine/store/gates.cc", "tests/engine/bigtable/replaced_writer_test.cc"},
    MirrorException{"engine/store/read_side.cc", "tests/engine/store/tsdb_test.cc"},
    MirrorException{"engine/store/store_core.cc", "tests/engine/store/tsdb_test.cc"},
    MirrorException{"engine/store/tsdb_impl.cc", "tests/engine/store/tsdb_test.cc"},
    MirrorException{"engine/store/write_side.cc",
                    "tests/engine/store/tsdb_test.cc, tests/engine/bigtable/follower_test.cc"},
    MirrorException{"engine/rocks/rocks_table_store.cc", "tests/engine/table/table_store_test.cc"},
    MirrorException{"engine/scan/row_scanner.cc", "tests/engine/store/tsdb_test.cc"},
    MirrorException{"engine/series/series_reads.cc", "tests/engine/series/series_table_test.cc"},
    MirrorException{"engine/series/series_ref.cc", "tests/engine/series/series_table_test.cc"},
    MirrorException{"engine/read/group_finisher.cc",
                    "tests/engine/read/query_executor_test.cc, tests/model"},
    MirrorException{"engine/rollups/rollup_plan.cc",
                    "tests/engine/rollups/rollup_levels_test.cc plans and runs every query"},
    MirrorException{"engine/rollups/rollup_run.cc",
                    "tests/engine/rollups/rollup_levels_test.cc plans and runs every query"},
    MirrorException{"engine/read/member_reader.cc",
                    "tests/engine/read/query_executor_test.cc, tests/model"},
    MirrorException{"engine/read/span_reader.cc", "tests/engine/store/tsdb_test.cc, tests/model"},
    MirrorException{"engine/read/sub_query_pipeline.cc",
                    "tests/engine/store/tsdb_test.cc, tests/model"},
    MirrorException{"engine/rows/uid_key.cc", "tests/engine/names/table_uid_store_test.cc"},
    MirrorException{"server/names/document_map.cc", "tests/server/names/meta_search_test.cc"},
    MirrorException{"server/trees/stored_trees.cc", "tests/server/trees/tree_handler_test.cc"},
    MirrorException{"server/trees/tree_fields.cc", "tests/server/trees/tree_handler_test.cc"},
    MirrorException{"server/trees/tree_series.cc", "tests/server/trees/branch_handler_test.cc"},
    MirrorException{"server/net/connection_counters.cc",
                    "names; tests/server/ports/connection_test.cc"},
    MirrorException{"server/http/http_message.cc", "tests/server/http/http_target_test.cc"},
    MirrorException{"server/ports/graphite_port.cc", "tests/server/ports/input_ports_test.cc"},
    MirrorException{"server/ports/input_port.cc", "tests/server/ports/input_ports_test.cc"},
    MirrorException{"server/ports/listener.cc", "tests/server/server_test.cc"},
    MirrorException{"server/ports/statsd_port.cc", "tests/server/ports/input_ports_test.cc"},
    MirrorException{"server/cli/main.cc", "main(): tests/http starts the program"},
    MirrorException{"server/net/socket_reader.cc",
                    "one read; tests/server/ports/connection_test.cc"},
    MirrorException{"server/net/socket_writer.cc",
                    "tests/server/ports/connection_stream_test.cc, server_overload_test.cc"},
    MirrorException{"server/text/stats_text.cc", "tests/server/telnet/line_protocol_test.cc"},
};

const std::vector<SourceFile>& Tree() {
  static const std::vector<SourceFile> tree = LoadTree(SourcePath("."));
  return tree;
}

const SourceFile& FileOfTree(std::string_view path) {
  for (const SourceFile& file : Tree()) {
    if (file.path == path) return file;
  }
  ADD_FAILURE() << path << " is not there";
  static const SourceFile none("", "");
  return none;
}

// What one check finds in all files of the tree.
std::string ReportOf(std::vector<Finding> (*check)(const SourceFile&)) {
  std::vector<Finding> all;
  for (const SourceFile& file : Tree()) {
    for (Finding& finding : check(file))
      all.push_back(std::move(finding));
  }
  return Report(all);
}

TEST(TidyTest, TreeIsFound) {
  EXPECT_GT(Tree().size(), 50u);
}

TEST(TidyTest, DependenciesPointDown) {
  EXPECT_EQ(ReportOf(CheckIncludes), "");
}

TEST(TidyTest, LinesAreClean) {
  EXPECT_EQ(ReportOf(CheckLines), "");
}

TEST(TidyTest, HeadersSayWhatTheyAreFor) {
  EXPECT_EQ(ReportOf(CheckHeaderForm), "");
}

TEST(TidyTest, FilesAreShort) {
  EXPECT_EQ(ReportOf(CheckFileLength), "");
}

TEST(TidyTest, FunctionsAreShort) {
  EXPECT_EQ(ReportOf(CheckFunctionLength), "");
}

TEST(TidyTest, WordsAreOurs) {
  EXPECT_EQ(ReportOf(CheckWords), "");
}

TEST(TidyTest, WordsHaveOneMeaning) {
  EXPECT_EQ(ReportOf(CheckMeanings), "");
}

TEST(TidyTest, ErrorsHaveOneForm) {
  EXPECT_EQ(ReportOf(CheckErrorForm), "");
}

TEST(TidyTest, OnePlaceEscapes) {
  EXPECT_EQ(ReportOf(CheckEscapers), "");
}

TEST(TidyTest, PathsAreOfNoMachine) {
  EXPECT_EQ(ReportOf(CheckMachinePaths), "");
}

TEST(TidyTest, TemporaryFilesHaveNamesThatAreFree) {
  EXPECT_EQ(ReportOf(CheckScratchNames), "");
}

TEST(TidyTest, EverySourceHasItsTest) {
  EXPECT_EQ(Report(CheckMirrors(Tree(), kMirrorExceptions)), "");
}

TEST(TidyTest, EverySourceIsBuilt) {
  EXPECT_EQ(Report(CheckBuilt(Tree())), "");
}

TEST(TidyTest, FoldersAreSmallAndSayWhatIsInThem) {
  EXPECT_EQ(Report(CheckFolders(Tree())), "");
}

TEST(TidyTest, RowsOfFoldersPointUp) {
  std::set<std::string_view> above;
  for (const FolderRule& rule : FolderRules()) {
    std::istringstream folders{std::string(rule.may_include)};
    std::string folder;
    while (folders >> folder)
      EXPECT_TRUE(above.contains(folder)) << rule.folder << " may include " << folder;
    EXPECT_TRUE(above.insert(rule.folder).second) << rule.folder << " has two rows";
  }
}

TEST(TidyTest, RowsAreOfFoldersThatExist) {
  for (const FolderRule& rule : FolderRules()) {
    EXPECT_TRUE(std::ranges::any_of(Tree(), [&](const SourceFile& file) {
      return file.IsCpp() && RuleOf(file.path) == &rule;
    })) << rule.folder;
  }
}

TEST(TidyTest, NoTwoTypesHaveOneName) {
  EXPECT_EQ(Report(CheckTypeNames(Tree())), "");
}

TEST(TidyTest, LinksLeadSomewhere) {
  EXPECT_EQ(Report(CheckLinks(Tree())), "");
}

TEST(TidyTest, LimitsTableIsTrue) {
  EXPECT_EQ(Report(CheckLimitsTable(FileOfTree("ARCHITECTURE.md"), FileOfTree("codec/limits.h"))),
            "");
}

TEST(TidyTest, PromisesNameTestsThatExist) {
  for (const SourceFile& file : Tree()) {
    if (file.IsMarkdown()) {
      EXPECT_EQ(Report(CheckNamedTests(file, Tree())), "");
    }
  }
}

TEST(TidyTest, ReadmesNameFilesThatExist) {
  EXPECT_EQ(Report(CheckReadmeNames(Tree())), "");
}

TEST(TidyTest, FunctionsCheckWhatTheyRequire) {
  EXPECT_EQ(Report(CheckRequirements(Tree(), kUncheckedRequirements)), "");
}

TEST(TidyTest, FunctionsHaveCallers) {
  EXPECT_EQ(Report(CheckCallers(Tree(), kUncalledFunctions)), "");
}

TEST(TidyTest, EachPlantedBugIsInTheTable) {
  EXPECT_EQ(Report(CheckPlantedTable(FileOfTree("docs/reliability.md"), Tree())), "");
}

TEST(TidyTest, DocumentsNameTablesInsteadOfCounts) {
  EXPECT_EQ(ReportOf(CheckCounts), "");
}

TEST(TidyTest, InstalledHeadersAreThoseReached) {
  EXPECT_EQ(Report(CheckInstalledHeaders(Tree())), "");
}

TEST(TidyTest, EmbeddingProgramsAreThoseBuilt) {
  for (const char* const program :
       {"tests/install/main.cc", "tests/install/hooks.cc", "tests/install/operate.cc"})
    EXPECT_EQ(Report(CheckProgram(FileOfTree("docs/embedding.md"), FileOfTree(program))), "");
}

// Rows of the table of commands: {"store", "its help", &StoreMain},
TEST(TidyTest, EachCommandRunsTheFunctionOfItsName) {
  size_t commands = 0;
  for (const std::string_view line : Lines(FileOfTree("server/cli/main.cc").text)) {
    constexpr std::string_view kRow = "    {\"";
    const size_t begin = line.find('&');
    if (!line.starts_with(kRow) || begin == std::string_view::npos) continue;
    const std::string_view name =
        line.substr(kRow.size(), line.find('"', kRow.size()) - kRow.size());
    const std::string_view function = line.substr(begin + 1, line.rfind('}') - begin - 1);
    EXPECT_EQ(LowerCase(function), std::string(name) + "main");
    ++commands;
  }
  EXPECT_GT(commands, 20u);
}

}  // namespace
}  // namespace hourcell::tidy
