#include "engine/simulate/key_maker.h"

#include "codec/base/status_macros.h"
#include "engine/regions/distributor_spec.h"

namespace hourcell {

absl::StatusOr<KeyMaker> KeyMaker::Make(std::string_view layout, std::string_view distributor) {
  KeyMaker maker;
  maker.layout_.salt_width = 1;
  if (layout != "stored") {
    HOURCELL_ASSIGN_OR_RETURN(KeyTemplate parsed, KeyTemplate::Parse(layout));
    if (parsed.salt_buckets() > 0) {
      maker.layout_.salt_width = parsed.salt_bytes();
      maker.layout_.salt_buckets = static_cast<uint32_t>(parsed.salt_buckets());
    }
    maker.template_.emplace(std::move(parsed));
  }
  HOURCELL_ASSIGN_OR_RETURN(maker.distributor_, MakeKeyDistributor(distributor, maker.layout_));
  maker.is_distributed_ = distributor != "none";
  maker.is_time_first_kept_ = !maker.is_distributed_ || distributor.starts_with("cyclic") ||
                              distributor.starts_with("reversed-time");
  return maker;
}

absl::StatusOr<std::string_view> KeyMaker::KeyOf(const SourcePut& put) {
  std::string_view key = put.key;
  if (key.empty()) {
    if (!template_.has_value()) {
      if (put.row_key.empty()) {
        return absl::FailedPreconditionError(
            "layout stored: the source names series and has no keys; want a layout of fields");
      }
      key = put.row_key;
    } else {
      key_.clear();
      template_->Append(put.parts, &key_);
      key = key_;
    }
  }
  if (!is_distributed_) return key;
  HOURCELL_RETURN_IF_ERROR(distributor_->Encode(key, &stored_));
  return std::string_view(stored_);
}

uint64_t KeyMaker::scan_ranges() const {
  const uint64_t of_template = template_.has_value() ? template_->ranges_of_scan() : 1;
  const uint64_t buckets = distributor_->buckets();
  return buckets > kBucketsVisitedMax ? 0 : of_template * buckets;
}

bool KeyMaker::begins_with_time() const {
  return is_time_first_kept_ && template_.has_value() && template_->begins_with_time();
}

}  // namespace hourcell
