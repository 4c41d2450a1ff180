// The commands of docs/migrate.md, run one after the other.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"

namespace hourcell::migrate_guide_test {
namespace {

using testing::Ge;
using testing::HasSubstr;
using testing::SizeIs;

// The lines of the boxes of a shell.
std::vector<std::string> Commands(const std::string& document) {
  std::ifstream file(SourcePath(document));
  std::vector<std::string> commands;
  bool is_in_box = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      is_in_box = line == "```sh";
    } else if (is_in_box) {
      commands.push_back(line);
    }
  }
  return commands;
}

class MigrateGuideTest : public testing::Test {
 protected:
  void Write(const std::string& name, std::string_view text) {
    std::ofstream(dir_.file(name)) << text;
  }

  // Runs a command with the tested program as `hourcell`. The output goes to the file `log`.
  int Run(const std::string& command) {
    return std::system(fmt::format("cd '{}' && PATH=\"{}:$PATH\" && "
                                   "{{ {}; }} >>log 2>&1",
                                   dir_.path(),
                                   std::filesystem::path(HOURCELL_BINARY).parent_path().string(),
                                   command)
                           .c_str());
  }

  std::string Log() const {
    std::ifstream log(dir_.file("log"));
    return {std::istreambuf_iterator<char>(log), std::istreambuf_iterator<char>()};
  }

  TempDir dir_;
};

TEST_F(MigrateGuideTest, EveryCommandOfTheGuideRuns) {
  Write("points", "cpu.user 1356998400 1 host=a\ncpu.user 1356998401 2.5 host=a\n");
  ASSERT_EQ(Run("gzip points"), 0);
  Write("export.jsonl",
        R"({"metric":{"__name__":"up"},"values":[1],"timestamps":[1356998400000]})");
  Write("carbon.txt", "a.b;host=a 3 1356998400\na.c 4 1356998400\n");
  std::filesystem::create_directories(dir_.file("dumps/servers/web01"));
  Write("dumps/servers/web01/load.txt",
        "Archive 0 info:\n  seconds per point: 60\n\nArchive 1 info:\n  seconds per point: 300\n\n"
        "Archive 0 data:\n0: 1356998700,        1.5\n1: 0,          0\n"
        "Archive 1 data:\n0: 1356998400,          2\n1: 1356998700,          9\n");
  Write("points.csv", "1356998402,cpu.user,3,a\n");
  Write("hosts.csv", "time,host,cpu,x,load\n1356998400,a,5,x,6\n");
  Write("influx.txt",
        "# DDL\nCREATE DATABASE db WITH NAME autogen\n# DML\n# CONTEXT-DATABASE:db\n"
        "cpu,host=a user=1.5,procs=7i 1356998400000000000\n");
  Write("uids.txt", "metrics cpu.user: [0, 0, 7]\ntagk host: [0, 0, 9]\n");
  Write("telegraf.txt", "cpu,host=a user=2.5 1356998410\n");
  const std::vector<std::string> commands = Commands("docs/migrate.md");
  ASSERT_THAT(commands, SizeIs(Ge(14u)));

  for (const std::string& command : commands)
    EXPECT_EQ(Run(command), 0) << command << "\n" << Log();

  EXPECT_THAT(Log(), HasSubstr("exported 13 points\n13\n"));
  EXPECT_THAT(Log(), HasSubstr("exported 3 points\n"));
  // Once more: nothing is stored twice.
  ASSERT_EQ(Run("hourcell import --data store all.txt && hourcell export --data store >again.txt"),
            0);
  EXPECT_EQ(Run("cmp all.txt again.txt"), 0);
}

}  // namespace
}  // namespace hourcell::migrate_guide_test
