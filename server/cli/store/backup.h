// `hourcell backup` and `hourcell restore`: backups of a store, in a directory that shares files
// among several (engine/backup_set.h).
//
//   backup DIR                   makes one; with --url, the server does, where its setting
//                                tsd.storage.backup.directory says
//   backup list DIR              a line a backup, ascending: id, time, files, bytes, bytes copied
//   backup verify DIR [ID]       reads all files of all backups, or of one; exit 1 if anything is
//                                not as it was written
//   backup prune DIR --keep N    removes all backups but the newest N
//   restore DIR STORE [--id N]   the newest, or that, as a store in a new directory
//
// A directory that is called list, verify or prune is written ./list and so on.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/cli/http_client.h"
#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct BackupCommandOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  std::optional<uint64_t> keep = {};    // prune
  bool json = false;                    // list: a JSON object a line
  std::vector<std::string> words = {};  // a subcommand and its words
};

// kExitUsage: words or options that make no sense; kExitFailure: it cannot be done, or verify found
// something.
int RunBackup(const BackupCommandOptions& options, Terminal& terminal);

struct RestoreOptions {
  std::string from = {};            // a directory of backups
  std::string to = {};              // where the store shall be
  std::optional<uint64_t> id = {};  // nothing: the newest
};

int RunRestore(const RestoreOptions& options, Terminal& terminal);

// `hourcell backup` and `hourcell restore` with these flags and words. The exit code is that
// of the above, or kExitUsage if they make no sense.
int BackupMain(const std::vector<std::string>& args, Terminal& terminal);
int RestoreMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
