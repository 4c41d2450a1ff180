#include "engine/scan/ordered_scan.h"

#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_copy.h"
#include "codec/base/status_macros.h"
#include "engine/scan/merge_cursor.h"

namespace hourcell {
namespace {

// Maximum number of ready blocks of a source: one is merged while another is read.
constexpr size_t kBlocksAhead = 2;

}  // namespace

// A source as MergeCursor sees it.
class OrderedScan::Cursor {
 public:
  Cursor(OrderedScan* scan, size_t source) : scan_(*scan), source_(source) { Load(); }

  bool Valid() const { return row_ < block_.rows.size(); }
  std::string_view key() const { return Bytes(row().order_at, row().order_size); }
  void Next() {
    if (++row_ == block_.rows.size()) Load();
  }

  std::string_view stored_key() const {
    return Bytes(row().order_at + row().order_size, row().key_size);
  }
  std::string_view value() const {
    return Bytes(row().order_at + row().order_size + row().key_size, row().value_size);
  }

 private:
  const Row& row() const { return block_.rows[row_]; }
  std::string_view Bytes(size_t at, size_t size) const {
    return std::string_view(block_.bytes).substr(at, size);
  }
  void Load() {
    row_ = 0;
    if (!scan_.NextBlock(source_, &block_)) block_.rows.clear();
  }

  OrderedScan& scan_;
  const size_t source_;
  Block block_;
  size_t row_ = 0;
};

OrderedScan::OrderedScan(std::vector<ScanRange> ranges, const Settings& settings, Read read)
    : settings_(settings), read_(std::move(read)), sources_(ranges.size()) {
  for (size_t i = 0; i < ranges.size(); ++i)
    sources_[i].left = std::move(ranges[i]);
}

OrderedScan::~OrderedScan() {
  {
    MutexLock lock(&mutex_);
    is_stopping_ = true;
  }
  is_wanted_.NotifyAll();
  for (NamedThread& thread : threads_)
    thread.Join();
}

absl::Status OrderedScan::Run(const Visit& visit) {
  HOURCELL_DCHECK(threads_.empty());  // called once
  {
    MutexLock lock(&mutex_);
    for (size_t i = 0; i < sources_.size(); ++i)
      Want(i);
  }
  for (size_t i = 0; i < settings_.threads; ++i)
    threads_.emplace_back("hc-scan-ahead", [this] { ReadAhead(); });
  std::vector<Cursor> cursors;
  cursors.reserve(sources_.size());
  for (size_t i = 0; i < sources_.size(); ++i)
    cursors.emplace_back(this, i);
  // A failed source looks as if it had ended, hence the check before each row.
  for (MergeCursor<Cursor> merged(cursors, {}); merged.Valid() && !has_failed_; merged.Next()) {
    if (settings_.cancelled != nullptr && *settings_.cancelled) {
      return absl::CancelledError("scan: cancelled");
    }
    const Cursor& at = merged.source();
    HOURCELL_ASSIGN_OR_RETURN(const bool go_on, visit(at.stored_key(), at.value()));
    if (!go_on) return absl::OkStatus();
  }
  MutexLock lock(&mutex_);
  return CopyStatus(status_);
}

void OrderedScan::Want(size_t source) {
  Source& wanted = sources_[source];
  if (wanted.is_wanted || wanted.is_exhausted || wanted.ready.size() >= kBlocksAhead) return;
  wanted.is_wanted = true;
  wanted_.push_back(source);
}

void OrderedScan::ReadAhead() {
  MutexLock lock(&mutex_);
  while (true) {
    while (wanted_.empty() && !is_stopping_)
      is_wanted_.Wait(&mutex_);
    if (is_stopping_) return;
    const size_t source = wanted_.front();
    wanted_.pop_front();
    FillOne(source);
  }
}

void OrderedScan::FillOne(size_t index) {
  Source& source = sources_[index];
  HOURCELL_DCHECK(source.is_wanted && !source.is_exhausted);
  Block block;
  mutex_.Unlock();
  const absl::StatusOr<bool> is_last = Fill(&source, &block);
  mutex_.Lock();
  source.is_wanted = false;
  source.is_exhausted = !is_last.ok() || *is_last;
  if (!is_last.ok()) {
    if (status_.ok()) status_ = CopyStatus(is_last.status());
    has_failed_ = true;
  } else if (!block.rows.empty()) {
    source.ready.push_back(std::move(block));
  }
  Want(index);
  is_filled_.NotifyAll();
}

bool OrderedScan::NextBlock(size_t index, Block* block) {
  Source& source = sources_[index];
  MutexLock lock(&mutex_);
  while (source.ready.empty() && !source.is_exhausted) {
    if (settings_.threads > 0) {
      is_filled_.Wait(&mutex_);
      continue;
    }
    std::erase(wanted_, index);
    FillOne(index);
  }
  if (source.ready.empty()) return false;
  *block = std::move(source.ready.front());
  source.ready.pop_front();
  Want(index);
  is_wanted_.NotifyAll();
  return true;
}

absl::StatusOr<bool> OrderedScan::Fill(Source* source, Block* block) const {
  bool is_full = false;
  const KeyPiece& salt = settings_.salt;
  const auto add = [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
    HOURCELL_CHECK(key.size() >= salt.begin + salt.size);
    block->rows.push_back({.order_at = block->bytes.size(),
                           .order_size = key.size() - salt.size,
                           .key_size = key.size(),
                           .value_size = value.size()});
    block->bytes.append(key.substr(0, salt.begin))
        .append(key.substr(salt.begin + salt.size))
        .append(key)
        .append(value);
    is_full = block->bytes.size() >= settings_.block_bytes;
    return !is_full;
  };
  HOURCELL_RETURN_IF_ERROR(read_(source->left, add));
  if (!is_full) return true;
  // The rest begins directly after the last row.
  const Row& last = block->rows.back();
  source->left.begin.assign(block->bytes, last.order_at + last.order_size, last.key_size);
  source->left.begin.push_back('\0');
  return false;
}

}  // namespace hourcell
