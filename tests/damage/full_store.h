// A store with something of every kind, its answers, and copies that share the undamaged files.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "engine/options.h"
#include "engine/tsdb.h"

namespace hourcell {

// Nothing is sealed by the clock, and nothing is done in the background.
Options FullStoreOptions(const std::string& path);

// Makes one at `path` and closes it: metrics of integers, doubles and milliseconds in packed cells
// and in operands that came late, erased points, 200 series with index rows, three regions,
// annotations, a TTL and names that were renamed. The same bytes of points with each call.
void MakeFullStore(const std::string& path);

// The answer of a store to one question.
struct StoreAnswer {
  std::string question;
  absl::Status status;  // not OK: it answers with an error
  std::string text;
};

// All questions there are: every row, every metric by every way to read it, names, series,
// annotations, regions.
std::vector<StoreAnswer> AskAll(Tsdb* tsdb);

// Answers without an error that differ from those of the whole store: a line each.
std::vector<std::string> WrongAnswers(const std::vector<StoreAnswer>& whole,
                                      const std::vector<StoreAnswer>& answers);

// A copy of the store at `from`: its files by hard link, but for RocksDB's log, which is left out.
// RocksDB and the journal append to no file that was there before. One in `to` is removed first.
void LinkStore(const std::string& from, const std::string& to);

// Replaces a file, and so unlinks it from its copies.
void ReplaceFile(const std::string& path, std::string_view content);

// The paths of all files, relative to the store, sorted; without RocksDB's log.
std::vector<std::string> StoreFiles(const std::string& path);

}  // namespace hourcell
