#include "server/cli/data/import/import_pipeline.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {
namespace {

// Chunks in addition to one per worker: one being read ahead, one being written.
constexpr size_t kChunksAhead = 2;

}  // namespace

ImportPipeline::ImportPipeline(const ImportRules& rules,
                               std::vector<std::unique_ptr<PointSink>> sinks)
    : rules_(rules), sinks_(std::move(sinks)), routes_(sinks_.size()) {
  HOURCELL_CHECK(!sinks_.empty() && sinks_.size() <= 256);
  for (size_t i = 0; i < sinks_.size(); ++i)
    threads_.emplace_back("hc-import", [this] { Work(); });
}

ImportPipeline::~ImportPipeline() {
  {
    MutexLock lock(&mutex_);
    is_stopping_ = true;
  }
  changed_.NotifyAll();
  threads_.clear();
}

std::unique_ptr<ImportChunk> ImportPipeline::NewChunk() {
  if (spare_.empty()) return std::make_unique<ImportChunk>();
  std::unique_ptr<ImportChunk> chunk = std::move(spare_.back());
  spare_.pop_back();
  return chunk;
}

void ImportPipeline::Add(std::unique_ptr<ImportChunk> chunk) {
  HOURCELL_DCHECK(chunk != nullptr && !IsFull());
  {
    MutexLock lock(&mutex_);
    entries_.emplace_back().chunk = std::move(chunk);
  }
  changed_.NotifyAll();
}

bool ImportPipeline::IsFull() {
  MutexLock lock(&mutex_);
  return entries_.size() >= sinks_.size() + kChunksAhead;
}

std::unique_ptr<ImportChunk> ImportPipeline::TakeWritten(bool wait) {
  MutexLock lock(&mutex_);
  while (wait && written_ == 0 && !entries_.empty() && !has_ended_)
    changed_.Wait(&mutex_);
  if (written_ == 0) return nullptr;
  std::unique_ptr<ImportChunk> chunk = std::move(entries_.front().chunk);
  entries_.pop_front();
  --written_;
  return chunk;
}

void ImportPipeline::Work() {
  MutexLock lock(&mutex_);
  while (!is_stopping_) {
    if (!WriteNext() && !ParseNext()) changed_.Wait(&mutex_);
  }
}

bool ImportPipeline::WriteNext() {
  if (has_ended_ || written_ == entries_.size()) return false;
  Entry& entry = entries_[written_];
  ImportChunk* const chunk = entry.chunk.get();
  if (entry.step != Entry::Step::kParsed || entry.pieces_claimed == chunk->pieces()) return false;
  const size_t piece = entry.pieces_claimed++;

  mutex_.Unlock();
  chunk->WritePiece(piece, sinks_[piece].get());
  if (chunk->has_new_series()) chunk->LearnRoutes(&routes_);
  mutex_.Lock();

  // The entry still exists: the reader takes only written chunks.
  if (++entry.pieces_written == chunk->pieces()) {
    has_ended_ = !chunk->status().ok() || (!rules_.skip_errors && chunk->has_bad_lines());
    ++written_;
    changed_.NotifyAll();
  }
  return true;
}

bool ImportPipeline::ParseNext() {
  if (has_ended_) return false;
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [](const Entry& candidate) {
    return candidate.step == Entry::Step::kAdded;
  });
  if (entry == entries_.end()) return false;
  // Other threads add and remove entries meanwhile, but a deque does not move the remaining ones.
  Entry* const claimed = &*entry;
  claimed->step = Entry::Step::kParsing;

  mutex_.Unlock();
  claimed->chunk->Parse(rules_, sinks_.size(), routes_);
  mutex_.Lock();

  claimed->step = Entry::Step::kParsed;
  changed_.NotifyAll();
  return true;
}

}  // namespace hourcell
