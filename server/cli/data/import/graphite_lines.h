// Reads lines of Graphite's plaintext protocol (graphite_line.h), one point each.

#pragma once

#include <string_view>

#include "server/cli/data/import/import_lines.h"
#include "server/inputs/graphite/graphite_line.h"

namespace hourcell {

class GraphiteLines : public LineTranslator {
 public:
  explicit GraphiteLines(const ForeignRules& rules) : rules_(rules) {}
  void Translate(std::string_view line, ImportLines* out) override;

 private:
  const ForeignRules rules_;
  GraphiteLine line_;
  ForeignSeries series_{.any_names = rules_.any_names};
};

}  // namespace hourcell
