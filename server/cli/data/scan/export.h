// `hourcell export`: writes the points and histograms of a store as lines for other programs.

#pragma once

#include <string>
#include <vector>

#include "server/cli/data/scan/export_text.h"
#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct ExportOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  ExportFormat format = ExportFormat::kOpenTsdb;
  std::string csv_columns = {};         // for kCsv: as for an import, with one value
  bool csv_header = false;              // for kCsv: the first line has the field names
  std::vector<std::string> words = {};  // as for `scan`, query_words.h
};

// Writes points in row-key order while reading, then for kOpenTsdb histograms
// (server/histograms/histogram_line.h); prints their numbers on `err`. kExitUsage: invalid
// words or fields; kExitFailure: the store fails, a row is damaged, or a series has a tag without a
// field.
int RunExport(const ExportOptions& options, Terminal& terminal);

// `hourcell export` with these flags and words. The exit code is RunExport's, or kExitUsage if they
// are invalid.
int ExportMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
