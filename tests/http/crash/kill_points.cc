#include "tests/http/crash/kill_points.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/http/server_process.h"
#include "tests/support/source_dir.h"

namespace hourcell {

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::vector<std::string> TinyBudgets(std::string_view sync, int seal_grace_s) {
  std::vector<std::string> arguments;
  for (const std::string& setting :
       {fmt::format("tsd.storage.sync={}", sync),
        fmt::format("tsd.storage.seal_grace={}", seal_grace_s),
        std::string("tsd.storage.sync_interval=20"), std::string("tsd.storage.open_hours=65536"),
        std::string("tsd.storage.journal=32768"),
        std::string("tsd.storage.journal.segment=4096")}) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  return arguments;
}

std::string PutBody(int first, int count) {
  std::string body = "[";
  for (int i = first; i < first + count; ++i) {
    body += fmt::format(R"({}{{"metric":"m","timestamp":{},"value":{},"tags":{{"host":"h{}"}}}})",
                        i == first ? "" : ",", 1356998400 + i, i, i / 10);
  }
  return body + "]";
}

int CountPoints(uint16_t port) {
  const HttpResult result =
      HttpCall(port, "GET", "/api/query?start=1356998400&end=1357084800&m=sum:0all-count:m");
  if (result.status != 200) return -1;
  const size_t at = result.body.find("\"1356998400\":");
  return at == std::string::npos ? -1 : std::atoi(result.body.c_str() + at + 13);
}

void ExpectCleanUids(const std::string& directory) {
  const ProgramResult fsck = RunProgram({"uid", "fsck", "--data", directory});
  EXPECT_EQ(fsck.exit_code, 0) << fsck.out << fsck.err;
}

std::vector<std::string> KillPointsIn(const std::string& folder) {
  constexpr std::string_view kCall = "HOURCELL_KILL_POINT(\"";
  std::set<std::string> points;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SourcePath(folder))) {
    if (entry.path().extension() != ".cc") continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    for (size_t at = 0; (at = text.find(kCall, at)) != std::string::npos;) {
      at += kCall.size();
      points.insert(text.substr(at, text.find('"', at) - at));
    }
  }
  return {points.begin(), points.end()};
}

std::vector<std::string> DeclaredKillPoints() {
  std::set<std::string> points;
  for (const char* const folder : {"uid", "engine", "server"}) {
    for (std::string& point : KillPointsIn(folder))
      points.insert(std::move(point));
  }
  for (const std::string& point : KillPointsIn("engine/bigtable"))
    points.erase(point);
  return {points.begin(), points.end()};
}

std::string KillPointName(const testing::TestParamInfo<std::string>& param_info) {
  std::string name = param_info.param;
  for (char& c : name) {
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

}  // namespace hourcell
