#include "tests/http/server_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <zlib.h>

#include "codec/base/check.h"
#include "tests/support/source_dir.h"

namespace hourcell {
namespace {

constexpr int kPatienceMs = 60'000;

struct Child {
  pid_t pid = -1;
  int in = -1;
  int out = -1;
  int err = -1;
};

// Pipes are close-on-exec, so that a child holds no end of another's.
void MakePipe(int ends[2]) {
  HOURCELL_CHECK(pipe2(ends, O_CLOEXEC) == 0);
}

// `under` is a program and its arguments that runs the program; empty: nothing does.
Child Spawn(const std::vector<std::string>& arguments,
            const std::string& environment,
            bool capture_err,
            const std::vector<std::string>& under = {}) {
  int in[2];
  int out[2];
  int err[2];
  MakePipe(in);
  MakePipe(out);
  MakePipe(err);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  if (capture_err) posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  std::vector<std::string> words = under;
  words.emplace_back(ProgramPath());
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string extra = environment;
  std::vector<char*> envp;
  for (char** variable = environ; *variable != nullptr; ++variable)
    envp.push_back(*variable);
  if (!extra.empty()) envp.push_back(extra.data());
  envp.push_back(nullptr);
  Child child{.pid = -1, .in = in[1], .out = out[0], .err = err[0]};
  const int failed =
      posix_spawnp(&child.pid, argv.front(), &actions, nullptr, argv.data(), envp.data());
  HOURCELL_CHECK(failed == 0);
  posix_spawn_file_actions_destroy(&actions);
  for (const int fd : {in[0], out[1], err[1]})
    close(fd);
  return child;
}

int ExitCode(pid_t pid) {
  int status = 0;
  HOURCELL_CHECK(waitpid(pid, &status, 0) == pid);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

bool WaitReadable(int fd) {
  pollfd poll_fd{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&poll_fd, 1, kPatienceMs) == 1;
}

std::string ReadAll(int fd) {
  std::string all;
  char buffer[4096];
  while (true) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got <= 0) return all;
    all.append(buffer, static_cast<size_t>(got));
  }
}

std::string ReadLine(int fd) {
  std::string line;
  char c = 0;
  while (WaitReadable(fd) && read(fd, &c, 1) == 1 && c != '\n')
    line.push_back(c);
  return line;
}

// The port after "listening on <address>:"; 0 if that is not in the line.
uint16_t PortIn(const std::string& line) {
  const size_t at = line.find("listening on ");
  if (at == std::string::npos) return 0;
  const size_t colon = line.find(':', at);
  uint16_t port = 0;
  std::from_chars(line.data() + colon + 1, line.data() + line.size(), port);
  return port;
}

}  // namespace

const char* ProgramPath() {
  const char* const other = std::getenv("HOURCELL_PROGRAM");
  return other != nullptr ? other : HOURCELL_BINARY;
}

ProgramResult RunProgram(const std::vector<std::string>& arguments,
                         std::string_view input,
                         const std::string& environment) {
  const Child child = Spawn(arguments, environment, /*capture_err=*/true);
  ProgramResult result;
  std::thread writer([&] {
    for (size_t sent = 0; sent < input.size();) {
      const ssize_t wrote = write(child.in, input.data() + sent, input.size() - sent);
      if (wrote <= 0) break;
      sent += static_cast<size_t>(wrote);
    }
    close(child.in);
  });
  std::thread reader([&] { result.err = ReadAll(child.err); });
  result.out = ReadAll(child.out);
  writer.join();
  reader.join();
  result.exit_code = ExitCode(child.pid);
  close(child.out);
  close(child.err);
  return result;
}

int RunAndKill(const std::vector<std::string>& arguments, int64_t after_ms) {
  const Child child = Spawn(arguments, {}, /*capture_err=*/false);
  std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
  kill(child.pid, SIGKILL);
  const int code = ExitCode(child.pid);
  for (const int fd : {child.in, child.out, child.err})
    close(fd);
  return code;
}

ServerProcess::ServerProcess(const std::string& directory,
                             const std::vector<std::string>& arguments,
                             const std::string& environment,
                             const std::vector<std::string>& under) {
  std::vector<std::string> words = {"serve", "--port", "0", "--data", directory};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Child child = Spawn(words, environment, /*capture_err=*/false, under);
  close(child.in);
  close(child.err);
  pid_ = child.pid;
  out_ = child.out;
  first_line_ = ReadLine(out_);
  port_ = PortIn(first_line_);
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) End(SIGKILL);
  close(out_);
}

