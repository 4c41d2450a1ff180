#include "bench/lab/simulate/input/trace_names.h"

#include <algorithm>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"

namespace hourcell {

absl::StatusOr<TraceNames::Series> TraceNames::Find(std::string_view metric,
                                                    std::span<const TagView> tags) {
  HOURCELL_ASSIGN_OR_RETURN(const Uid metric_uid, UidOf(&metrics_, metric));
  tags_.clear();
  for (const TagView& tag : tags) {
    HOURCELL_ASSIGN_OR_RETURN(const Uid tagk, UidOf(&tagks_, tag.key));
    HOURCELL_ASSIGN_OR_RETURN(const Uid tagv, UidOf(&tagvs_, tag.value));
    tags_.push_back({.tagk = tagk, .tagv = tagv});
  }
  tsuid_ = EncodeTsuid(layout_, metric_uid, tags_);
  const auto [it, is_new] = numbers_.try_emplace(tsuid_, numbers_.size());
  return Series{.tsuid = tsuid_, .number = it->second};
}

absl::StatusOr<Uid> TraceNames::UidOf(StringMap<Uid>* uids, std::string_view name) {
  const auto known = uids->find(name);
  if (known != uids->end()) return known->second;
  const uint64_t uids_max = MaxUnsigned(kUidWidthDefault);
  if (uids->size() >= uids_max) {
    return absl::ResourceExhaustedError(
        fmt::format("more than {} names of a kind; expected fewer", uids_max));
  }
  const Uid uid = uids->size() + 1;
  uids->emplace(std::string(name), uid);
  return uid;
}

}  // namespace hourcell
