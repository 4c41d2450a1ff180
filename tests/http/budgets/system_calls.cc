#include "tests/http/budgets/system_calls.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr char kStrace[] = "/usr/bin/strace";

// Starts strace with its standard error in a pipe; it reports there when it has attached.
pid_t StartStrace(pid_t server, const std::string& counts, int* said) {
  int ends[2];
  HOURCELL_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<std::string> words = {
      kStrace, "-f", "-c", "-o", counts, "-p", std::to_string(server)};
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  HOURCELL_CHECK(posix_spawn(&pid, kStrace, &actions, nullptr, argv.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  *said = ends[0];
  return pid;
}

bool HasAttached(int said) {
  std::string text;
  char byte = 0;
  while (read(said, &byte, 1) == 1 && byte != '\n')
    text += byte;
  return text.find("attached") != std::string::npos;
}

// "% time seconds usecs/call calls [errors] syscall", the rows between two lines of dashes.
std::map<std::string, int64_t> CallsIn(const std::string& path) {
  std::map<std::string, int64_t> calls;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; words >> word;)
      row.push_back(word);
    if (row.size() < 5 || row[0] == "%" || row[0].starts_with("-") || row.back() == "total")
      continue;
    calls[row.back()] = std::stoll(row[3]);
  }
  return calls;
}

}  // namespace

std::optional<std::map<std::string, int64_t>> CountSystemCalls(pid_t server,
                                                               const std::function<void()>& work) {
  if (!std::filesystem::exists(kStrace)) return std::nullopt;
  TempDir dir;
  int said = -1;
  const pid_t strace = StartStrace(server, dir.file("counts"), &said);
  const bool attached = HasAttached(said);
  if (attached) {
    work();
    kill(strace, SIGINT);
  }
  int status = 0;
  HOURCELL_CHECK(waitpid(strace, &status, 0) == strace);
  close(said);
  if (!attached) return std::nullopt;
  return CallsIn(dir.file("counts"));
}

int64_t VoluntarySwitches(pid_t server) {
  constexpr std::string_view kName = "voluntary_ctxt_switches:";
  int64_t sum = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(server) + "/task")) {
    std::ifstream file(task.path() / "status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(kName)) sum += std::stoll(line.substr(kName.size()));
  }
  return sum;
}

}  // namespace hourcell
