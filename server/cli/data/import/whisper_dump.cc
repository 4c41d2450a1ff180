#include "server/cli/data/import/whisper_dump.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"

// Why the reading thread does this and not the parsing threads: the translation of a line depends
// on all previous lines. It keeps four bytes per point, a third of Whisper's twelve.

namespace hourcell {
namespace {

constexpr std::string_view kWantLine = "expected a line of whisper-dump";
constexpr std::string_view kWantSlot = "expected SLOT: SECONDS, VALUE, as whisper-dump prints them";
constexpr std::string_view kTooMany = "expected at most 16777216 points in a file";

constexpr std::string_view kTagged = "_tagged/";
constexpr std::string_view kDot = "_DOT_";
constexpr std::string_view kStep = "  seconds per point: ";
// A longer text of digits may exceed 64 bits.
constexpr size_t kIntegerBytesMax = 18;

bool TakePrefix(std::string_view prefix, std::string_view* text) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

void DropSuffix(std::string_view suffix, std::string_view* text) {
  if (text->ends_with(suffix)) text->remove_suffix(suffix.size());
}

std::string Replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::optional<uint32_t> ParseSeconds(std::string_view text) {
  const std::optional<uint64_t> number = ParseUnsigned(text);
  if (!number.has_value() || *number > UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

// Whisper's values are doubles, printed without an exponent up to 35 digits.
bool IsLongInteger(std::string_view value) {
  return value.size() > kIntegerBytesMax &&
         value.find_first_not_of("-0123456789") == std::string_view::npos;
}

}  // namespace

absl::StatusOr<std::string> WhisperMetricOf(std::string_view path) {
  std::string_view name = path;
  while (TakePrefix("./", &name)) {
  }
  for (const std::string_view suffix : {".gz", ".txt", ".wsp"})
    DropSuffix(suffix, &name);
  const bool leads_out =
      name.starts_with('/') || fmt::format("/{}/", name).find("/../") != std::string::npos;
  if (name.empty() || name == "-" || leads_out) {
    return absl::InvalidArgumentError(
        fmt::format("{}: no metric is named by this path; give a path from the directory of the "
                    "dumps on, or --metric",
                    QuoteForMessage(path)));
  }
  if (!TakePrefix(kTagged, &name)) return Replaced(std::string(name), "/", ".");
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  return Replaced(std::string(name), kDot, ".");
}

WhisperDump::WhisperDump(std::string_view metric)
    : metric_(Replaced(Replaced(std::string(metric), " ", "_"), "\t", "_")) {}

Line WhisperDump::Translate(const Line& line) {
  if (line.too_long) return line;
  if (!line.text.empty() && line.text[0] >= '0' && line.text[0] <= '9') return TakeSlot(line);
  if (TakeHeading(line.text)) return {.text = {}, .number = line.number};
  return {.text = line.text, .number = line.number, .fault = kWantLine};
}

void WhisperDump::EndArchive() {
  if (of_archive_.empty()) return;
  covered_.insert(covered_.end(), of_archive_.begin(), of_archive_.end());
  std::ranges::sort(covered_);
  of_archive_.clear();
}

// True for "Archive N info:", "Archive N data:", or a line of either heading that is not a point.
bool WhisperDump::TakeHeading(std::string_view text) {
  if (TakePrefix("Archive ", &text)) {
    EndArchive();
    const size_t blank = std::min(text.find(' '), text.size());
    const std::optional<uint64_t> archive = ParseUnsigned(text.substr(0, blank));
    text.remove_prefix(blank);
    const bool is_known = archive.has_value() && *archive < kWhisperArchivesMax;
    is_in_data_ = is_known && text == " data:";
    if (is_known) archive_ = static_cast<size_t>(*archive);
    return is_in_data_ || (is_known && text == " info:");
  }
  if (TakePrefix(kStep, &text)) {
    const std::optional<uint32_t> step = ParseSeconds(text);
    if (!step.has_value() || *step == 0) return false;
    if (steps_s_.size() <= archive_) steps_s_.resize(archive_ + 1, 1);
    steps_s_[archive_] = *step;
    return true;
  }
  return text.empty() || text == "Meta data:" || text.starts_with("  ");
}

Line WhisperDump::TakeSlot(const Line& line) {
  const Line bad = {.text = line.text, .number = line.number, .fault = kWantSlot};
  const size_t colon = line.text.find(": ");
  const size_t comma = line.text.find(", ");
  if (!is_in_data_ || colon == std::string_view::npos || comma == std::string_view::npos ||
      comma < colon || !ParseUnsigned(line.text.substr(0, colon)).has_value())
    return bad;
  const std::optional<uint32_t> time = ParseSeconds(line.text.substr(colon + 2, comma - colon - 2));
  std::string_view value = line.text.substr(comma + 2);
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  if (!time.has_value() || value.empty() || value.find_first_of(" \t") != std::string_view::npos)
    return bad;
  if (*time == 0 || value == "nan" || IsCovered(*time)) return {.text = {}, .number = line.number};
  if (covered_.size() + of_archive_.size() >= kWhisperPointsMax)
    return {.text = line.text, .number = line.number, .fault = kTooMany};
  of_archive_.push_back(*time);
  text_ = fmt::format("{} {}{} {}", metric_, value, IsLongInteger(value) ? ".0" : "", *time);
  return {.text = text_, .number = line.number};
}

// Whether a previous archive has a point within the step that begins at `time_s`.
bool WhisperDump::IsCovered(uint32_t time_s) const {
  const uint32_t step = archive_ < steps_s_.size() ? steps_s_[archive_] : 1;
  const auto next = std::ranges::lower_bound(covered_, time_s);
  return next != covered_.end() && *next - time_s < step;
}

}  // namespace hourcell
