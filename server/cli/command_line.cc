#include "server/cli/command_line.h"

#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <absl/status/status.h>
#include <fmt/format.h>

#include "server/cli/terminal.h"

namespace hourcell {
namespace {

// The end of every help; scripts/lib/documents makes a section of the manual page from it.
constexpr std::string_view kExitStatus =
    "\nExit status:\n"
    "  0         done\n"
    "  1         failed\n"
    "  2         invalid arguments; nothing was done\n"
    "  130, 143  ended by SIGINT, SIGTERM\n";

// The value type of an optional; else the type itself.
template <typename T>
struct ValueOf {
  using Type = T;
};
template <typename T>
struct ValueOf<std::optional<T>> {
  using Type = T;
};

// CLI11's own conversion reads 010 as 8, and -1 and numbers out of range as the maximum.
template <typename T>
bool ParseCount(const std::string& text, T* value) {
  typename ValueOf<T>::Type count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  *value = count;
  return true;
}

}  // namespace

struct CommandLine::Parser {
  Parser(const std::string& about, const std::string& name) : app(about, name) {}

  CLI::App app;
};

CommandLine::CommandLine(std::string_view name, const std::string& about)
    : name_(name), parser_(std::make_unique<Parser>(about, fmt::format("hourcell {}", name))) {
  set_footer("");
}

CommandLine::~CommandLine() = default;

void CommandLine::AddFlag(const std::string& name, bool* value, const std::string& help) {
  parser_->app.add_flag(name, *value, help);
}

template <typename T>
void CommandLine::AddOption(const std::string& name,
                            T* value,
                            const std::string& type,
                            const std::string& help) {
  if constexpr (std::is_unsigned_v<typename ValueOf<T>::Type>) {
    const CLI::callback_t take = [value](const CLI::results_t& results) {
      return ParseCount(results.back(), value);
    };
    parser_->app.add_option(name, take, help)->type_name(type);
  } else {
    parser_->app.add_option(name, *value, help)->type_name(type);
  }
}

template void CommandLine::AddOption(const std::string&,
                                     std::string*,
                                     const std::string&,
                                     const std::string&);
template void CommandLine::AddOption(const std::string&,
                                     uint64_t*,
                                     const std::string&,
                                     const std::string&);
template void CommandLine::AddOption(const std::string&,
                                     double*,
                                     const std::string&,
                                     const std::string&);
template void CommandLine::AddOption(const std::string&,
                                     std::optional<std::string>*,
                                     const std::string&,
                                     const std::string&);
template void CommandLine::AddOption(const std::string&,
                                     std::optional<uint32_t>*,
                                     const std::string&,
                                     const std::string&);
template void CommandLine::AddOption(const std::string&,
                                     std::optional<uint64_t>*,
                                     const std::string&,
                                     const std::string&);

void CommandLine::AddRepeated(const std::string& name,
                              std::vector<std::string>* values,
                              const std::string& type,
                              const std::string& help) {
  parser_->app.add_option(name, *values, help)->allow_extra_args(false)->type_name(type);
}

void CommandLine::AddList(const std::string& name,
                          std::vector<std::string>* values,
                          const std::string& help) {
  parser_->app.add_option(name, *values, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B");
}

void CommandLine::AddTaken(const std::string& name,
                           const Taker& take,
                           const std::string& type,
                           const std::string& help) {
  const CLI::callback_t callback = [take](const CLI::results_t& results) {
    const absl::Status status = take(results.back());
    if (!status.ok()) throw CLI::ValidationError(std::string(StatusText(status)));
    return true;
  };
  parser_->app.add_option(name, callback, help)->type_name(type);
}

void CommandLine::AddRefused(const std::string& name, const std::string& message) {
  AddTaken(
      name, [message](const std::string&) { return absl::InvalidArgumentError(message); }, "TEXT",
      "");
  parser_->app.get_option(name)->group("");
}

void CommandLine::AddWord(const std::string& name, std::string* value, const std::string& help) {
  parser_->app.add_option(name, *value, help)->required();
}

void CommandLine::AddWords(const std::string& name,
                           std::vector<std::string>* values,
                           const std::string& help) {
  parser_->app.add_option(name, *values, help);
}

void CommandLine::Exclude(const std::string& name, const std::string& other) {
  parser_->app.get_option(name)->excludes(parser_->app.get_option(other));
}

void CommandLine::set_footer(const std::string& footer) {
  parser_->app.footer(footer + std::string(kExitStatus));
}

std::optional<int> CommandLine::Parse(const std::vector<std::string>& args, Terminal& terminal) {
  CLI::App& app = parser_->app;
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));  // CLI11 takes them last first
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    PrintTo(terminal.out, "{}", app.help());
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return FailUsage(terminal, name_, error.what());
  }
}

}  // namespace hourcell
