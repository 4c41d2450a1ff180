#include "server/inputs/input_writer.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/strings.h"
#include "server/http/http_status.h"

// Why batches: a body of 64 MiB may have ten million points, each with 72 bytes in addition to its
// text while it waits for the store. One ticket covers all batches, so that Finish waits once.

namespace hourcell {
namespace {

PointBatch* ThreadBatch() {
  thread_local const auto batch = std::make_unique<PointBatch>();
  return batch.get();
}

std::string Count(size_t count, std::string_view noun) {
  const bool is_plural = count != 1 && !noun.ends_with('s');
  return fmt::format("{} {}{}", count, noun, is_plural ? "s" : "");
}

}  // namespace

InputWriter::InputWriter(const PutWriter* put,
                         bool may_wait,
                         std::function<bool()> may_store,
                         BodyWork* work)
    : put_(put),
      may_wait_(may_wait),
      may_store_(std::move(may_store)),
      work_(work),
      batch_(ThreadBatch()) {}

InputWriter::~InputWriter() {
  batch_->Clear();
}

void InputWriter::Refuse(size_t item, std::string text) {
  ++items_refused_;
  AddFault(item, std::move(text));
}

// Points of one item mostly share a fault.
void InputWriter::AddFault(size_t item, std::string text) {
  if (!wants_faults()) return;
  if (!faults_.empty() && faults_.back().item == item && faults_.back().text == text) return;
  faults_.push_back({item, std::move(text)});
}

void InputWriter::TakeRefused(const std::vector<RefusedPoint>& refused,
                              const std::function<size_t(size_t)>& item_of) {
  points_refused_ += refused.size();
  std::vector<size_t> items;
  for (const RefusedPoint& point : refused) {
    put_->CountRefused(point.error.kind, 1);
    is_throttled_ |= point.error.kind == PointErrorKind::kThrottled;
    is_broken_ |= point.error.kind == PointErrorKind::kStorage;
    const size_t item = item_of(point.index);
    if (wants_faults()) AddFault(item, RefusalText(point.error));
    items.push_back(item);
  }
  std::ranges::sort(items);
  items_with_refused_ += static_cast<size_t>(std::ranges::unique(items).begin() - items.begin());
}

// Asks `may_store` before the first part of a request with more is stored.
bool InputWriter::MayStore() {
  if (!is_full() || may_store_ == nullptr) return true;
  may_not_store_ = !std::exchange(may_store_, nullptr)();
  if (work_ != nullptr && !work_->status().ok()) {  // the work ended before the check did
    failure_ = work_->status();
    may_not_store_ = false;
    return false;
  }
  return !may_not_store_;
}

bool InputWriter::Flush() {
  if (work_ != nullptr && failure_.ok()) failure_ = work_->status();
  if (!failure_.ok() || must_wait_ || may_not_store_) return false;
  if (batch_->points().empty() && histograms_.empty()) {
    batch_->Clear();  // removes names of items without points
    return true;
  }
  if ((is_full() || !histograms_.empty()) && !may_wait_) {
    must_wait_ = true;
    return false;
  }
  return MayStore() && FlushPoints() && FlushHistograms();
}

bool InputWriter::FlushPoints() {
  const size_t points = batch_->points().size();
  if (points == 0) {
    batch_->Clear();
    return true;
  }
  std::vector<RefusedPoint> refused;
  const std::span<const size_t> items =
      are_items_whole_ ? batch_->items() : std::span<const size_t>();
  const CommitTicket ticket =
      put_->Append(batch_->points(), &refused,
                   {.may_wait = may_wait_, .items = items, .new_series = new_series_});
  if (ticket.took_nothing()) {
    failure_ = ticket.Wait();
    must_wait_ = absl::IsAborted(failure_);
    if (!must_wait_) put_->CountFailed(failure_, points);
    return false;
  }
  ticket_.Cover(ticket);
  HOURCELL_KILL_POINT("input:batch");
  HOURCELL_DCHECK(refused.size() <= points);
  appended_ += points - refused.size();
  TakeRefused(refused, [this](size_t index) { return batch_->ItemOf(index); });
  batch_->Clear();
  return true;
}

bool InputWriter::FlushHistograms() {
  if (histograms_.empty()) return true;
  std::vector<RefusedPoint> refused;
  const absl::Status stored = put_->AppendHistograms(
      histograms_.points(), &refused, {.may_wait = may_wait_, .new_series = new_series_});
  if (!stored.ok()) {
    failure_ = stored;
    put_->CountFailed(failure_, histograms_.size());
    return false;
  }
  HOURCELL_DCHECK(refused.size() <= histograms_.size());
  histograms_written_ += histograms_.size() - refused.size();
  TakeRefused(refused, [this](size_t index) { return histograms_.ItemOf(index); });
  histograms_.Clear();
  return true;
}

void InputWriter::Finish() {
  Flush();
  if (must_wait_) return;
  if (items_refused_ > 0) put_->CountRefused(PointErrorKind::kIllegalArgument, items_refused_);
  if (appended_ == 0) return;
  if (const absl::Status status = ticket_.Wait(); !status.ok()) {
    put_->CountFailed(status, appended_);
    failure_ = status;
    return;
  }
  HOURCELL_KILL_POINT("input:acknowledged");
  put_->CountAcknowledged(appended_);
  written_ = appended_;
}

int InputWriter::status() const {
  if (!failure_.ok()) {
    if (absl::IsPermissionDenied(failure_)) return 403;
    if (IsUnwanted(failure_)) return 400;
    return HttpStatusOf(Failed::kStore, failure_.code());
  }
  // Order of precedence: full store, broken store, bad point. The sender must learn if a retry
  // helps.
  if (is_throttled_) return 503;
  if (is_broken_) return 500;
  return items_refused_ + points_refused_ > 0 ? 400 : 204;
}

bool InputWriter::is_for_later() const {
  return failure_.ok() ? is_throttled_ : IsForLater(failure_);
}

std::string InputWriter::FaultText(std::string_view item) const {
  std::string text;
  if (!failure_.ok()) fmt::format_to(std::back_inserter(text), "{}\n", MessageOf(failure_));
  std::vector<Fault> faults = faults_;
  std::ranges::stable_sort(faults, {}, &Fault::item);
  for (const Fault& fault : faults)
    fmt::format_to(std::back_inserter(text), "{} {}: {}\n", item, fault.item, fault.text);
  const size_t items = are_items_whole_ ? items_wrong() : items_refused_;
  fmt::format_to(std::back_inserter(text), "{} refused, {} refused, {} written", Count(items, item),
                 Count(refused() - items, "point"), Count(written_, "point"));
  if (histograms_written_ > 0) {
    fmt::format_to(std::back_inserter(text), ", {} written",
                   Count(histograms_written_, "histogram"));
  }
  return text;
}

HttpResponse AnswerWhereItMayWait() {
  HttpResponse response;
  response.must_wait = true;
  return response;
}

}  // namespace hourcell
