// ImportPipeline: the threads of an import.
//
//   reader -> chunk -> any worker parses it, in any order -> all workers write its pieces
//          -> reader, in the order of Add
//
// A chunk is written only after the previous chunk is completely and successfully written. The
// later of two lines with the same series and instant therefore wins, UIDs follow the order of
// lines, and if a bad line ends the import, the chunks after it are not stored. Meanwhile, workers
// parse ahead.
//
// Use it from one reader thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "server/cli/data/import/import_chunk.h"
#include "server/cli/data/import/import_routes.h"
#include "server/cli/data/point_sink.h"

namespace hourcell {

class ImportPipeline {
 public:
  // Starts one worker per sink; each sink is used by one thread at a time. REQUIRES: 1 to 256
  // sinks.
  ImportPipeline(const ImportRules& rules, std::vector<std::unique_ptr<PointSink>> sinks);
  // Drops unwritten chunks; waits for the steps that have begun.
  ~ImportPipeline();
  ImportPipeline(const ImportPipeline&) = delete;
  ImportPipeline& operator=(const ImportPipeline&) = delete;

  // A chunk to fill: a new one, or one from GiveBack.
  std::unique_ptr<ImportChunk> NewChunk();
  void GiveBack(std::unique_ptr<ImportChunk> chunk) { spare_.push_back(std::move(chunk)); }

  // REQUIRES: !IsFull().
  void Add(std::unique_ptr<ImportChunk> chunk);
  // Whether the reader must take a chunk before it adds another.
  bool IsFull();

  // Returns the oldest chunk once it is written; without `wait`, null if it is not. Null also
  // without chunks. A chunk with a failed sink, or with a bad line if errors are not skipped, ends
  // the import: later chunks are never written, and waiting for them returns null.
  std::unique_ptr<ImportChunk> TakeWritten(bool wait);

 private:
  // A chunk in the pipeline. The thread that claimed the current step owns its content.
  struct Entry {
    std::unique_ptr<ImportChunk> chunk;
    enum class Step : uint8_t { kAdded, kParsing, kParsed } step = Step::kAdded;
    size_t pieces_claimed = 0;
    size_t pieces_written = 0;
  };

  void Work();
  // Does one available step; false without one.
  bool WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool ParseNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const ImportRules rules_;
  const std::vector<std::unique_ptr<PointSink>> sinks_;
  ImportRoutes routes_;
  std::vector<std::unique_ptr<ImportChunk>> spare_;  // the reader's

  Mutex mutex_;
  CondVar changed_;
  std::deque<Entry> entries_ ABSL_GUARDED_BY(mutex_);  // oldest first
  size_t written_ ABSL_GUARDED_BY(mutex_) = 0;         // of entries_, from the front
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<NamedThread> threads_;
};

}  // namespace hourcell
