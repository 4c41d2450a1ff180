#include "server/inputs/prometheus/prom_labels.h"

#include <algorithm>

#include "codec/base/strings.h"
#include "codec/text/number.h"

namespace hourcell {
namespace {

constexpr std::string_view kReservedLabel = "__name__";

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsLegal(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}

std::string LegalName(std::string_view text, bool is_metric) {
  std::string name;
  if (!text.empty() && IsDigit(text.front())) name = "_";
  while (!text.empty()) {
    const size_t length = std::max<size_t>(1, Utf8SequenceLength(text));
    const char c = text.front();
    name += length == 1 && (IsLegal(c) || (is_metric && c == ':')) ? c : '_';
    text.remove_prefix(length);
  }
  return name;
}

// Restores a number that a store without '+' has changed, as Prometheus writes it.
std::string NumberText(std::string_view value) {
  if (value == "_Inf") return "+Inf";
  std::string text(value);
  const size_t at = text.find("e_");
  if (at == text.npos) return text;
  text[at + 1] = '+';
  return ParseDouble(text).ok() ? text : std::string(value);
}

}  // namespace

bool IsNumberLabel(std::string_view name) {
  return name == "le" || name == "quantile";
}

PromLabels::PromLabels(const InputSettings& settings)
    : is_utf8_(settings.prometheus_utf8_names),
      default_key_(settings.default_tag_key),
      default_value_(settings.default_tag_value) {}

std::string PromLabels::Metric(std::string_view stored) const {
  return is_utf8_ ? std::string(stored) : LegalName(stored, /*is_metric=*/true);
}

std::string PromLabels::LabelName(std::string_view tagk) const {
  std::string name = is_utf8_ ? std::string(tagk) : LegalName(tagk, /*is_metric=*/false);
  // __name__ is reserved for the metric.
  return name == kReservedLabel ? "_" + name : name;
}

bool PromLabels::IsInvented(SeriesTags tags, std::string_view key, std::string_view value) const {
  if (key != default_key_ || value != default_value_) return false;
  return std::ranges::all_of(
      tags, [key](const auto& tag) { return tag.first == key || IsNumberLabel(tag.first); });
}

std::vector<PromLabel> PromLabels::Of(SeriesTags tags) const {
  std::vector<PromLabel> labels;
  // Sorted by key first, so that joined values have a fixed order.
  std::vector<std::pair<std::string_view, std::string_view>> sorted(tags.begin(), tags.end());
  std::ranges::sort(sorted);
  for (const auto& [key, value] : sorted) {
    if (IsInvented(tags, key, value)) continue;
    labels.push_back({.name = LabelName(key),
                      .value = IsNumberLabel(key) ? NumberText(value) : std::string(value)});
  }
  std::ranges::stable_sort(labels, {}, &PromLabel::name);
  size_t kept = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (kept > 0 && labels[kept - 1].name == labels[i].name) {
      labels[kept - 1].value += ';';
      labels[kept - 1].value += labels[i].value;
    } else if (kept++ != i) {
      labels[kept - 1] = std::move(labels[i]);
    }
  }
  labels.resize(kept);
  return labels;
}

std::string_view PromLabels::PrefixOf(std::string_view name, bool* exact) const {
  const size_t at = is_utf8_ ? name.npos : name.find('_');
  *exact = at == name.npos;
  return name.substr(0, at);
}

}  // namespace hourcell
