#include "server/cli/data/import/graphite_lines.h"

#include <cmath>
#include <optional>
#include <string>

#include "codec/text/number.h"

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
  // The parser of the import line reports an invalid value.
  const std::optional<Value> value = GraphiteValue(line_.value);
  if (value && !value->is_integer() && !std::isfinite(value->floating())) return;
  if (!CompleteSeries(rules_, &series_, out)) return;
  const bool is_large = value && !value->is_integer() && LooksLikeInteger(line_.value);
  if (is_large) {
    out->AddPoint(series_, line_.time, JavaDouble(value->floating()));
  } else {
    out->AddPoint(series_, line_.time, line_.value);
  }
}

}  // namespace hourcell
