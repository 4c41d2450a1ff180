// `hourcell doctor`: looks at a machine and a store, or at a running server, and says in sentences
// what to change.
//
// Facts are gathered first, and then judged by a pure function.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/cli/http_client.h"
#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

// What is known of a machine, the settings and a store. Sizes are in bytes.
struct DoctorFacts {
  std::string directory = {};  // of the store
  bool has_store = false;
  std::string store_fault = {};  // why the store does not open; empty = it does, or there is none
  bool is_in_use = false;        // by another process, as store_fault says: it does open, then
  uint64_t journal_bytes = 0;    // of the store's journal, before it was opened
  uint64_t descriptors = 0;      // that the process may open
  uint64_t open_files = 0;       // tsd.storage.open_files
  uint64_t disk_free = 0;
  uint64_t journal_limit = 0;  // tsd.storage.journal
  uint64_t write_buffer = 0;   // tsd.storage.write_buffer
  std::string filesystem = {};
  uint64_t memory = 0;         // of the machine, or of the process's group if that is less
  uint64_t memory_sum = 0;     // what docs/overload.md adds up
  int64_t now_ms = 0;          // since 1970
  int64_t newest_file_ms = 0;  // of the store; 0 = it has none
};

struct DoctorFinding {
  bool is_change = false;  // something is to be changed
  std::string text = {};   // a sentence

  friend bool operator==(const DoctorFinding&, const DoctorFinding&) = default;
};

// A finding for each thing that was looked at. Pure.
std::vector<DoctorFinding> JudgeFacts(const DoctorFacts& facts);

// The name of a file system by the number that statfs(2) gives; "other" for one that needs no word.
std::string FileSystemName(uint64_t type);

struct DoctorOptions {
  StoreOptions store = {};
  std::string url = {};  // of the server to look at; empty = the machine and the store
  TlsTrust trust = {};
  bool json = false;  // an object a line: change, text
};

// Prints the findings. kExitOk: nothing is to be changed; kExitFailure: something is; kExitUsage:
// settings or a URL that make no sense. A store is opened and closed, as every command does it.
int RunDoctor(const DoctorOptions& options, Terminal& terminal);

// `hourcell doctor` with these flags and words. The exit code is that of RunDoctor, or kExitUsage
// if they make no sense.
int DoctorMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
