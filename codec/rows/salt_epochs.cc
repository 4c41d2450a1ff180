#include "codec/rows/salt_epochs.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/row_span.h"

namespace hourcell {
namespace {

absl::Status CheckEpoch(const SaltEpoch& epoch, size_t salt_width) {
  if (!kHourSpan.IsBase(epoch.from_s)) {
    return absl::InvalidArgumentError(
        fmt::format("salt epoch from {} s: expected a whole hour, a multiple of {} s", epoch.from_s,
                    kHourSpan.seconds));
  }
  // A salt of 0 bytes numbers one bucket.
  const uint64_t bucket_max = MaxUnsigned(salt_width);
  if (epoch.buckets == 0 || epoch.buckets - 1 > bucket_max) {
    return absl::InvalidArgumentError(fmt::format(
        "salt epoch from {} s: expected 1 to {}, which {} bytes of salt number, got {} buckets",
        epoch.from_s, std::min<uint64_t>(bucket_max, UINT32_MAX - 1) + 1, salt_width,
        epoch.buckets));
  }
  return absl::OkStatus();
}

// Takes a number off the front of `*text`.
bool TakeNumber(std::string_view* text, uint64_t* number) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return true;
}

bool TakeChar(std::string_view* text, char c) {
  if (!text->starts_with(c)) return false;
  text->remove_prefix(1);
  return true;
}

}  // namespace

absl::StatusOr<SaltEpochs> SaltEpochs::Make(std::vector<SaltEpoch> epochs, size_t salt_width) {
  if (epochs.empty() || epochs.size() > kEpochsMax) {
    return absl::InvalidArgumentError(
        fmt::format("salt epochs: expected 1 to {}, got {}", kEpochsMax, epochs.size()));
  }
  if (epochs[0].from_s != 0) {
    return absl::InvalidArgumentError(
        fmt::format("salt epochs: expected 0, got a first one from {} s", epochs[0].from_s));
  }
  for (size_t i = 0; i < epochs.size(); ++i) {
    HOURCELL_RETURN_IF_ERROR(CheckEpoch(epochs[i], salt_width));
    if (i > 0 && epochs[i].from_s <= epochs[i - 1].from_s) {
      return absl::InvalidArgumentError(fmt::format(
          "salt epochs: expected ascending times, got one from {} s after one from {} s",
          epochs[i].from_s, epochs[i - 1].from_s));
    }
  }
  return SaltEpochs(std::move(epochs), salt_width);
}

absl::StatusOr<SaltEpochs> SaltEpochs::Parse(std::string_view text, size_t salt_width) {
  std::vector<SaltEpoch> epochs;
  std::string_view rest = text.substr(0, kTextBytesMax);
  do {
    uint64_t from_s = 0;
    uint64_t buckets = 0;
    if (!TakeNumber(&rest, &from_s) || !TakeChar(&rest, '=') || !TakeNumber(&rest, &buckets) ||
        buckets > UINT32_MAX) {
      return absl::InvalidArgumentError(fmt::format(
          "salt epochs {}: expected from=buckets, seconds and a count, separated by commas",
          QuoteForMessage(text)));
    }
    epochs.push_back({.from_s = from_s, .buckets = static_cast<uint32_t>(buckets)});
  } while (TakeChar(&rest, ',') && epochs.size() <= kEpochsMax);
  if (!rest.empty() || text.size() > kTextBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("salt epochs {}: expected none, got more text after {} of them",
                    QuoteForMessage(text), epochs.size()));
  }
  return Make(std::move(epochs), salt_width);
}

std::string SaltEpochs::ToText() const {
  std::string text;
  for (const SaltEpoch& epoch : epochs_)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", epoch.from_s, epoch.buckets);
  return text;
}

absl::Status SaltEpochs::Append(const SaltEpoch& epoch) {
  HOURCELL_RETURN_IF_ERROR(CheckEpoch(epoch, salt_width_));
  const SaltEpoch& last = epochs_.back();
  if (epoch.from_s <= last.from_s || epoch.buckets == last.buckets ||
      epochs_.size() == kEpochsMax) {
    return absl::FailedPreconditionError(
        fmt::format("salt epoch from {} s with {} buckets: expected a time after {} s, other than "
                    "{} buckets, and at most {} epochs",
                    epoch.from_s, epoch.buckets, last.from_s, last.buckets, kEpochsMax));
  }
  epochs_.push_back(epoch);
  return absl::OkStatus();
}

size_t SaltEpochs::IndexAt(uint64_t time_s) const {
  const auto after =
      std::upper_bound(epochs_.begin(), epochs_.end(), time_s,
                       [](uint64_t time, const SaltEpoch& epoch) { return time < epoch.from_s; });
  return static_cast<size_t>(after - epochs_.begin()) - 1;
}

uint32_t SaltEpochs::BucketsAt(uint64_t time_s) const {
  return epochs_[IndexAt(time_s)].buckets;
}

uint32_t SaltEpochs::BucketsMaxIn(uint64_t begin_s, uint64_t end_s) const {
  uint32_t most = 1;
  for (const SaltSpan& span : SpansOf(begin_s, end_s))
    most = std::max(most, span.buckets);
  return most;
}

std::vector<SaltSpan> SaltEpochs::SpansOf(uint64_t begin_s, uint64_t end_s) const {
  std::vector<SaltSpan> spans;
  if (end_s <= begin_s) return spans;
  for (size_t i = IndexAt(begin_s); i < epochs_.size() && epochs_[i].from_s < end_s; ++i) {
    const uint64_t next_s = i + 1 < epochs_.size() ? epochs_[i + 1].from_s : UINT64_MAX;
    spans.push_back({.begin_s = std::max(begin_s, epochs_[i].from_s),
                     .end_s = std::min(end_s, next_s),
                     .buckets = epochs_[i].buckets});
  }
  return spans;
}

}  // namespace hourcell
