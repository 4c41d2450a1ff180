// `hourcell uid` and `hourcell mkmetric`: show and change names and UIDs of a store.
//
//   grep [kind] RE            mappings whose name RE finds; exit 1 if none
//   assign kind name...       makes UIDs for new names; exit 3 at the first failure
//   rename kind name newname  exit 1 if refused
//   delete kind name          exit 1 if unknown
//   import FILE               gives names the UIDs of a file's lines; exit 1 at a conflict
//   fsck [fix]                checks all mappings; exit = number of errors, 125 at most
//   metasync, metapurge       do nothing and print a note: the index has the meta data
//   treesync                  the same: branches of trees are computed
//   treepurge ID [true]       with true, deletes the definition of a tree; exit 1 if unknown
//   [kind] name|N             the mapping of a name or of a UID in decimal; exit 1 if none
//
// A mapping is printed as `kind name: [0, 0, 1]`. kind is metrics, tagk or tagv.

#pragma once

#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

inline constexpr int kExitAssignFailed = 3;
inline constexpr int kExitUidErrorsMax = 125;  // a shell gives larger codes another meaning

struct UidCommandOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  bool ignore_case = false;             // -i, for grep
  bool json = false;                    // mappings as JSON objects, one per line
  std::vector<std::string> words = {};  // the subcommand and its arguments
};

int RunUid(const UidCommandOptions& options, Terminal& terminal);

// `uid assign metrics NAME...`: the words are the names.
int RunMkmetric(UidCommandOptions options, Terminal& terminal);

// `hourcell uid` and `hourcell mkmetric` with these flags and words. The exit code is that of the
// functions above, or kExitUsage if they are invalid.
int UidMain(const std::vector<std::string>& args, Terminal& terminal);
int MkmetricMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
