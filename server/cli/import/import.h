// `hourcell import`: points from files, or from a running OpenTSDB, into a store or to a running
// server.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/cli/http_client.h"
#include "server/cli/import/import_lines.h"
#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/cli/transfer/opentsdb_import.h"

namespace hourcell {

inline constexpr size_t kImportBatchDefault = 10'000;
inline constexpr size_t kImportBatchMax = 1'000'000;
inline constexpr size_t kImportThreadsMax = 64;

struct ImportOptions {
  StoreOptions store = {};
  std::string url = {};  // empty = into the store of `store`
  TlsTrust trust = {};
  ForeignRules foreign = {};                  // what the files hold
  bool skip_header = false;                   // of each file of CSV: the first line
  std::string metric = {};                    // of a dump of Whisper; empty = by the file's path
  bool skip_errors = false;                   // go on after a bad line
  size_t batch_points = kImportBatchDefault;  // stored at once; 1 to kImportBatchMax
  size_t threads = 0;  // that parse and store; 0 = a processor each, but for one that reads
  std::vector<std::string> paths = {};  // "-" = the standard input; with `opentsdb_url`, metrics
  // Points of this server instead of files, from `start` to `end`; empty = all until now. Its URL,
  // range and metrics are made of these; `skip_errors` is that above.
  std::string opentsdb_url = {};
  std::string start = {};  // as query times (query_time.h)
  std::string end = {};
  OpenTsdbImportOptions opentsdb = {};
};

// Bad lines are named on `err` as FILE:LINE, in order; the result is said on `out`. Whatever the
// number of threads, of two points of one series and instant the later line wins, and names get
// UIDs in the order of lines.
// kExitFailure: a bad line without skip_errors (good lines before it are stored; lines after it
// may be, as far as they were in its batch), a file or store that fails. kExitUsage: no paths, bad
// batch, too many threads.
int RunImport(const ImportOptions& options, Terminal& terminal);

// `hourcell import` with these flags and words. The exit code is that of RunImport, or
// kExitUsage if they make no sense.
int ImportMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
