// `hourcell translate`: prints queries of m= as PromQL or the reverse, and dashboards of Grafana
// with PromQL, with the conditions under which both give the same values.

#pragma once

#include <string>
#include <vector>

#include "server/cli/terminal.h"

namespace hourcell {

struct TranslateOptions {
  bool to_m = false;                      // the queries are PromQL
  bool json = false;                      // one object per query
  std::vector<std::string> queries = {};  // empty: the lines of `input`
  std::string input = "-";                // a file; "-" is the standard input
  // A dashboard of Grafana, instead of queries: a file; "-" is the standard input; empty: none. It
  // is printed with PromQL, and its queries are listed on `err`.
  std::string dashboard = {};
  std::string data_source = {};  // as in TranslateDashboard
};

// kExitFailure: a query does not parse or has no translation, which is printed on `err` after those
// before it, or `input` or `dashboard` cannot be read. The other queries are translated.
int RunTranslate(const TranslateOptions& options, Terminal& terminal);

// `hourcell translate` with these flags and words. The exit code is RunTranslate's, or kExitUsage
// if they are invalid.
int TranslateMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
