#include "bench/lab/simulate/input/key_maker.h"

#include <algorithm>

#include "codec/base/status_macros.h"
#include "engine/regions/keys/distributor_spec.h"
#include "engine/regions/md5.h"

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
  maker.LearnMd5Prefix();
  maker.is_time_first_kept_ = !maker.is_distributed_ || distributor.starts_with("cyclic") ||
                              distributor.starts_with("reversed-time");
  return maker;
}

// MD5 is the most expensive part of a key, so this recognises its distributors by their output:
// digits of the key's MD5 and a separator before the key.
void KeyMaker::LearnMd5Prefix() {
  constexpr std::string_view kName = "md5-";
  constexpr std::string_view kKey = "a key";
  const std::string spec = distributor_->Spec();
  std::string stored;
  if (!spec.starts_with(kName) || !distributor_->Encode(kKey, &stored).ok()) return;
  if (!stored.ends_with(kKey)) return;
  const std::string hex = Md5Hex(kKey);
  const std::string_view before = std::string_view(stored).substr(0, stored.size() - kKey.size());
  const auto common = std::mismatch(before.begin(), before.end(), hex.begin(), hex.end());
  md5_digits_ = static_cast<size_t>(common.first - before.begin());
  md5_separator_ = before.substr(md5_digits_);
}

void KeyMaker::KeyList::Clear() {
  bytes.clear();
  ends.clear();
}

void KeyMaker::KeyList::AppendViews(std::vector<std::string_view>* views) const {
  size_t begin = 0;
  for (const size_t end : ends) {
    views->push_back(std::string_view(bytes).substr(begin, end - begin));
    begin = end;
  }
}

void KeyMaker::HashAll(std::span<const std::string_view> texts) {
  digests_.resize(texts.size());
  Md5Many(texts, digests_);
}

absl::Status KeyMaker::MakeOriginals(std::span<const SourcePut> puts) {
  originals_.Clear();
  const bool has_md5 = template_.has_value() && template_->has_md5();
  if (has_md5) {
    texts_.clear();
    for (const SourcePut& put : puts)
      texts_.push_back(put.parts.tsuid);
    HashAll(texts_);
  }
  for (size_t i = 0; i < puts.size(); ++i) {
    const SourcePut& put = puts[i];
    if (!put.key.empty()) {
      originals_.bytes.append(put.key);
    } else if (template_.has_value()) {
      KeyParts parts = put.parts;
      if (has_md5) parts.md5 = &digests_[i];
      template_->Append(parts, &originals_.bytes);
    } else if (!put.row_key.empty()) {
      originals_.bytes.append(put.row_key);
    } else {
      return absl::FailedPreconditionError(
          "layout stored: the source names series and has no keys; expected a layout of fields");
    }
    originals_.Close();
  }
  return absl::OkStatus();
}

absl::Status KeyMaker::Distribute(std::span<const std::string_view> originals) {
  stored_.Clear();
  if (md5_digits_ > 0) {
    HashAll(originals);
    for (size_t i = 0; i < originals.size(); ++i) {
      AppendHexDigits(digests_[i], md5_digits_, &stored_.bytes);
      stored_.bytes.append(md5_separator_).append(originals[i]);
      stored_.Close();
    }
    return absl::OkStatus();
  }
  for (const std::string_view original : originals) {
    HOURCELL_RETURN_IF_ERROR(distributor_->Encode(original, &one_stored_));
    stored_.bytes.append(one_stored_);
    stored_.Close();
  }
  return absl::OkStatus();
}

absl::Status KeyMaker::KeysOf(std::span<const SourcePut> puts,
                              std::vector<std::string_view>* keys) {
  keys->clear();
  const absl::Status made = MakeOriginals(puts);
  if (!is_distributed_) {
    originals_.AppendViews(keys);
    return made;
  }
  views_.clear();
  originals_.AppendViews(&views_);
  const absl::Status distributed = Distribute(views_);
  stored_.AppendViews(keys);
  return distributed.ok() ? made : distributed;
}

absl::StatusOr<std::string_view> KeyMaker::KeyOf(const SourcePut& put) {
  HOURCELL_RETURN_IF_ERROR(KeysOf({&put, 1}, &one_));
  return one_.front();
}

uint64_t KeyMaker::scan_ranges() const {
  const uint64_t of_template = template_.has_value() ? template_->ranges_of_scan() : 1;
  const uint64_t buckets = distributor_->buckets();
  return buckets > kBucketsVisitedMax ? 0 : of_template * buckets;
}

bool KeyMaker::has_day_rows() const {
  return template_.has_value() &&
         std::ranges::any_of(template_->fields(), [](const KeyField& field) {
           return field.kind == KeyFieldKind::kDay;
         });
}

std::optional<size_t> KeyMaker::store_salt_bytes() const {
  if (is_distributed_ || !template_.has_value()) return std::nullopt;
  constexpr KeyFieldKind kOrder[] = {KeyFieldKind::kMetric, KeyFieldKind::kHour,
                                     KeyFieldKind::kTags};
  std::span<const KeyField> fields = template_->fields();
  const bool is_salted = !fields.empty() && fields.front().kind == KeyFieldKind::kSalt;
  if (is_salted) fields = fields.subspan(1);
  if (!std::ranges::equal(fields, kOrder, {}, &KeyField::kind)) return std::nullopt;
  return is_salted ? template_->salt_bytes() : 0;
}

bool KeyMaker::begins_with_time() const {
  return is_time_first_kept_ && template_.has_value() && template_->begins_with_time();
}

}  // namespace hourcell
