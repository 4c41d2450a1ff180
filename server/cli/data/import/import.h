// `hourcell import`: imports points from files, or from a running OpenTSDB, into a store or a
// running server.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/cli/data/import/import_lines.h"
#include "server/cli/local_store.h"
#include "server/cli/opentsdb/opentsdb_import.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

inline constexpr size_t kImportBatchDefault = 10'000;
inline constexpr size_t kImportBatchMax = 1'000'000;
inline constexpr size_t kImportThreadsMax = 64;

struct ImportOptions {
  StoreOptions store = {};
  std::string url = {};  // empty = into the store of `store`
  TlsTrust trust = {};
  ForeignRules foreign = {};                  // format of the files
  bool skip_header = false;                   // skip the first line of each CSV file
  std::string metric = {};                    // of a Whisper dump; empty = from the file's path
  bool skip_errors = false;                   // skip bad lines and continue
  size_t batch_points = kImportBatchDefault;  // points in one batch; 1 to kImportBatchMax
  size_t threads = 0;  // parse and store; 0 = one per processor, less one for the reader
  std::vector<std::string> paths = {};  // "-" = the standard input; with `opentsdb_url`, metrics
  // Import from this server instead of files, from `start` to `end`; empty = all until now.
  // RunImport sets the URL, range, metrics and skip_errors of `opentsdb` from these options.
  std::string opentsdb_url = {};
  std::string start = {};  // query times (query_time.h)
  std::string end = {};
  OpenTsdbImportOptions opentsdb = {};
};

// Reports bad lines on `err` as FILE:LINE, in order, and the result on `out`. With any number of
// threads, the later of two lines with the same series and instant wins, and names get UIDs in the
// order of lines. kExitFailure: a bad line without skip_errors (all good lines before it are
// stored; later lines of its batch may be stored), or an error of a file or the store. kExitUsage:
// no paths, an invalid batch, too many threads.
int RunImport(const ImportOptions& options, Terminal& terminal);

// `hourcell import` with these flags and words. The exit code is RunImport's, or kExitUsage if they
// are invalid.
int ImportMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
