// PanelVariables: the variables of a Grafana dashboard within queries: $host, [[host]],
// ${host:pipe}.
//
// Grafana replaces them before it sends a query. For the translation each becomes a word of letters
// and digits, which every part of both languages takes and no escaping changes; afterwards the word
// becomes the variable again.
//
// In PromQL, Grafana escapes the values of a variable with several values, or with All, as a
// regular expression, (a|b); so its matchers are =~ or !~. It does not escape other variables.
// Thread-compatible.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/strings.h"

namespace hourcell {

// A variable of `templating`.
struct PanelVariable {
  bool has_several_values = false;  // "multi" or "includeAll"
  // Its values come from the tags of the store, so they lack special characters of filters.
  bool has_tag_values = false;
};

class PanelVariables {
 public:
  using Table = StringMap<PanelVariable>;

  // `table` is borrowed.
  explicit PanelVariables(const Table* table) : table_(*table) {}

  // `text` with words for variables. kUnimplemented: a form that PromQL lacks, such as
  // ${host:csv}; kInvalidArgument: the text has such a word already.
  absl::StatusOr<std::string> Hide(std::string_view text);

  // The text with variables for the words of Hide.
  std::string Show(std::string_view text) const;

  static bool HasWord(std::string_view text);
  // True if a word of the text is a variable that Grafana may replace by a regular expression.
  // True for variables that the dashboard does not define.
  bool HasSeveralValues(std::string_view text) const;
  // The variables of the text, as written, whose values may not be tag values.
  std::vector<std::string> FreeVariables(std::string_view text) const;

 private:
  struct Hidden {
    std::string name;
    std::string text;  // in the translation
  };

  template <typename Visit>
  void ForEachWord(std::string_view text, const Visit& visit) const;
  const PanelVariable* Find(const Hidden& hidden) const;

  const Table& table_;
  std::vector<Hidden> hidden_;
};

// The legend of an alias of Grafana's OpenTSDB source: {{host}} for $tag_host. Appends the keys of
// the tags.
std::string LegendOfAlias(std::string_view alias, std::vector<std::string>* keys);

// True if the text has a variable.
bool HasPanelVariable(std::string_view text);
// The name in $name, ${name} or [[name]], with nothing around it; else empty.
std::string_view PanelVariableName(std::string_view text);

}  // namespace hourcell
