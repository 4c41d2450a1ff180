// What a line of another format is translated to, as text.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/cli/data/import/import_lines.h"

namespace hourcell {

// Import lines, and "! what is wrong" for faults.
inline std::vector<std::string> Translated(const ForeignRules& rules, std::string_view line) {
  ImportLines made;
  MakeLineTranslator(rules)->Translate(line, &made);
  std::vector<std::string> lines;
  for (size_t i = 0; i < made.size(); ++i) {
    const ImportLines::Unit& unit = made.unit(i);
    lines.push_back(unit.fault.has_value() ? "! " + made.FaultOf(unit).text
                                           : std::string(made.TextOf(unit)));
  }
  return lines;
}

}  // namespace hourcell
