#include "engine/write/observed_puts.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

// Why a list of unacknowledged batches: observers learn of a put when the journal has it. If they
// learned of it earlier, they could act on a point that a crash removes. The thread that waited for
// the block calls the observers, so that they learn of a batch before its sender does.

namespace hourcell {
namespace {

thread_local bool is_asking = false;

// An observer may run out of memory, which throws.
class AskingScope {
 public:
  AskingScope() {
    HOURCELL_DCHECK(!is_asking);  // an observer's put is refused
    is_asking = true;
  }
  ~AskingScope() { is_asking = false; }
  AskingScope(const AskingScope&) = delete;
  AskingScope& operator=(const AskingScope&) = delete;
};

// The object that is calling observers on this thread: they may put, and wait for the put.
thread_local const ObservedPuts* tells = nullptr;

}  // namespace

ObservedPuts::ObservedPuts(std::vector<StoreObserver*> observers)
    : observers_(std::move(observers)),
      wants_order_(std::ranges::any_of(observers_, &StoreObserver::WantsOrder)) {}

ObservedPuts::Order::Order(ObservedPuts* puts) {
  if (puts != nullptr && puts->wants_order_) lock_.emplace(&puts->order_);
}

bool ObservedPuts::IsAsking() {
  return is_asking;
}

absl::StatusOr<uint64_t> ObservedPuts::Ask(std::span<const PointView> points,
                                           std::string_view via) {
  const PutBatch batch{.number = ++last_batch_, .points = points, .via = via};
  for (StoreObserver* const observer : observers_) {
    const AskingScope scope;
    HOURCELL_RETURN_IF_ERROR(observer->BeforePut(batch));
  }
  return batch.number;
}

void ObservedPuts::ShowNew(std::span<const CreatedSeries> series) {
  HOURCELL_DCHECK(!series.empty());
  const AskingScope scope;
  for (StoreObserver* const observer : observers_)
    observer->AfterNewSeries(series);
}

void ObservedPuts::Show(const PutBatch& batch) {
  const AskingScope scope;
  for (StoreObserver* const observer : observers_)
    observer->BeforeStore(batch);
}

void ObservedPuts::Add(uint64_t batch, size_t points, uint64_t block, bool wants_sync) {
  HOURCELL_DCHECK(batch > 0 && points > 0);
  MutexLock lock(&mutex_);
  entries_.push_back({batch, points, block, wants_sync});
}

void ObservedPuts::Acknowledge(uint64_t block, bool is_synced) {
  {
    MutexLock lock(&mutex_);
    written_ = std::max(written_, block + 1);
    if (is_synced) synced_ = std::max(synced_, block + 1);
  }
  // The outer call reports puts that observers make during their calls.
  if (tells == this) return;
  MutexLock telling(&telling_);
  tells = this;
  for (std::vector<Entry> done = TakeDone(); !done.empty(); done = TakeDone()) {
    for (const Entry& entry : done) {
      for (StoreObserver* const observer : observers_)
        observer->AfterPut(entry.batch, entry.points);
    }
  }
  tells = nullptr;
}

std::vector<ObservedPuts::Entry> ObservedPuts::TakeDone() {
  MutexLock lock(&mutex_);
  const auto waits = [written = written_, synced = synced_](const Entry& entry) {
    return entry.block >= (entry.wants_sync ? synced : written);
  };
  const auto first = std::stable_partition(entries_.begin(), entries_.end(), waits);
  const std::vector<Entry> done(first, entries_.end());
  entries_.erase(first, entries_.end());
  return done;
}

}  // namespace hourcell
