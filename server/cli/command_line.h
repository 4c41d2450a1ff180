// CommandLine: what follows the name of a command, taken apart into flags, options and words; and
// the help that says which there are.
//
//   CommandLine line("restore", "Makes a store out of a backup, in a new directory.");
//   line.AddOption("--id", &options.id, "N", "which backup (default: the newest)");
//   line.AddWord("BACKUPS", &options.from, "a directory of backups");
//   if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
//
// Names are as in the help: "--data", "-m", "-i,--ignore-case"; words have capitals. Help lists
// what was added, in that order. What is pointed to is written by Parse, if it was given, and must
// be there until then. CLI11 does the work, and is included in command_line.cc only: it takes
// longer to compile than all commands. Thread-compatible.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "server/cli/terminal.h"

namespace hourcell {

class CommandLine {
 public:
  // `name`: of the command. `about`: what it does, in one sentence.
  CommandLine(std::string_view name, const std::string& about);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  void AddFlag(const std::string& name, bool* value, const std::string& help);

  // An option with one value, which the help calls `type`. T is std::string, uint64_t, double, or
  // an optional of std::string, uint32_t or uint64_t, which are decimal digits and nothing else.
  template <typename T>
  void AddOption(const std::string& name,
                 T* value,
                 const std::string& type,
                 const std::string& help);

  // An option that may be given again, for another value of the list.
  void AddRepeated(const std::string& name,
                   std::vector<std::string>* values,
                   const std::string& type,
                   const std::string& help);

  // The same, with several values at once, separated by commas: A,B.
  void AddList(const std::string& name, std::vector<std::string>* values, const std::string& help);

  // An option whose value `take` reads. What it refuses ends Parse, with the message of its status.
  using Taker = std::function<absl::Status(const std::string& value)>;
  void AddTaken(const std::string& name,
                const Taker& take,
                const std::string& type,
                const std::string& help);

  // An option that other commands have and this one has not: `message` says why. Not in the help.
  void AddRefused(const std::string& name, const std::string& message);

  // One word that must be there, and any number of them.
  void AddWord(const std::string& name, std::string* value, const std::string& help);
  void AddWords(const std::string& name, std::vector<std::string>* values, const std::string& help);

  // Either of two options that were added, but not both.
  void Exclude(const std::string& name, const std::string& other);

  // What the help says at its end, such as examples.
  void set_footer(const std::string& footer);

  // Nothing if the command shall run. Else its exit code: kExitOk if help was asked for, which is
  // on `out` then; kExitUsage if `args` make no sense, after it said so on `err`.
  std::optional<int> Parse(const std::vector<std::string>& args, Terminal& terminal);

 private:
  struct Parser;
  const std::string name_;
  const std::unique_ptr<Parser> parser_;
};

}  // namespace hourcell
