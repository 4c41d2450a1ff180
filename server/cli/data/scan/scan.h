// `hourcell scan`: prints stored rows as text.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"
#include "server/text/row_aggregate_json.h"

namespace hourcell {

enum class ScanFormat : uint8_t {
  kRaw,     // OpenTSDB's: signed decimal bytes
  kImport,  // lines for `hourcell import`
  kHex,     // key, qualifiers, values
};

struct ScanOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  ScanFormat format = ScanFormat::kRaw;
  RowAggregateTexts aggregate = {};     // totals instead of rows, unless empty
  bool json = false;                    // totals as JSON
  std::vector<std::string> words = {};  // query_words.h
};

// Prints rows in key order: complete hours that overlap the range; or totals of the points in the
// range, and on `err` the rows and the time of each region. kExitUsage: the words or the aggregate
// do not parse; kExitFailure: the store fails, or a row is damaged.
int RunScan(const ScanOptions& options, Terminal& terminal);

// `hourcell scan` with these flags and words. The exit code is RunScan's, or kExitUsage if they are
// invalid.
int ScanMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