int ServerProcess::End(int signal) {
  kill(pid_, signal);
  return Wait();
}

int ServerProcess::Wait() {
  const int code = ExitCode(pid_);
  pid_ = -1;
  return code;
}

bool ServerProcess::HasEnded(int64_t within_ms) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(within_ms);
  while (true) {
    siginfo_t info = {};
    HOURCELL_CHECK(waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0);
    if (info.si_pid == pid_) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TcpClient::TcpClient(uint16_t port, int64_t patience_ms)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  timeval patience{.tv_sec = patience_ms / 1000, .tv_usec = patience_ms % 1000 * 1000};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (connect(socket_, generic, sizeof address) != 0) {
    close(socket_);
    socket_ = -1;
  }
}

TcpClient::~TcpClient() {
  if (socket_ >= 0) close(socket_);
}

bool TcpClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void TcpClient::ShutdownWrite() {
  shutdown(socket_, SHUT_WR);
}

std::string TcpClient::ReadToEnd() {
  return ReadAll(socket_);
}

std::string TcpClient::ReadLines(size_t lines) {
  std::string text;
  char c = 0;
  while (lines > 0 && recv(socket_, &c, 1, 0) == 1) {
    text.push_back(c);
    if (c == '\n') --lines;
  }
  return text;
}

std::string TcpClient::ReadBytes(size_t count) {
  std::string bytes(count, '\0');
  size_t size = 0;
  while (size < count) {
    const ssize_t got = recv(socket_, bytes.data() + size, count - size, 0);
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

namespace {

// The bytes of the chunks of a chunked body; a chunk that was cut short is left out.
std::string JoinChunks(std::string_view chunks) {
  std::string body;
  while (true) {
    const size_t line_end = chunks.find("\r\n");
    size_t size = 0;
    if (line_end == std::string_view::npos) return body;
    std::from_chars(chunks.data(), chunks.data() + line_end, size, 16);
    chunks.remove_prefix(line_end + 2);
    if (size == 0 || chunks.size() < size + 2) return body;
    body.append(chunks.substr(0, size));
    chunks.remove_prefix(size + 2);
  }
}

}  // namespace

HttpResult HttpCall(uint16_t port,
                    std::string_view method,
                    std::string_view target,
                    std::string_view body,
                    std::string_view headers) {
  TcpClient client(port);
  return HttpCallOn(&client, method, target, body, headers);
}

HttpResult HttpCallOn(TcpClient* client,
                      std::string_view method,
                      std::string_view target,
                      std::string_view body,
                      std::string_view headers) {
  client->Send(
      fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                  "Content-Length: {}\r\n{}\r\n",
                  method, target, body.size(), headers));
  client->Send(body);
  const std::string reply = client->ReadToEnd();
  HttpResult result;
  const size_t end = reply.find("\r\n\r\n");
  if (end == std::string::npos || reply.size() < 12) return result;
  std::from_chars(reply.data() + 9, reply.data() + 12, result.status);
  result.headers = reply.substr(0, end);
  result.body = reply.substr(end + 4);
  if (result.headers.find("Transfer-Encoding: chunked") != std::string::npos) {
    result.body = JoinChunks(result.body);
  }
  return result;
}

std::string SendLines(uint16_t port, std::string_view lines) {
  TcpClient client(port);
  // Replies are read while lines are sent, so that neither side waits for the other.
  std::string replies;
  std::thread reader([&] { replies = client.ReadToEnd(); });
  client.Send(lines);
  client.ShutdownWrite();
  reader.join();
  return replies;
}

std::string ReadGzipData(const std::string& name) {
  gzFile file = gzopen(SourcePath("tests/data/" + name).c_str(), "rb");
  HOURCELL_CHECK(file != nullptr);
  std::string all;
  char buffer[1 << 16];
  for (int got = 0; (got = gzread(file, buffer, sizeof buffer)) > 0;) {
    all.append(buffer, static_cast<size_t>(got));
  }
  gzclose(file);
  return all;
}

}  // namespace hourcell
