// Reads lines of InfluxDB's line protocol from files:
//
//   # DDL                                               skipped, as every comment
//   CREATE DATABASE db WITH NAME autogen                skipped: influx_inspect export writes it
//   cpu,host=a user=1.5,procs=7i 1356998400000000000    a point for each field that is a number
//
// The metric is measurement, separator and field. A line without a timestamp is a fault: each
// import would give its points other times. A line whose string has a line end is a fault, too.

#pragma once

#include <string>
#include <string_view>

#include "server/cli/data/import/import_lines.h"
#include "server/inputs/influx/influx_lines.h"
#include "server/inputs/influx/influx_time.h"

namespace hourcell {

class InfluxFileLines : public LineTranslator {
 public:
  // REQUIRES: FindInfluxUnit knows the precision of the rules.
  explicit InfluxFileLines(const ForeignRules& rules);
  void Translate(std::string_view line, ImportLines* out) override;

 private:
  void AddFields(const InfluxLine& line, ImportLines* out);

  const ForeignRules rules_;
  const InfluxUnit& unit_;
  ForeignSeries series_{.any_names = rules_.any_names};
};

}  // namespace hourcell
