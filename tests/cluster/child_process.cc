#include "tests/cluster/child_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "codec/base/check.h"
#include "tests/http/server_process.h"

namespace hourcell {

ChildProcess::ChildProcess(std::vector<std::string> words,
                           const std::vector<std::string>& environment,
                           const std::string& output_file) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> extra = environment;
  std::vector<char*> envp;
  for (char** variable = environ; *variable != nullptr; ++variable)
    envp.push_back(*variable);
  for (std::string& variable : extra)
    envp.push_back(variable.data());
  envp.push_back(nullptr);
  HOURCELL_CHECK(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), envp.data()) == 0);
  posix_spawn_file_actions_destroy(&actions);
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  Signal(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void ChildProcess::Signal(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

bool ChildProcess::HasEnded() {
  int status = 0;
  if (pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
    ended_by_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    pid_ = -1;
  }
  return pid_ < 0;
}

bool ChildProcess::EndWithin(int64_t ms) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  bool is_in_time = true;
  while (!HasEnded()) {
    if (std::chrono::steady_clock::now() > deadline) {
      is_in_time = false;
      Signal(SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return is_in_time;
}

uint16_t FreePort() {
  const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  HOURCELL_CHECK(bind(socket_fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  HOURCELL_CHECK(getsockname(socket_fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  close(socket_fd);
  return ntohs(address.sin_port);
}

bool ListensWithin(uint16_t port, int64_t ms) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (!TcpClient(port).is_connected()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace hourcell
