// Reads lines of VictoriaMetrics' /api/v1/export, a series each:
//
//   {"metric":{"__name__":"cpu","host":"a"},"values":[1,2.5,null],"timestamps":[1356998400000,...]}
//
// Timestamps are milliseconds. It skips null values, which VictoriaMetrics writes for stale points,
// and unknown fields. A line that is not such an object gives one fault.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "server/cli/data/import/import_lines.h"

namespace hourcell {

class VmLines : public LineTranslator {
 public:
  explicit VmLines(const ForeignRules& rules);
  ~VmLines() override;
  VmLines(const VmLines&) = delete;
  VmLines& operator=(const VmLines&) = delete;

  void Translate(std::string_view line, ImportLines* out) override;

 private:
  struct Reader;

  const ForeignRules rules_;
  const std::unique_ptr<Reader> reader_;
  ForeignSeries series_{.any_names = rules_.any_names};
};

}  // namespace hourcell
