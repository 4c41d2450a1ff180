// CommandLine: parses the flags, options and words after the name of a command, and prints the
// command's help.
//
//   CommandLine line("restore", "Makes a store out of a backup, in a new directory.");
//   line.AddOption("--id", &options.id, "N", "which backup (default: the newest)");
//   line.AddWord("BACKUPS", &options.from, "a directory of backups");
//   if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
//
// Names are as in the help: "--data", "-m", "-i,--ignore-case"; words have capitals. The help lists
// flags, options and words in the order of the calls. Parse writes the value of a given option
// through its pointer, which must be valid until then. CLI11 does the work. Only command_line.cc
// includes it: it takes longer to compile than all commands. Thread-compatible.

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
  // `name`: of the command. `about`: its purpose, in one sentence.
  CommandLine(std::string_view name, const std::string& about);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  void AddFlag(const std::string& name, bool* value, const std::string& help);

  // An option with one value; `type` names the value in the help. T is std::string, uint64_t,
  // double, or an optional of std::string, uint32_t or uint64_t. Integers are decimal digits only.
  template <typename T>
  void AddOption(const std::string& name,
                 T* value,
                 const std::string& type,
                 const std::string& help);

  // An option that may be repeated; each adds a value to the list.
  void AddRepeated(const std::string& name,
                   std::vector<std::string>* values,
                   const std::string& type,
                   const std::string& help);

  // The same; one option may also give several values, separated by commas: A,B.
  void AddList(const std::string& name, std::vector<std::string>* values, const std::string& help);

  // An option whose value `take` reads. If it returns an error, Parse fails with that message.
  using Taker = std::function<absl::Status(const std::string& value)>;
  void AddTaken(const std::string& name,
                const Taker& take,
                const std::string& type,
                const std::string& help);

  // An option that other commands have and this one refuses, with `message`. The help omits it.
  void AddRefused(const std::string& name, const std::string& message);

  // One required word; a list of any number of words.
  void AddWord(const std::string& name, std::string* value, const std::string& help);
  void AddWords(const std::string& name, std::vector<std::string>* values, const std::string& help);

  // The two options, added before, exclude each other.
  void Exclude(const std::string& name, const std::string& other);

  // Text at the end of the help, such as examples.
  void set_footer(const std::string& footer);

  // nullopt if the command shall run. Else its exit code: kExitOk after printing the help on `out`;
  // kExitUsage after printing an error on `err` because `args` are invalid.
  std::optional<int> Parse(const std::vector<std::string>& args, Terminal& terminal);

 private:
  struct Parser;
  const std::string name_;
  const std::unique_ptr<Parser> parser_;
};

}  // namespace hourcell
