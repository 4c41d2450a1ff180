#include "engine/spool/point_spool.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

// Why a second journal: the store's blocks name series by number and are deleted when hours are
// sealed. This journal keeps names, deletes blocks when points are sent, and may drop them. Points
// are collected in memory until the first of their puts is acknowledged, so that one write serves
// all puts under way, as in the store. A reader that keeps up takes blocks from memory and never
// reads a file.

namespace hourcell {
namespace {

// Collected points are written at this size, acknowledged or not.
constexpr size_t kPendingBytesMax = 1 << 20;
// Blocks in memory for a reader that keeps up; and the size of a read from files.
constexpr size_t kRecentBytesMax = 4 << 20;
constexpr size_t kReadBytes = 4 << 20;
constexpr size_t kSpoolSegmentBytesMax = 16 << 20;
// The number of files at bytes_max, so that little is dropped at once.
constexpr uint64_t kSpoolSegments = 16;
constexpr int64_t kWarnMs = 10'000;

size_t SegmentBytesOf(uint64_t bytes_max) {
  return static_cast<size_t>(std::min<uint64_t>(bytes_max / kSpoolSegments, kSpoolSegmentBytesMax));
}

std::string TextOf(const absl::Status& status) {
  return std::string(status.message());
}

std::string ReadSmallFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// An invalid position was not written completely: then the spool begins at its oldest block.
std::optional<SpoolPosition> ReadPosition(const std::string& path) {
  return DecodeSpoolPosition(ReadSmallFile(path));
}

// Not synced: after a power loss the position is older or missing, and points are sent twice.
absl::Status WriteSmallFile(const std::string& path, std::string_view bytes) {
  const std::string next = path + ".new";
  std::ofstream out(next, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out.good()) return absl::UnavailableError(fmt::format("write {}: it failed", next));
  HOURCELL_KILL_POINT("spool:before_renamed");
  std::error_code error;
  std::filesystem::rename(next, path, error);
  HOURCELL_KILL_POINT("spool:renamed");
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(fmt::format("rename {}: {}", next, error.message()));
}

}  // namespace

PointSpool::PointSpool(SpoolSettings settings) : settings_(std::move(settings)) {
  HOURCELL_CHECK(settings_.bytes_max >= kSpoolBytesMin);
}

PointSpool::~PointSpool() = default;

absl::Status PointSpool::Open() {
  HOURCELL_DCHECK(syncer_ == nullptr);  // opened once
  const std::optional<SpoolPosition> position = ReadPosition(PathOf("position"));
  const size_t segment_bytes = SegmentBytesOf(settings_.bytes_max);
  JournalOptions options{.directory = settings_.directory,
                         .fs = settings_.fs,
                         .segment_bytes = segment_bytes,
                         .preallocate_bytes = std::min<size_t>(segment_bytes, 1 << 20),
                         .low_mark = position.has_value() ? position->sequence : 0};
  absl::StatusOr<std::unique_ptr<FileJournal>> journal = FileJournal::Open(options);
  // A spool that was full has dropped blocks after the position.
  if (absl::IsDataLoss(journal.status()) && options.low_mark != 0) {
    options.low_mark = 0;
    journal = FileJournal::Open(options);
  }
  if (!journal.ok()) {
    return absl::Status(
        journal.status().code(),
        fmt::format("spool {}: {}. To go on without the points in it, move the directory away.",
                    settings_.directory, TextOf(journal.status())));
  }
  journal_ = *std::move(journal);
  {
    MutexLock lock(&mutex_);
    read_position_ = position.value_or(SpoolPosition());
    next_sequence_ = journal_->next_sequence();
  }
  dropped_ =
      position.value_or(SpoolPosition()).dropped + position.value_or(SpoolPosition()).dropped_after;
  HOURCELL_RETURN_IF_ERROR(FindId());
  HOURCELL_RETURN_IF_ERROR(FindEnd());
  if (!position.has_value()) HOURCELL_RETURN_IF_ERROR(SavePosition());
  syncer_ =
      std::make_unique<Background>("hc-spool", settings_.sync_interval_ms, [this] { SyncFiles(); });
  return absl::OkStatus();
}

absl::Status PointSpool::FindId() {
  id_ = ReadSmallFile(PathOf("id"));
  if (!id_.empty() && IsVia(id_) && id_.find(',') == id_.npos) return absl::OkStatus();
  id_ = fmt::format("{:016x}", RandomSeed());
  return WriteSmallFile(PathOf("id"), id_);
}

// Finds the end by the newest block, and without a position the begin by the oldest.
absl::Status PointSpool::FindEnd() {
  const uint64_t oldest = journal_->oldest_sequence();
  const uint64_t next = journal_->next_sequence();
  std::optional<SpoolBlockHeader> first;
  SpoolBlockHeader last;
  const auto read = [&](uint64_t from, bool only_one) {
    const absl::Status visited = journal_->Replay(from, [&](uint64_t, std::string_view block) {
      HOURCELL_ASSIGN_OR_RETURN(last, DecodeSpoolBlockHeader(block));
      if (!first.has_value()) first = last;
      return only_one ? absl::CancelledError() : absl::OkStatus();
    });
    return absl::IsCancelled(visited) ? absl::OkStatus() : visited;
  };
  if (oldest < next) {
    HOURCELL_RETURN_IF_ERROR(read(oldest, /*only_one=*/true));
    HOURCELL_RETURN_IF_ERROR(read(next - 1, /*only_one=*/false));
  }
  uint64_t dropped = 0;
  {
    MutexLock lock(&mutex_);
    const uint64_t first_points = first.has_value() ? first->points_before : read_position_.points;
    if (read_position_.sequence == 0) read_position_.points = first_points;
    // Points read and not done when the process ended, and points dropped since.
    if (read_position_.sequence < oldest) dropped = SkipTo(first_points);
    total_points_ =
        std::max({last.points_before + last.points, read_position_.points, read_position_.total});
    if (read_position_.sequence < next && first.has_value()) oldest_ms_ = last.time_ms;
    read_position_.sequence = std::min(std::max(read_position_.sequence, oldest), next);
    sent_position_ = read_position_;
    HOURCELL_DCHECK(sent_position_.sequence <= next_sequence_);
  }
  synced_points_ = total_points_.load();
  if (dropped > 0) AddDropped(dropped, "they were dropped before the start");
  return absl::OkStatus();
}

absl::Status PointSpool::Close() {
  Flush();
  syncer_.reset();
  HOURCELL_RETURN_IF_ERROR(journal_->Close());
  HOURCELL_RETURN_IF_ERROR(SavePosition());
  uint64_t done = 0;
  {
    MutexLock lock(&mutex_);
    done = sent_position_.sequence;
  }
  return journal_->DeleteBelow(done);
}

absl::Status PointSpool::SavePosition() {
  SpoolPosition position;
  {
    MutexLock lock(&mutex_);
    position = sent_position_;
    position.dropped_after = read_position_.dropped_after;
    position.total = total_points_;
  }
  return WriteSmallFile(PathOf("position"), EncodeSpoolPosition(position));
}

absl::Status PointSpool::CheckVia(std::string_view via) const {
  if (!IsVia(via)) {
    return absl::InvalidArgumentError(fmt::format("{}: expected at most 16 ids of servers, got {}",
                                                  kViaHeader, QuoteForMessage(via)));
  }
  if (via.find(id_) == via.npos) return absl::OkStatus();
  return absl::InvalidArgumentError(kOwnPointsText);
}

absl::Status PointSpool::BeforePut(const PutBatch& batch) {
  return CheckVia(batch.via);
}

absl::Status PointSpool::BeforeHistograms(std::string_view via) {
  return CheckVia(via);
}

void PointSpool::AfterHistograms(std::span<const StoredHistogram> histograms,
                                 std::string_view via) {
  if (histograms.empty()) return;
  std::vector<PointView> points;
  std::vector<std::string_view> cells;
  for (const StoredHistogram& histogram : histograms) {
    points.push_back(histogram.point);
    cells.push_back(histogram.cell);
  }
  Collect(points, cells, via);
  Flush();
}

void PointSpool::BeforeStore(const PutBatch& given) {
  const auto is_special = [](const PointView& point) { return point.value.is_special(); };
  // The other server takes numbers only.
  std::vector<PointView> kept;
  PutBatch batch = given;
  if (std::ranges::any_of(given.points, is_special)) {
    std::ranges::remove_copy_if(given.points, std::back_inserter(kept), is_special);
    batch.points = kept;
    if (kept.empty()) return;
  }
  Collect(batch.points, {}, batch.via);
}

void PointSpool::Collect(std::span<const PointView> given,
                         std::span<const std::string_view> cells,
                         std::string_view via) {
  thread_local std::string points;
  points.clear();
  AppendSpooledPoints(given, &points, cells);
  bool is_much = false;
  {
    MutexLock lock(&pending_mutex_);
    // A block has points of one `via`.
    while (pending_points_ > 0 && pending_via_ != via) {
      pending_mutex_.Unlock();
      Flush();
      pending_mutex_.Lock();
    }
    if (pending_points_ == 0) {
      pending_bytes_.assign(kSpoolBlockHeaderBytes, '\0');
      pending_via_ = via;
      pending_has_histograms_ = false;
      AppendSpoolVia(via, &pending_bytes_);
    }
    pending_bytes_ += points;
    HOURCELL_DCHECK(pending_via_ == via && pending_bytes_.size() >= kSpoolBlockHeaderBytes);
    pending_points_ += static_cast<uint32_t>(given.size());
    pending_has_histograms_ = pending_has_histograms_ || !cells.empty();
    is_much = pending_bytes_.size() >= kPendingBytesMax;
  }
  if (points.capacity() > kPendingBytesMax) std::string().swap(points);
  if (is_much) Flush();
}

// Whatever batch is acknowledged: those that are not yet are written with it.
void PointSpool::AfterPut(uint64_t /*batch*/, size_t /*points*/) {
  Flush();
}

void PointSpool::Flush() {
  MutexLock writing(&write_mutex_);
  std::string block;
  uint32_t points = 0;
  bool has_via = false;
  bool has_histograms = false;
  {
    MutexLock lock(&pending_mutex_);
    if (pending_points_ == 0) return;
    has_via = !pending_via_.empty();
    has_histograms = pending_has_histograms_;
    block.swap(pending_bytes_);
    points = std::exchange(pending_points_, 0);
  }
  HOURCELL_DCHECK(block.size() > kSpoolBlockHeaderBytes);
  MakeRoom(block.size());
  const int64_t now_ms = settings_.clock->NowMs();
  SetSpoolBlockHeader({.points_before = total_points_,
                       .points = points,
                       .time_ms = now_ms,
                       .has_histograms = has_histograms},
                      has_via, &block);
  const uint64_t sequence = journal_->next_sequence();
  const std::string_view part = block;
  const absl::Status written = journal_->Write({&part, 1});
  total_points_ += points;  // points that cannot be written are a gap before the next block
  if (!written.ok()) {
    {
      MutexLock lock(&mutex_);
      read_position_.dropped_after += points;
    }
    AddDropped(points, TextOf(written));
    return;
  }
  {
    MutexLock lock(&mutex_);
    if (sent_position_.sequence >= next_sequence_) oldest_ms_ = now_ms;
    HOURCELL_DCHECK(next_sequence_ == sequence && journal_->next_sequence() == sequence + 1);
    HOURCELL_DCHECK(recent_blocks_.empty() || recent_blocks_.back().sequence < sequence);
    next_sequence_ = sequence + 1;
    recent_bytes_ += block.size();
    recent_blocks_.push_back({.sequence = sequence, .bytes = std::move(block)});
    while (recent_bytes_ > kRecentBytesMax) {
      recent_bytes_ -= recent_blocks_.front().bytes.size();
      recent_blocks_.pop_front();
    }
    HOURCELL_DCHECK(recent_blocks_.empty() == (recent_bytes_ == 0));
  }
  if (settings_.sync_always) SyncFiles();
}

void PointSpool::SyncFiles() {
  const uint64_t total = total_points_;
  const absl::Status synced = journal_->Sync();
  if (synced.ok()) {
    synced_points_ = total;
    return;
  }
  if (unsynced_end_ == 0) unsynced_end_ = total;  // nothing is written after it
  Warn(fmt::format("{}; a power loss takes {} points that were acknowledged and not sent",
                   TextOf(synced), unsynced()));
}

uint64_t PointSpool::unsynced() const {
  MutexLock lock(&mutex_);
  const uint64_t safe = std::max<uint64_t>(synced_points_, sent_position_.points);
  return std::max<uint64_t>(unsynced_end_, safe) - safe;
}

uint64_t PointSpool::SkipTo(uint64_t points_before) {
  if (points_before <= read_position_.points) return 0;
  const uint64_t gap = points_before - read_position_.points;
  const uint64_t counted = std::min(gap, read_position_.dropped_after);
  read_position_.dropped_after -= counted;
  read_position_.dropped += gap;
  read_position_.points = points_before;
  return gap - counted;
}

// Drops whole segments, oldest first.
void PointSpool::MakeRoom(size_t bytes) {
  while (journal_->bytes() + bytes > settings_.bytes_max) {
    const uint64_t oldest = journal_->oldest_sequence();
    const uint64_t low_mark = journal_->LowMarkThatDeletes(oldest);
    if (low_mark <= oldest || !journal_->DeleteBelow(low_mark).ok()) return;
    if (journal_->oldest_sequence() == oldest) return;  // pinned by the reader; the next one tries
    CountDropped(journal_->oldest_sequence());
  }
}

// Of the blocks below `oldest`, which are deleted, those that the reader does not have.
void PointSpool::CountDropped(uint64_t oldest) {
  uint64_t points_before = total_points_;
  const absl::Status read = journal_->Replay(oldest, [&](uint64_t, std::string_view block) {
    HOURCELL_ASSIGN_OR_RETURN(const SpoolBlockHeader header, DecodeSpoolBlockHeader(block));
    points_before = header.points_before;
    return absl::CancelledError();
  });
  read.IgnoreError();  // Cancelled, or damage, which the reader finds again
  uint64_t dropped = 0;
  {
    MutexLock lock(&mutex_);
    while (!recent_blocks_.empty() && recent_blocks_.front().sequence < oldest) {
      recent_bytes_ -= recent_blocks_.front().bytes.size();
      recent_blocks_.pop_front();
    }
    HOURCELL_DCHECK(oldest <= next_sequence_ && recent_blocks_.empty() == (recent_bytes_ == 0));
    if (read_position_.sequence >= oldest) return;
    dropped = SkipTo(points_before);
    read_position_.sequence = oldest;
  }
  AddDropped(dropped, "the spool is full");
}

void PointSpool::AddDropped(uint64_t points, std::string_view why) {
  const uint64_t sum = dropped_.fetch_add(points, std::memory_order_relaxed) + points;
  Warn(fmt::format("{}; {} points were dropped since the spool was made", why, sum));
}

void PointSpool::Warn(std::string_view text) {
  if (!settings_.warn) return;
  const int64_t now_ms = settings_.clock->MonotonicMs();
  int64_t warned_ms = warned_ms_.load(std::memory_order_relaxed);
  if (warned_ms != 0 && now_ms - warned_ms < kWarnMs) return;
  if (!warned_ms_.compare_exchange_strong(warned_ms, now_ms)) return;
  settings_.warn(fmt::format("spool {}: {}", settings_.directory, text));
}

absl::StatusOr<bool> PointSpool::Read(size_t bytes, SpooledBatch* batch) {
  *batch = SpooledBatch();
  return ReadMore(bytes, batch);
}

absl::StatusOr<bool> PointSpool::ReadMore(size_t bytes, SpooledBatch* batch) {
  const size_t points = batch->read.points.size();
  if (read_blocks_.empty()) {
    uint64_t from = 0;
    bool is_taken = false;
    {
      MutexLock lock(&mutex_);
      from = read_position_.sequence;
      if (from >= next_sequence_) return false;
      is_taken = TakeFromMemory();
    }
    if (!is_taken) HOURCELL_RETURN_IF_ERROR(ReadFiles(from));
  }
  TakeLoaded(bytes, batch);
  return batch->read.points.size() > points;
}

bool PointSpool::TakeFromMemory() {
  HOURCELL_DCHECK(read_blocks_.empty());
  if (recent_blocks_.empty() || recent_blocks_.front().sequence > read_position_.sequence)
    return false;
  while (!recent_blocks_.empty()) {
    Block block = std::move(recent_blocks_.front());
    recent_blocks_.pop_front();
    if (block.sequence >= read_position_.sequence) Load(std::move(block));
  }
  recent_bytes_ = 0;
  return true;
}

absl::Status PointSpool::ReadFiles(uint64_t from) {
  HOURCELL_DCHECK(read_blocks_.empty());
  // Nothing is dropped meanwhile.
  std::unique_ptr<JournalPin> pin = journal_->Pin(from);
  from = std::max(from, journal_->oldest_sequence());
  std::deque<Block> blocks;
  size_t bytes = 0;
  const absl::Status read = journal_->Replay(from, [&](uint64_t sequence, std::string_view block) {
    blocks.push_back({.sequence = sequence, .bytes = std::string(block)});
    bytes += block.size();
    return bytes < kReadBytes ? absl::OkStatus() : absl::CancelledError();
  });
  if (blocks.empty() && absl::IsDataLoss(read)) {
    pin.reset();
    SkipDamage(from, read);
    return absl::OkStatus();
  }
  // Blocks before damage first; the next call begins at the damage.
  if (blocks.empty()) return read;
  MutexLock lock(&mutex_);
  for (Block& block : blocks)
    Load(std::move(block));
  return absl::OkStatus();
}

// Skips the rest of the segment; the next block has the number of points skipped.
void PointSpool::SkipDamage(uint64_t from, const absl::Status& damage) {
  AddDropped(0, TextOf(damage));
  const uint64_t next_segment = journal_->LowMarkThatDeletes(from);
  MutexLock lock(&mutex_);
  read_position_.sequence =
      std::max(read_position_.sequence, next_segment > from ? next_segment : next_sequence_);
}

void PointSpool::Load(Block block) {
  HOURCELL_DCHECK(block.sequence >= read_position_.sequence);
  const absl::StatusOr<SpoolBlockHeader> header = DecodeSpoolBlockHeader(block.bytes);
  const uint64_t next = block.sequence + 1;
  if (!header.ok()) {  // its points are missing before the next block
    read_position_.sequence = next;
    return;
  }
  if (const uint64_t dropped = SkipTo(header->points_before); dropped > 0) {
    AddDropped(dropped, "blocks are missing or damaged");
  }
  read_position_.sequence = next;
  read_position_.points = header->points_before + header->points;
  block.dropped = read_position_.dropped;
  read_blocks_.push_back(std::move(block));
}

void PointSpool::TakeLoaded(size_t bytes, SpooledBatch* batch) {
  const size_t begin = batch->read.points.size();
  size_t taken = 0;
  while (!read_blocks_.empty() && (taken < bytes || batch->read.points.size() == begin)) {
    const std::string_view via = SpoolViaOf(read_blocks_.front().bytes);
    if (batch->blocks.empty()) batch->via = via;
    if (batch->via != via) return;
    Block block = std::move(read_blocks_.front());
    read_blocks_.pop_front();
    taken += block.bytes.size();
    const std::string& kept = batch->blocks.emplace_back(std::move(block.bytes));
    const SpoolBlockHeader header = DecodeSpoolBlockHeader(kept).value_or(SpoolBlockHeader());
    if (batch->blocks.size() == 1) oldest_ms_ = header.time_ms;
    const size_t points = batch->read.points.size();
    if (const absl::Status decoded = DecodeSpoolBlock(kept, &batch->read); !decoded.ok()) {
      batch->read.Truncate(points);
      undecoded_points_ += header.points;
      AddDropped(header.points, TextOf(decoded));
    }
    batch->end = {.sequence = block.sequence + 1,
                  .points = header.points_before + header.points,
                  .dropped = block.dropped + undecoded_points_};
  }
}

absl::Status PointSpool::Done(const SpooledBatch& batch) {
  {
    MutexLock lock(&mutex_);
    if (batch.end.sequence > sent_position_.sequence) sent_position_ = batch.end;
    if (sent_position_.sequence >= next_sequence_) oldest_ms_ = 0;
  }
  HOURCELL_RETURN_IF_ERROR(SavePosition());
  return journal_->DeleteBelow(batch.end.sequence);
}

int64_t PointSpool::LagMs() const {
  const int64_t oldest_ms = oldest_ms_;
  return oldest_ms == 0 ? 0 : std::max<int64_t>(settings_.clock->NowMs() - oldest_ms, 0);
}

}  // namespace hourcell
