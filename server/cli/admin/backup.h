// `hourcell backup` and `hourcell restore`: backups of a store, in a directory whose backups share
// files (engine/backup_set.h).
//
//   backup DIR                   makes a backup; with --url, the server does, in its directory
//                                tsd.storage.backup.directory
//   backup list DIR              a line a backup, ascending: id, time, files, bytes, bytes copied
//   backup verify DIR [ID]       reads all files of all backups, or of one; exit 1 if a file is not
//                                as it was written
//   backup prune DIR --keep N    removes all backups but the newest N
//   restore DIR STORE [--id N]   makes a store in a new directory from the newest backup, or from N
//
// Write a directory with the name list, verify or prune as ./list and so on.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct BackupCommandOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  std::optional<uint64_t> keep = {};    // prune
  bool json = false;                    // list: a JSON object a line
  std::vector<std::string> words = {};  // a subcommand and its words
};

// kExitUsage: invalid words or options; kExitFailure: an error, or verify found damage.
int RunBackup(const BackupCommandOptions& options, Terminal& terminal);

struct RestoreOptions {
  std::string from = {};            // a directory of backups
  std::string to = {};              // the new directory
  std::optional<uint64_t> id = {};  // nullopt: the newest
};

int RunRestore(const RestoreOptions& options, Terminal& terminal);

// `hourcell backup` and `hourcell restore` with these flags and words. The exit code is that of the
// functions above, or kExitUsage if they are invalid.
int BackupMain(const std::vector<std::string>& args, Terminal& terminal);
int RestoreMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
