#include "server/cli/import/graphite_lines.h"

#include <string>

namespace hourcell {

void GraphiteLines::Translate(std::string_view line, ImportLines* out) {
  if (const std::string_view fault = ReadGraphiteLine(line, &line_); !fault.empty()) {
    return out->AddFault({.text = std::string(fault)});
  }
  if (!line_.has_point()) return;
  series_.Clear();
  series_.SetMetric(line_.name);
  for (const TagView& tag : line_.tags)
    series_.AddTag(tag.key, tag.value);
  if (CompleteSeries(rules_, &series_, out)) out->AddPoint(series_, line_.time, line_.value);
}

}  // namespace hourcell
