// `hourcell doctor`: examines a machine and a store, or a running server, and prints in sentences
// what to change.
//
// First it gathers facts; then a pure function judges them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

// Facts of a machine, the settings and a store. Sizes are in bytes.
struct DoctorFacts {
  std::string directory = {};  // of the store
  bool has_store = false;
  std::string store_fault = {};  // why the store does not open; empty = it opens, or is missing
  bool is_in_use = false;        // another process has it open, and store_fault names that error
  uint64_t journal_bytes = 0;    // of the store's journal, before the open
  uint64_t descriptors = 0;      // limit of the process
  uint64_t open_files = 0;       // tsd.storage.open_files
  uint64_t disk_free = 0;
  uint64_t journal_limit = 0;  // tsd.storage.journal
  uint64_t write_buffer = 0;   // tsd.storage.write_buffer
  std::string filesystem = {};
  uint64_t memory = 0;         // of the machine, or the limit of the control group if that is less
  uint64_t memory_sum = 0;     // the sum that docs/overload.md describes
  int64_t now_ms = 0;          // since 1970
  int64_t newest_file_ms = 0;  // of the store; 0 = it lacks files
};

struct DoctorFinding {
  bool is_change = false;  // the user must change something
  std::string text = {};   // a sentence

  friend bool operator==(const DoctorFinding&, const DoctorFinding&) = default;
};

// One finding for each subject. Pure.
std::vector<DoctorFinding> JudgeFacts(const DoctorFacts& facts);

// The name of a file system with the number of statfs(2); "other" for one that causes no finding.
std::string FileSystemName(uint64_t type);

struct DoctorOptions {
  StoreOptions store = {};
  std::string url = {};  // of the server to examine; empty = the machine and the store
  TlsTrust trust = {};
  bool json = false;  // an object a line: change, text
};

// Prints the findings. kExitOk: nothing to change; kExitFailure: something to change; kExitUsage:
// invalid settings or URL. Opens and closes the store, as every command does.
int RunDoctor(const DoctorOptions& options, Terminal& terminal);

// `hourcell doctor` with these flags and words. The exit code is RunDoctor's, or kExitUsage if they
// are invalid.
int DoctorMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
