#include "server/cli/terminal.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr size_t kWriteBytes = 64 * 1024;

// `error`: an errno; 0 = unknown.
absl::Status OutputError(int error) {
  if (error == 0) return absl::UnavailableError("the output could not be written in whole");
  if (error == EPIPE) {
    return absl::UnavailableError("the output was cut short: its reader has gone");
  }
  return absl::UnavailableError(
      fmt::format("cannot write the output: {}", std::generic_category().message(error)));
}

}  // namespace

void PrintText(std::FILE* file, std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), file);
}

std::string Counted(uint64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", count, noun);
}

int FinishOutput(Terminal& terminal, std::string_view command, int exit_code) {
  const bool failed_before = std::ferror(terminal.out) != 0;
  errno = 0;
  const bool fails_now = std::fflush(terminal.out) != 0;
  if (exit_code != kExitOk || (!failed_before && !fails_now)) return exit_code;
  return Fail(terminal, command, OutputError(fails_now ? errno : 0));
}

std::string_view StatusText(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

int Fail(Terminal& terminal, std::string_view command, const absl::Status& status) {
  PrintTo(terminal.err, "hourcell {}: {}\n", command, StatusText(status));
  return kExitFailure;
}

int FailUsage(Terminal& terminal, std::string_view command, std::string_view message) {
  PrintTo(terminal.err, "hourcell {0}: {1}\nTry 'hourcell {0} --help'.\n", command, message);
  return kExitUsage;
}

int FailWords(Terminal& terminal,
              std::string_view command,
              std::span<const std::string> got,
              std::string_view want) {
  const std::string words = fmt::format("{}", fmt::join(got, " "));
  return FailUsage(terminal, command,
                   fmt::format("expected {}, got {}", want,
                               got.empty() ? "no argument" : QuoteForMessage(words)));
}

bool TextOutput::WriteIfLarge() {
  if (buffer_.size() >= kWriteBytes) Write();
  return error_ == 0;
}

absl::Status TextOutput::Finish() {
  Write();
  if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
  return error_ == 0 ? absl::OkStatus() : OutputError(error_);
}

void TextOutput::Write() {
  if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
    error_ = errno;
  }
  buffer_.clear();
}

}  // namespace hourcell
