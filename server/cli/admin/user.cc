#include "server/cli/admin/user.h"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/strings.h"
#include "server/access/access_rights.h"
#include "server/access/credentials.h"
#include "server/access/secret_hash.h"
#include "server/cli/command_line.h"

namespace hourcell {
namespace {

constexpr std::string_view kUserCommand = "user";

// Turns the echo of a terminal off while it lives. Does nothing to other files.
class EchoOff {
 public:
  explicit EchoOff(std::FILE* file) : fd_(fileno(file)) {
    is_tty_ = tcgetattr(fd_, &before_) == 0;
    if (!is_tty_) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(fd_, TCSAFLUSH, &silent);
  }
  ~EchoOff() {
    if (is_tty_) tcsetattr(fd_, TCSAFLUSH, &before_);
  }
  EchoOff(const EchoOff&) = delete;
  EchoOff& operator=(const EchoOff&) = delete;

  bool is_tty() const { return is_tty_; }

 private:
  const int fd_;
  bool is_tty_ = false;
  termios before_ = {};
};

// The first line without its end; cut after kSecretBytesMax + 1 bytes, so that the caller sees it
// is too long.
std::string ReadSecret(std::FILE* file, Terminal& terminal) {
  const EchoOff echo_off(file);
  if (echo_off.is_tty()) PrintTo(terminal.err, "Secret: ");
  std::string secret;
  for (int c = std::fgetc(file); c != EOF && c != '\n' && secret.size() <= kSecretBytesMax;
       c = std::fgetc(file)) {
    secret.push_back(static_cast<char>(c));
  }
  if (secret.ends_with('\r')) secret.pop_back();
  if (echo_off.is_tty()) PrintTo(terminal.err, "\n");
  return secret;
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace

int RunUser(const UserOptions& options, Terminal& terminal) {
  if (options.words.size() != 2 || options.words[0] != "add") {
    return FailWords(terminal, kUserCommand, options.words, "add NAME");
  }
  const std::string& name = options.words[1];
  if (!IsUserName(name)) {
    return FailUsage(terminal, kUserCommand,
                     fmt::format("name: expected 1 to {} characters of A-Z a-z 0-9 _ -, got {}",
                                 kUserBytesMax, QuoteForMessage(name)));
  }
  const absl::StatusOr<AccessRights> rights = AccessRights::Parse(options.role);
  if (!rights.ok()) return FailUsage(terminal, kUserCommand, StatusText(rights.status()));

  const std::string secret = options.generate ? RandomSecret() : ReadSecret(options.in, terminal);
  if (secret.empty() || secret.size() > kSecretBytesMax ||
      std::ranges::any_of(secret, &IsControl)) {
    return FailUsage(terminal, kUserCommand,
                     fmt::format("secret: expected one line of 1 to {} bytes on standard input, "
                                 "without control characters",
                                 kSecretBytesMax));
  }
  PrintTo(terminal.out, "{}", CredentialsLine(name, *rights, SecretHash::Make(secret)));
  if (options.generate) PrintTo(terminal.err, "{}.{}\n", name, secret);
  return kExitOk;
}

int UserMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("user",
                   "Creates credentials of a user: prints a line for the file of tsd.auth.file.");
  UserOptions options;
  line.AddOption("--role", &options.role, "ROLE",
                 "role: read (the default), write, read+write, admin or none");
  line.AddFlag("--generate", &options.generate,
               "generate the secret, and print the token NAME.SECRET to standard error");
  line.AddWords("SUBCOMMAND", &options.words, "add NAME");
  line.set_footer(
      "Subcommands:\n"
      "  add NAME   print the line of a user for the file of tsd.auth.file\n"
      "The secret is the first line of standard input. The printed line has only its salted\n"
      "hash. The server reads the file again within a second of a change; see docs/security.md.\n"
      "Clients send user and secret (HTTP basic authentication), a token (Authorization: Bearer\n"
      "NAME.SECRET), or on telnet: auth NAME SECRET. Commands with --url take their token from\n"
      "the variable HOURCELL_TOKEN.\n"
      "\nExamples:\n"
      "  hourcell user add grafana >> users\n"
      "  hourcell user add tcollector --role write --generate >> users 2> token\n"
      "  hourcell serve --bind 0.0.0.0 --tsd.auth.file=users\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunUser(options, terminal);
}

}  // namespace hourcell
