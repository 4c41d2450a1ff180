// Lines of Graphite's plaintext protocol, one point each:
//
//   path value time
//   path;tag=value;tag=value value time
//
// Words are separated by blanks or tabs. time: seconds since 1970; a fraction is dropped, as carbon
// drops it. An empty line, and one that begins with #, has no point.

#pragma once

#include <string_view>

#include "server/cli/import/import_lines.h"

namespace hourcell {

class GraphiteLines : public LineTranslator {
 public:
  explicit GraphiteLines(const ForeignRules& rules) : rules_(rules) {}
  void Translate(std::string_view line, ImportLines* out) override;

 private:
  const ForeignRules rules_;
  ForeignSeries series_;
};

}  // namespace hourcell
