// The real program as a child process, and sockets to it. For black-box tests.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace hourcell {

// The tested program: HOURCELL_PROGRAM, for example that of a build with a sanitizer, or the one of
// this build.
const char* ProgramPath();

// The result of a program that ended.
struct ProgramResult {
  int exit_code = 0;  // -signal if a signal ended it
  std::string out;
  std::string err;
};

// Runs the program to its end, with `input` on its standard input. `environment` is "NAME=value".
ProgramResult RunProgram(const std::vector<std::string>& arguments,
                         std::string_view input = {},
                         const std::string& environment = {});

// Starts the program and kills it after `after_ms`, at any point. Returns the exit code of one that
// ended before that; else -SIGKILL.
int RunAndKill(const std::vector<std::string>& arguments, int64_t after_ms);

// `hourcell serve` on a directory, listening on a port of the system's choice.
class ServerProcess {
 public:
  // Starts the server and waits until it prints its address. `environment` is "NAME=value". `under`
  // is a program and its arguments that runs the server in its own process, as valgrind does.
  explicit ServerProcess(const std::string& directory,
                         const std::vector<std::string>& arguments = {},
                         const std::string& environment = {},
                         const std::vector<std::string>& under = {});
  // Kills it if it still runs.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  uint16_t port() const { return port_; }  // 0 if it ended before it listened
  pid_t pid() const { return pid_; }
  // The line with its address, without the line end.
  const std::string& first_line() const { return first_line_; }

  // Sends a signal and waits for the end; the exit code, or -signal.
  int End(int signal);
  // Waits until the server ends without a signal from here.
  int Wait();
  // Whether it has ended, or does so within `within_ms`. Call End or Wait all the same.
  bool HasEnded(int64_t within_ms) const;

 private:
  pid_t pid_ = -1;
  uint16_t port_ = 0;
  std::string first_line_;
  int out_ = -1;
};

// A blocking TCP connection to 127.0.0.1. Every read and write gives up after the patience.
class TcpClient {
 public:
  explicit TcpClient(uint16_t port, int64_t patience_ms = 60'000);
  ~TcpClient();
  TcpClient(const TcpClient&) = delete;
  TcpClient& operator=(const TcpClient&) = delete;

  // False: no process listens there, and nothing can be sent.
  bool is_connected() const { return socket_ >= 0; }
  // False if the other side is gone.
  bool Send(std::string_view bytes);
  // No more will be sent: FIN.
  void ShutdownWrite();
  // All bytes until the other side closes.
  std::string ReadToEnd();
  // All bytes until `lines` line ends, or the end.
  std::string ReadLines(size_t lines);
  // All bytes until there are `count`, or the end.
  std::string ReadBytes(size_t count);

 private:
  int socket_ = -1;
};

struct HttpResult {
  int status = 0;  // 0: no reply
  std::string headers;
  std::string body;
};

// One request on a separate connection. `headers` are whole lines, each with \r\n; without the one
// of the default, a POST that changes something is refused as a form's.
HttpResult HttpCall(uint16_t port,
                    std::string_view method,
                    std::string_view target,
                    std::string_view body = {},
                    std::string_view headers = "Content-Type: application/json\r\n");

// The same as the last request of a connection that was just made.
HttpResult HttpCallOn(TcpClient* client,
                      std::string_view method,
                      std::string_view target,
                      std::string_view body = {},
                      std::string_view headers = "Content-Type: application/json\r\n");

// Sends lines over telnet, closes its side, and returns the answers until the server closed.
std::string SendLines(uint16_t port, std::string_view lines);

// The gzip file of tests/data, inflated.
std::string ReadGzipData(const std::string& name);

}  // namespace hourcell
