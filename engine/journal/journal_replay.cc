#include "engine/journal/journal_replay.h"

#include <deque>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "codec/base/status_macros.h"

// Why one thread reads ahead: reading and CRC then overlap with the visitor's work on a block. One
// thread still visits the blocks in order, because the last write of an instant has to win; the
// visitor distributes the points of a block to threads (engine/write/point_replay.cc).

namespace hourcell {
namespace {

// Batches between the two threads: one with the visitor, one with the reader, two between them.
constexpr size_t kBatches = 4;

class ReadAhead {
 public:
  ReadAhead(rocksdb::FileSystem* fs, const std::vector<SegmentReader::Range>& segments)
      : fs_(fs), segments_(segments) {
    for (size_t i = 0; i < kBatches; ++i)
      idle_.push_back(std::make_unique<BlockBatch>());
    thread_ = NamedThread("hc-replay-read", [this] { Run(); });
  }
  ~ReadAhead() {
    {
      MutexLock lock(&mutex_);
      is_stopping_ = true;
      changed_.NotifyAll();
    }
    thread_.Join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // The next batch, in exchange for the one before; null at the end.
  absl::StatusOr<std::unique_ptr<BlockBatch>> Next(std::unique_ptr<BlockBatch> done) {
    MutexLock lock(&mutex_);
    if (done != nullptr) idle_.push_back(std::move(done));
    HOURCELL_DCHECK(idle_.size() + full_.size() <= kBatches);
    changed_.NotifyAll();
    while (full_.empty() && !has_ended_)
      changed_.Wait(&mutex_);
    if (full_.empty()) {
      HOURCELL_RETURN_IF_ERROR(result_);
      return nullptr;
    }
    std::unique_ptr<BlockBatch> next = std::move(full_.front());
    full_.pop_front();
    return next;
  }

 private:
  void Run() {
    absl::Status result;
    for (const SegmentReader::Range& segment : segments_) {
      result = ReadSegment(segment);
      if (!result.ok()) break;
    }
    MutexLock lock(&mutex_);
    result_ = std::move(result);
    has_ended_ = true;
    changed_.NotifyAll();
  }

  absl::Status ReadSegment(const SegmentReader::Range& segment) {
    HOURCELL_ASSIGN_OR_RETURN(const auto reader, SegmentReader::Open(fs_, segment));
    bool has_more = true;
    while (has_more) {
      std::unique_ptr<BlockBatch> batch = TakeIdle();
      if (batch == nullptr) return absl::CancelledError("replay was ended by its visitor");
      HOURCELL_ASSIGN_OR_RETURN(has_more, reader->Next(batch.get()));
      MutexLock lock(&mutex_);
      full_.push_back(std::move(batch));
      changed_.NotifyAll();
    }
    if (!reader->fault().ok()) return reader->fault();
    if (reader->next_sequence() == segment.end_sequence) return absl::OkStatus();
    return absl::DataLossError(
        fmt::format("{} at offset {}: ends before block {}; expected the blocks below {}",
                    segment.path, reader->offset(), reader->next_sequence(), segment.end_sequence));
  }

  // Null if the visitor is gone.
  std::unique_ptr<BlockBatch> TakeIdle() {
    MutexLock lock(&mutex_);
    while (idle_.empty() && !is_stopping_)
      changed_.Wait(&mutex_);
    if (is_stopping_) return nullptr;
    std::unique_ptr<BlockBatch> batch = std::move(idle_.back());
    idle_.pop_back();
    return batch;
  }

  rocksdb::FileSystem* const fs_;
  const std::vector<SegmentReader::Range>& segments_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::unique_ptr<BlockBatch>> idle_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::unique_ptr<BlockBatch>> full_ ABSL_GUARDED_BY(mutex_);
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status result_ ABSL_GUARDED_BY(mutex_);
  NamedThread thread_;
};

}  // namespace

absl::Status ReplaySegments(
    rocksdb::FileSystem* fs,
    const std::vector<SegmentReader::Range>& segments,
    uint64_t from,
    const std::function<absl::Status(uint64_t sequence, std::string_view payload)>& visit) {
  if (segments.empty()) return absl::OkStatus();
  HOURCELL_DCHECK(segments.front().number <= segments.back().number);
  ReadAhead ahead(fs, segments);
  std::unique_ptr<BlockBatch> batch;
  while (true) {
    HOURCELL_ASSIGN_OR_RETURN(batch, ahead.Next(std::move(batch)));
    if (batch == nullptr) return absl::OkStatus();
    for (const JournalBlock& block : batch->blocks) {
      if (block.sequence < from) continue;
      HOURCELL_RETURN_IF_ERROR(visit(block.sequence, block.payload));
    }
  }
}

}  // namespace hourcell
