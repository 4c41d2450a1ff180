#include "engine/names/series_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <absl/status/statusor.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

// Limits of the kept names of a kind, and of the bytes of all; beyond, all are forgotten.
constexpr size_t kNamesMax = 65536;
constexpr size_t kNamesBytesMax = size_t{16} << 20;
// Memory of a name in addition to its text: a node, its allocation, its entry in the table.
constexpr size_t kNameOverheadBytes = 80;
// Counts names in steps of this size.
constexpr size_t kCountedAtOnce = size_t{16} << 10;

}  // namespace

absl::Status SeriesNames::NameOf(UidKind kind, std::string_view uid_bytes, std::string_view* name) {
  auto& known = names_[static_cast<size_t>(kind)];
  const Uid uid = LoadBigEndian(uid_bytes.data(), uid_bytes.size());
  auto found = known.find(uid);
  if (found == known.end()) {
    absl::StatusOr<std::string> text = uids_.NameOf(kind, uid);
    if (!text.ok() && !absl::IsNotFound(text.status())) return text.status();
    // The series of a deleted name must stay visible.
    found = known.emplace(uid, text.ok() ? *std::move(text) : ToUpperHex(uid_bytes)).first;
    names_bytes_ += kNameOverheadBytes + found->second.capacity();
  }
  *name = found->second;
  return absl::OkStatus();
}

// Names are kept only to save look-ups, so an exhausted account is not an error here.
void SeriesNames::ForgetMany() {
  const bool is_over =
      std::ranges::any_of(names_, [](const auto& of_kind) { return of_kind.size() > kNamesMax; });
  const bool is_counted =
      names_bytes_ < hold_.bytes() + kCountedAtOnce || hold_.Set(names_bytes_).ok();
  if (!is_over && is_counted && names_bytes_ <= kNamesBytesMax) return;
  for (auto& of_kind : names_)
    of_kind = {};
  names_bytes_ = 0;
  hold_.GiveBack(hold_.bytes());
}

absl::Status SeriesNames::Resolve(std::string_view tsuid, FoundSeries* series) {
  HOURCELL_DCHECK(tsuid.size() > layout_.metric_width &&
                  (tsuid.size() - layout_.metric_width) % layout_.pair_width() == 0);
  ForgetMany();
  tags_.clear();
  series->tsuid = tsuid;
  HOURCELL_RETURN_IF_ERROR(
      NameOf(UidKind::kMetric, tsuid.substr(0, layout_.metric_width), &series->metric));
  std::string_view pairs = tsuid.substr(layout_.metric_width);
  for (; !pairs.empty(); pairs.remove_prefix(layout_.pair_width())) {
    TagView& tag = tags_.emplace_back();
    HOURCELL_RETURN_IF_ERROR(NameOf(UidKind::kTagk, pairs.substr(0, layout_.tagk_width), &tag.key));
    HOURCELL_RETURN_IF_ERROR(
        NameOf(UidKind::kTagv, pairs.substr(layout_.tagk_width, layout_.tagv_width), &tag.value));
  }
  series->tags = tags_;
  return absl::OkStatus();
}

}  // namespace hourcell
