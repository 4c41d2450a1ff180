// Properties of every translation of a foreign line to import lines, for fuzz targets.

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/text/name.h"
#include "codec/text/point_text.h"
#include "server/cli/data/import/import_lines.h"

namespace hourcell {

// One line: metric, time, value and at least one tag, whose names are legal. The time and the value
// may be wrong, and a name may be too long or come twice.
inline void CheckImportLine(std::string_view text) {
  HOURCELL_CHECK(text.find('\n') == std::string_view::npos);
  PointText parser;
  const std::optional<PointError> error =
      parser.Parse(text, PointSyntax::kImport, {.tags_max = kTagsMax});
  if (error.has_value()) {
    HOURCELL_CHECK(!error->text.starts_with("not enough arguments"));
    return;
  }
  const auto is_legal = [](std::string_view name) {
    const std::string fault = NameFault(name, NameEncoding::kUtf8, "");
    return fault.empty() || fault.starts_with("longer than");
  };
  HOURCELL_CHECK(is_legal(parser.point().metric));
  for (const TagView& tag : parser.point().tags)
    HOURCELL_CHECK(is_legal(tag.key) && is_legal(tag.value));
}

// Each line of `text`; a translator gives the same result after other lines.
inline void CheckTranslations(const ForeignRules& rules, std::string_view text) {
  const std::unique_ptr<LineTranslator> used = MakeLineTranslator(rules);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ImportLines made;
    used->Translate(line, &made);
    ImportLines again;
    MakeLineTranslator(rules)->Translate(line, &again);
    HOURCELL_CHECK(made.size() == again.size());
    for (size_t i = 0; i < made.size(); ++i) {
      HOURCELL_CHECK(made.TextOf(made.unit(i)) == again.TextOf(again.unit(i)));
      HOURCELL_CHECK(made.unit(i).fault.has_value() == again.unit(i).fault.has_value());
      if (!made.unit(i).fault.has_value()) CheckImportLine(made.TextOf(made.unit(i)));
    }
  }
}

}  // namespace hourcell
