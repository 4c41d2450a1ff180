// ImportPipeline: the threads of an import.
//
//   reader -> chunk -> parsed by any worker, in any order -> its pieces written by all workers
//          -> reader, in the order they were added
//
// A chunk is written only once the one before it is, whole and well: so of two lines of one series
// and instant the later wins, UIDs are given in the order of lines, and nothing after the chunk of
// a bad line is stored if that ends the import. Workers parse ahead meanwhile.
//
// For one reader thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "server/cli/import/import_chunk.h"
#include "server/cli/import/import_routes.h"
#include "server/cli/transfer/point_sink.h"

namespace hourcell {

class ImportPipeline {
 public:
  // Starts as many workers as there are sinks, each of which is used by one thread at a time.
  // REQUIRES: 1 to 256 sinks.
  ImportPipeline(const ImportRules& rules, std::vector<std::unique_ptr<PointSink>> sinks);
  // Drops the chunks that are not being written.
  ~ImportPipeline();
  ImportPipeline(const ImportPipeline&) = delete;
  ImportPipeline& operator=(const ImportPipeline&) = delete;

  // A chunk to be filled: a new one, or one that was given back.
  std::unique_ptr<ImportChunk> NewChunk();
  void GiveBack(std::unique_ptr<ImportChunk> chunk) { spare_.push_back(std::move(chunk)); }

  // REQUIRES: !IsFull().
  void Add(std::unique_ptr<ImportChunk> chunk);
  // Whether so many chunks are under way that one is to be taken first.
  bool IsFull();

  // The oldest chunk if it is written; with `wait`, once it is. Null: there is none. After a chunk
  // that ends the import (a sink that failed, or a bad line and errors are not skipped) none is
  // written any more, so none is to be waited for.
  std::unique_ptr<ImportChunk> TakeWritten(bool wait);

 private:
  // A chunk under way. Its content is of whoever claimed the step it is in.
  struct Entry {
    std::unique_ptr<ImportChunk> chunk;
    enum class Step : uint8_t { kAdded, kParsing, kParsed } step = Step::kAdded;
    size_t pieces_claimed = 0;
    size_t pieces_written = 0;
  };

  void Work();
  // Does one step of what there is to do; false if there is nothing.
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
