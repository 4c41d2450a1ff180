// InputWriter: the points of one request, batch by batch into the store, and what became of them.
//
//   InputWriter writer(&put_writer, request.may_wait);
//   while (writer.HasRoom() && <there is another line>) {
//     if (<the line is bad>) writer.Refuse(line, text);
//     else <add its points to writer.batch()>
//   }
//   writer.Finish();
//
// The work on a request can be ended (body_work.h); what was handed on by then is stored.
//
// A request that may not wait stores at most one batch: if it has more, nothing of it is stored,
// and it is to be answered again where it may. Thread-compatible; one at a time on a thread.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "engine/append.h"
#include "server/http/http_message.h"
#include "server/inputs/point_batch.h"
#include "server/put/body_work.h"
#include "server/put/put_writer.h"

namespace hourcell {

// The faults that an answer names.
inline constexpr size_t kFaultsNamed = 10;

class InputWriter {
 public:
  // `put` and `work` are borrowed; `work` may be null. `may_store` is called once before a full
  // batch is handed on, for requests of which nothing may be stored if they are broken further on;
  // null = anything may.
  InputWriter(const PutWriter* put,
              bool may_wait,
              std::function<bool()> may_store = nullptr,
              BodyWork* work = nullptr);
  ~InputWriter();
  InputWriter(const InputWriter&) = delete;
  InputWriter& operator=(const InputWriter&) = delete;

  // Where the next points go. Its items count lines, or whatever the request has.
  PointBatch* batch() { return batch_; }

  // An item of which nothing is stored, and why: "got ...; want ...". The text may be anything if
  // not wants_faults().
  void Refuse(size_t item, std::string text);
  // Whether an answer names a further fault: of a body of bad items alone, making texts for all of
  // them costs more than reading it.
  bool wants_faults() const { return faults_.size() < kFaultsNamed; }

  // Hands on a full batch. To be called for each item. False: no more points are wanted, as the
  // store has failed, the request must wait, `may_store` has said no, or the work has ended.
  bool HasRoom() { return Step() && (!batch_->is_full() || Flush()); }

  // Counts what has no points, without a look at the batch. False: no more is wanted.
  bool Step() { return work_ == nullptr || work_->Step(); }

  // Hands on the rest and waits until the points are acknowledged. Counts them.
  void Finish();

  // `may_store` has said no: nothing is stored, and Finish is not to be called.
  bool may_not_store() const { return may_not_store_; }

  // After Finish. The HTTP status: 204 if all is well; 400 if items or points are refused, or 403
  // by an observer; 503 when the store is full or takes no more points; 500 when it is broken.
  int status() const;
  // Whether the store only has no room now: the same points may be taken in a moment.
  bool is_for_later() const;
  // The request is to be answered again where it may wait; nothing is stored.
  bool must_wait() const { return must_wait_; }
  // Why the store took the last batch, or all of them, not at all; OK if it did. HasRoom is false
  // then, and what was not added yet is the caller's to count.
  const absl::Status& failure() const { return failure_; }
  size_t written() const { return written_; }
  // Items and points that are wrong.
  size_t refused() const { return items_refused_ + points_refused_; }
  // Items that were refused, and those of which the store refused a point. REQUIRES: the points of
  // an item were added without a HasRoom between them.
  size_t items_wrong() const { return items_refused_ + items_with_refused_; }

  // What is wrong, if status() is not 204: up to kFaultsNamed faults, a line each, then the counts.
  // `item` names the items: "line", "series".
  //
  //   line 2: got no field; want key=value
  //   1 line refused, 0 points refused, 3 points written
  std::string FaultText(std::string_view item) const;

 private:
  struct Fault {
    size_t item = 0;
    std::string text;
  };

  bool Flush();
  void AddFault(size_t item, std::string text);
  void TakeRefused(const std::vector<RefusedPoint>& refused);

  const PutWriter* const put_;
  const bool may_wait_;
  std::function<bool()> may_store_;  // until it was called
  BodyWork* const work_;
  bool may_not_store_ = false;
  PointBatch* const batch_;
  CommitTicket ticket_;   // covers all batches that the store took
  absl::Status failure_;  // of the store
  bool must_wait_ = false;
  bool is_throttled_ = false;  // of single points
  bool is_broken_ = false;
  size_t appended_ = 0;  // points that the store took, not yet acknowledged
  size_t written_ = 0;
  size_t items_refused_ = 0;
  size_t items_with_refused_ = 0;
  size_t points_refused_ = 0;
  std::vector<Fault> faults_;
};

// The answer that says only that the request must wait.
HttpResponse AnswerWhereItMayWait();

}  // namespace hourcell
