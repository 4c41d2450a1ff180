// InputWriter: stores the points of one request in batches and collects the results.
//
//   InputWriter writer(&put_writer, request.may_wait);
//   while (writer.HasRoom() && <there is another line>) {
//     if (<the line is bad>) writer.Refuse(line, text);
//     else <add its points to writer.batch()>
//   }
//   writer.Finish();
//
// The work on a request can be cancelled (body_work.h); batches handed on before that are stored.
//
// A request that may not wait stores at most one batch: if it has more, or histograms, nothing is
// stored, and it must be processed again on a thread that may wait. Thread-compatible; use one at a
// time per thread.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "engine/append.h"
#include "server/http/http_message.h"
#include "server/inputs/input_histograms.h"
#include "server/inputs/point_batch.h"
#include "server/put/body_work.h"
#include "server/put/put_writer.h"

namespace hourcell {

// The number of faults listed in a response.
inline constexpr size_t kFaultsNamed = 10;

class InputWriter {
 public:
  // `put` and `work` are borrowed; `work` may be null. `may_store` is called once before a full
  // batch is handed on, for requests of which nothing may be stored if a later part is malformed;
  // null = always allowed.
  InputWriter(const PutWriter* put,
              bool may_wait,
              std::function<bool()> may_store = nullptr,
              BodyWork* work = nullptr);
  ~InputWriter();
  InputWriter(const InputWriter&) = delete;
  InputWriter& operator=(const InputWriter&) = delete;

  // Add points here. Its items are lines, or other elements of the request.
  PointBatch* batch() { return batch_; }

  // Adds an exponential histogram; the value of `point` counts for nothing. It is stored after the
  // points before it.
  void AddHistogram(const LinePoint& point, ExponentialHistogram histogram, size_t item) {
    histograms_.Add(point, std::move(histogram), item);
  }

  // From now on an item is refused as a whole, and counts as one, if the store refuses one of its
  // points. For callers that add the points of an item without a HasRoom between them.
  void KeepItemsWhole() { are_items_whole_ = true; }

  // Limits the series that the points create; borrowed, null = no limit.
  void LimitNewSeries(const NewSeriesQuota* quota) { new_series_ = quota; }

  // Refuses an item: nothing of the item is stored. `text` is the reason, "expected ..., got ...";
  // any text if not wants_faults().
  void Refuse(size_t item, std::string text);
  // True if the response lists a further fault. For a body with only bad items, formatting all
  // errors would cost more than parsing.
  bool wants_faults() const { return faults_.size() < kFaultsNamed; }

  // Hands on a full batch. Call it for each item. False: stop adding points, because the store has
  // failed, the request must wait, `may_store` has returned false, or the work has ended.
  bool HasRoom() { return Step() && (!is_full() || Flush()); }

  // Counts an item without points and ignores the batch. False: stop.
  bool Step() { return work_ == nullptr || work_->Step(); }

  // Hands on the rest, waits for the acknowledgement, and counts the points.
  void Finish();

  // `may_store` returned false: nothing is stored; do not call Finish.
  bool may_not_store() const { return may_not_store_; }

  // REQUIRES: Finish. The HTTP status: 204 if there are no faults; 400 if items or points are
  // refused, or 403 if an observer refused them; 503 if the store is full or accepts no more
  // points; 500 if it is broken.
  int status() const;
  // True if the store is only full: a retry may succeed soon.
  bool is_for_later() const;
  // Process the request again on a thread that may wait; nothing is stored.
  bool must_wait() const { return must_wait_; }
  // Why the store did not accept the last batch, or any; OK if it did. On failure HasRoom is false,
  // and the caller counts the points not yet added.
  const absl::Status& failure() const { return failure_; }
  size_t written() const { return written_; }
  size_t histograms_written() const { return histograms_written_; }
  // Number of items and points refused; of whole items, only the items.
  size_t refused() const {
    return are_items_whole_ ? items_wrong() : items_refused_ + points_refused_;
  }
  // Number of items refused or with a refused point. REQUIRES: no HasRoom between the points of an
  // item.
  size_t items_wrong() const { return items_refused_ + items_with_refused_; }

  // The error text if status() is not 204: up to kFaultsNamed faults, one per line, then the
  // counts. `item` is the word for an item: "line", "series".
  //
  //   line 2: expected key=value after the measurement and its tags, got no field
  //   1 line refused, 0 points refused, 3 points written
  std::string FaultText(std::string_view item) const;

 private:
  struct Fault {
    size_t item = 0;
    std::string text;
  };

  bool is_full() const { return batch_->is_full() || histograms_.is_full(); }
  bool Flush();
  bool MayStore();
  bool FlushPoints();
  bool FlushHistograms();
  void AddFault(size_t item, std::string text);
  // `item_of` has the item of each point.
  void TakeRefused(const std::vector<RefusedPoint>& refused,
                   const std::function<size_t(size_t)>& item_of);

  const PutWriter* const put_;
  const bool may_wait_;
  std::function<bool()> may_store_;  // null once called
  BodyWork* const work_;
  bool may_not_store_ = false;
  bool are_items_whole_ = false;
  const NewSeriesQuota* new_series_ = nullptr;
  PointBatch* const batch_;
  InputHistograms histograms_;
  CommitTicket ticket_;   // covers all accepted batches
  absl::Status failure_;  // of the store
  bool must_wait_ = false;
  bool is_throttled_ = false;  // for single points
  bool is_broken_ = false;
  size_t appended_ = 0;  // points accepted but not yet acknowledged
  size_t written_ = 0;
  size_t histograms_written_ = 0;
  size_t items_refused_ = 0;
  size_t items_with_refused_ = 0;
  size_t points_refused_ = 0;
  std::vector<Fault> faults_;
};

// The response that only reports that the request must wait.
HttpResponse AnswerWhereItMayWait();

}  // namespace hourcell
