#include "codec/rows/layout.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::string_view kMetricWidthKey = "tsd.storage.uid.width.metric";
constexpr std::string_view kTagkWidthKey = "tsd.storage.uid.width.tagk";
constexpr std::string_view kTagvWidthKey = "tsd.storage.uid.width.tagv";
constexpr std::string_view kSaltWidthKey = "tsd.storage.salt.width";
constexpr std::string_view kSaltBucketsKey = "tsd.storage.salt.buckets";
constexpr std::string_view kNamesKey = "names";
constexpr std::string_view kRowKeyKey = "row_key";

constexpr std::pair<RowField, std::string_view> kFieldNames[] = {
    {RowField::kSalt, "salt"},
    {RowField::kMetric, "metric"},
    {RowField::kBaseTime, "base_time"},
    {RowField::kTags, "tags"},
};

constexpr std::pair<NameEncoding, std::string_view> kEncodingNames[] = {
    {NameEncoding::kLatin1, "latin1"},
    {NameEncoding::kUtf8, "utf8"},
    {NameEncoding::kAny, "any"},
};

std::string_view EncodingName(NameEncoding encoding) {
  for (const auto& [value, name] : kEncodingNames) {
    if (value == encoding) return name;
  }
  HOURCELL_CHECK(false);
}

std::string FieldsText(const std::vector<RowField>& fields) {
  std::string text;
  for (const RowField field : fields) {
    for (const auto& [value, name] : kFieldNames) {
      if (value != field) continue;
      if (!text.empty()) text += ',';
      text += name;
    }
  }
  return text;
}

// Every setting as (key, value), in the order of the text. Reading and comparing use this, so that
// a new setting is added here and in SetField only.
std::vector<std::pair<std::string_view, std::string>> Settings(const Layout& layout) {
  return {
      {kMetricWidthKey, fmt::format("{}", layout.metric_width)},
      {kTagkWidthKey, fmt::format("{}", layout.tagk_width)},
      {kTagvWidthKey, fmt::format("{}", layout.tagv_width)},
      {kSaltWidthKey, fmt::format("{}", layout.salt_width)},
      {kSaltBucketsKey, fmt::format("{}", layout.salt_buckets)},
      {kNamesKey, std::string(EncodingName(layout.names))},
      {kRowKeyKey, FieldsText(layout.fields)},
  };
}

absl::Status CheckWidth(std::string_view key, size_t width, size_t least, size_t most) {
  if (width >= least && width <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: expected {} to {}, got {}", key, least, most, width));
}

template <typename Number>
bool ReadNumber(std::string_view text, Number* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc{} && end == text.data() + text.size();
}

bool ReadFields(std::string_view text, std::vector<RowField>* out) {
  out->clear();
  while (true) {
    const std::string_view word = text.substr(0, text.find(','));
    const auto* found = std::find_if(std::begin(kFieldNames), std::end(kFieldNames),
                                     [word](const auto& entry) { return entry.second == word; });
    if (found == std::end(kFieldNames)) return false;
    out->push_back(found->first);
    if (word.size() == text.size()) return true;
    text.remove_prefix(word.size() + 1);
  }
}

bool ReadEncoding(std::string_view text, NameEncoding* out) {
  for (const auto& [value, name] : kEncodingNames) {
    if (name != text) continue;
    *out = value;
    return true;
  }
  return false;
}

// False for an unknown key or an invalid value.
bool SetField(std::string_view key, std::string_view value, Layout* layout) {
  if (key == kMetricWidthKey) return ReadNumber(value, &layout->metric_width);
  if (key == kTagkWidthKey) return ReadNumber(value, &layout->tagk_width);
  if (key == kTagvWidthKey) return ReadNumber(value, &layout->tagv_width);
  if (key == kSaltWidthKey) return ReadNumber(value, &layout->salt_width);
  if (key == kSaltBucketsKey) return ReadNumber(value, &layout->salt_buckets);
  if (key == kNamesKey) return ReadEncoding(value, &layout->names);
  if (key == kRowKeyKey) return ReadFields(value, &layout->fields);
  return false;
}

}  // namespace

absl::Status ValidateLayout(const Layout& layout) {
  HOURCELL_RETURN_IF_ERROR(
      CheckWidth(kMetricWidthKey, layout.metric_width, kUidWidthMin, kUidWidthMax));
  HOURCELL_RETURN_IF_ERROR(
      CheckWidth(kTagkWidthKey, layout.tagk_width, kUidWidthMin, kUidWidthMax));
  HOURCELL_RETURN_IF_ERROR(
      CheckWidth(kTagvWidthKey, layout.tagv_width, kUidWidthMin, kUidWidthMax));
  HOURCELL_RETURN_IF_ERROR(CheckWidth(kSaltWidthKey, layout.salt_width, 0, kSaltWidthMax));

  // Java's bucket count is a signed int; beyond it OpenTSDB and Hourcell would salt differently.
  const uint64_t numbers = layout.salt_width == 0 || layout.salt_width >= 4
                               ? 0x7FFFFFFF
                               : MaxUnsigned(layout.salt_width) + 1;
  if (layout.salt_buckets == 0 || layout.salt_buckets > numbers) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected 1 to {} with {} bytes of salt, got {}", kSaltBucketsKey, numbers,
                    layout.salt_width, layout.salt_buckets));
  }

  std::vector<RowField> sorted = layout.fields;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != Layout{}.fields || layout.fields.back() != RowField::kTags) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: expected salt, metric, base_time and tags once each, tags last, got \"{}\"",
        kRowKeyKey, FieldsText(layout.fields)));
  }
  return absl::OkStatus();
}

std::string FormatLayout(const Layout& layout) {
  std::string text;
  for (const auto& [key, value] : Settings(layout)) {
    fmt::format_to(std::back_inserter(text), "{}={}\n", key, value);
  }
  return text;
}

absl::StatusOr<Layout> ParseLayout(std::string_view text) {
  Layout layout;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos ||
        !SetField(line.substr(0, equals), line.substr(equals + 1), &layout)) {
      return absl::DataLossError(
          fmt::format("layout: line {} is not a setting", QuoteForMessage(line)));
    }
  }
  if (const absl::Status valid = ValidateLayout(layout); !valid.ok()) {
    return absl::DataLossError(fmt::format("layout: {}", std::string(valid.message())));
  }
  // A missing, repeated or misplaced setting would read as a default: accept only the exact text.
  if (FormatLayout(layout) != text) {
    return absl::DataLossError(
        fmt::format("layout: got {} bytes that are not one line a setting", text.size()));
  }
  return layout;
}

std::string DescribeDifference(const Layout& store, const Layout& asked) {
  const auto ours = Settings(store);
  const auto theirs = Settings(asked);
  std::string text;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].second == theirs[i].second) continue;
    fmt::format_to(std::back_inserter(text), "{}{}: store has {}, asked for {}",
                   text.empty() ? "" : "; ", ours[i].first, ours[i].second, theirs[i].second);
  }
  return text;
}

}  // namespace hourcell
