#include "server/cli/terminal.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <system_error>

#include <absl/status/status.h>
#include <fmt/format.h>

namespace hourcell {
namespace {

constexpr size_t kWriteBytes = 64 * 1024;

}  // namespace

std::string_view StatusText(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

int Fail(Terminal& terminal, std::string_view command, const absl::Status& status) {
  fmt::print(terminal.err, "hourcell {}: {}\n", command, StatusText(status));
  return kExitFailure;
}

int FailUsage(Terminal& terminal, std::string_view command, std::string_view message) {
  fmt::print(terminal.err, "hourcell {0}: {1}\nTry 'hourcell {0} --help'.\n", command, message);
  return kExitUsage;
}

bool TextOutput::WriteIfLarge() {
  if (buffer_.size() >= kWriteBytes) Write();
  return error_ == 0;
}

absl::Status TextOutput::Finish() {
  Write();
  if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
  if (error_ == 0 || error_ == EPIPE) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("cannot write the output: {}", std::generic_category().message(error_)));
}

void TextOutput::Write() {
  if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
    error_ = errno;
  }
  buffer_.clear();
}

}  // namespace hourcell
