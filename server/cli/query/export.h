// `hourcell export`: the points of a store as lines that other programs read.

#pragma once

#include <string>
#include <vector>

#include "server/cli/http_client.h"
#include "server/cli/local_store.h"
#include "server/cli/query/export_text.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct ExportOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  ExportFormat format = ExportFormat::kOpenTsdb;
  std::string csv_columns = {};         // of kCsv: as an import's, with one value
  bool csv_header = false;              // of kCsv: the fields are the first line
  std::vector<std::string> words = {};  // as of `scan`, query_words.h
};

// Points are written in row-key order while they are read; their number is said on `err`.
// kExitUsage: words or fields that make no sense; kExitFailure: the store fails, a row is damaged,
// or a series has a tag without a field.
int RunExport(const ExportOptions& options, Terminal& terminal);

// `hourcell export` with these flags and words. The exit code is that of RunExport, or kExitUsage
// if they make no sense.
int ExportMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
