#include "tests/cluster/child_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
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
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open(output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  HOURCELL_CHECK(in >= 0 && out >= 0);
  pid_ = fork();
  HOURCELL_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    // It does not outlive a test that is killed.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(in);
  close(out);
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
