#include "server/inputs/prometheus/prom_selection.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/quoted_name.h"
#include "server/inputs/prometheus/prom_regexp.h"

// Why some matchers do not become filters: a series without the label matches label!="x" and
// label=~"x|", but OpenTSDB's filters except not_key require the key. Such series are filtered
// after reading.

namespace hourcell {
namespace {

constexpr std::string_view kMetricNameLabel = "__name__";

using Type = PromMatcher::Type;

bool IsRegexp(Type type) {
  return type == Type::kRegexp || type == Type::kNotRegexp;
}

}  // namespace

class PromSelection::Matcher {
 public:
  static absl::StatusOr<Matcher> Create(const PromMatcher& matcher, const NameRule& names) {
    Matcher made;
    made.type_ = matcher.type;
    made.name_ = matcher.name;
    made.value_ = matcher.value;
    made.stored_name_ = names.Apply(matcher.name);
    if (!IsRegexp(matcher.type)) {
      made.stored_value_ = names.Apply(matcher.value);
      return made;
    }
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kPromRegexpBytes);
    made.value_ = RegexpOfStored(matcher.value, names);
    made.regexp_ = std::make_unique<RE2>(made.value_, options);
    if (made.regexp_->ok()) return made;
    return absl::InvalidArgumentError(fmt::format(
        "matcher of {}: expected a regular expression, got {}: {}", QuoteForMessage(matcher.name),
        QuoteForMessage(matcher.value), made.regexp_->error()));
  }

  Type type() const { return type_; }
  const std::string& name() const { return name_; }
  const std::string& value() const { return value_; }
  bool MayBeJoined() const { return IsRegexp(type_) || value_.find(';') != value_.npos; }
  bool IsOf(std::string_view name) const { return name == name_ || name == stored_name_; }

  // Matches any of the spellings of a name or value. Empty: the label is absent.
  bool Takes(std::span<const std::string_view> spellings) const {
    const auto fits = [this](std::string_view text) { return Fits(text); };
    return std::ranges::any_of(spellings, fits) == IsPositive();
  }

  // A filter, with the key left open, that passes every matching series with the key. Nullopt if
  // series without the key match, too, or if no filter fits.
  absl::StatusOr<std::optional<TagFilterSpec>> FilterOf(const IsStored& is_stored) const {
    const auto filter = [](FilterType type, std::string text) {
      return std::optional(TagFilterSpec{.tagk = "", .type = type, .filter = std::move(text)});
    };
    if (type_ == Type::kNotEqual && value_.empty()) return filter(FilterType::kWildcard, "*");
    // "&&" has a special meaning in Java, and so in the store; a number may be stored in another
    // form.
    const bool is_plain = value_.find("&&") == value_.npos && !IsNumberLabel(name_);
    if (type_ == Type::kRegexp && is_plain && !Fits("")) {
      return filter(FilterType::kRegexp, fmt::format("^(?:{})$", value_));
    }
    if (type_ != Type::kEqual) return std::nullopt;
    HOURCELL_ASSIGN_OR_RETURN(std::string literals, LiteralsOf(is_stored));
    return filter(FilterType::kLiteralOr, std::move(literals));
  }

 private:
  bool IsPositive() const { return type_ == Type::kEqual || type_ == Type::kRegexp; }

  bool Fits(std::string_view text) const {
    if (!IsRegexp(type_)) return text == value_ || text == stored_value_;
    return RE2::FullMatch({text.data(), text.size()}, *regexp_);
  }

  // The stored spellings of the matcher's value, or the value itself if none is stored.
  absl::StatusOr<std::string> LiteralsOf(const IsStored& is_stored) const {
    std::vector<std::string> literals = {value_};
    if (stored_value_ != value_) literals.push_back(stored_value_);
    if (IsNumberLabel(name_)) {
      std::string changed = value_;
      std::ranges::replace(changed, '+', '_');
      if (changed != stored_value_) literals.push_back(changed);
    }
    std::string text;
    for (size_t i = 0; i < literals.size(); ++i) {
      const std::string& literal = literals[i];
      if (literals.size() > 1) {
        HOURCELL_ASSIGN_OR_RETURN(const bool stored, is_stored(literal));
        if (!stored && (i + 1 < literals.size() || !text.empty())) continue;
      }
      if (!text.empty()) text += '|';
      if (literal.find('|') == literal.npos && !literal.starts_with('"')) {
        text += literal;
      } else {
        AppendQuoted(literal, &text);
      }
    }
    return text;
  }

  Type type_ = Type::kEqual;
  std::string name_;
  std::string value_;
  std::string stored_name_;   // mapped by the name rule
  std::string stored_value_;  // not for regular expressions
  std::unique_ptr<RE2> regexp_;
};

PromSelection::PromSelection() = default;
PromSelection::PromSelection(PromSelection&&) noexcept = default;
PromSelection& PromSelection::operator=(PromSelection&&) noexcept = default;
PromSelection::~PromSelection() = default;

absl::StatusOr<PromSelection> PromSelection::Create(
    std::span<const PromMatcher> matchers,
    const NameRule& names,
    const PromLabels* labels,
    const std::function<absl::Status()>& before_regexp) {
  PromSelection selection;
  selection.labels_ = labels;
  for (const PromMatcher& given : matchers) {
    if (before_regexp != nullptr && IsRegexp(given.type)) HOURCELL_RETURN_IF_ERROR(before_regexp());
    HOURCELL_ASSIGN_OR_RETURN(Matcher matcher, Matcher::Create(given, names));
    if (given.name == kMetricNameLabel) {
      if (given.type == Type::kEqual) selection.metric_ = given.value;
      selection.of_metric_.push_back(std::move(matcher));
    } else {
      selection.of_tags_.push_back(std::move(matcher));
    }
  }
  return selection;
}

bool PromSelection::TakesMetric(std::string_view name) const {
  const std::string shown = labels_->Metric(name);
  const std::string_view spellings[] = {name, shown};
  return std::ranges::all_of(
      of_metric_, [&spellings](const Matcher& matcher) { return matcher.Takes(spellings); });
}

absl::StatusOr<std::vector<PromSelection::Filters>> PromSelection::FiltersOf(
    const KeysOf& keys_of, const IsStored& is_stored) const {
  std::vector<Filters> lists(1);
  for (const Matcher& matcher : of_tags_) {
    HOURCELL_ASSIGN_OR_RETURN(std::vector<std::string> keys, keys_of(matcher.name()));
    if (matcher.type() == Type::kEqual && matcher.value().empty()) {
      // A default tag that is the only tag is not a label, but is stored as a tag.
      for (const std::string& key : keys) {
        if (labels_->IsDefaultKey(key)) continue;
        for (Filters& filters : lists)
          filters.push_back({.tagk = key, .type = FilterType::kNotKey, .filter = ""});
      }
      continue;
    }
    if (keys.empty()) keys.push_back(matcher.name());  // a key without series
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<TagFilterSpec> filter,
                              matcher.FilterOf(is_stored));
    if (!filter.has_value()) continue;
    // A label with several keys multiplies the lists. This is done for one label only, and not if
    // the value may be joined from several tags; such matchers are checked after reading.
    if (keys.size() > 1 && (lists.size() > 1 || matcher.MayBeJoined())) continue;
    std::vector<Filters> longer;
    for (const Filters& filters : lists) {
      for (const std::string& key : keys) {
        longer.push_back(filters);
        longer.back().push_back(*filter);
        longer.back().back().tagk = key;
      }
    }
    lists = std::move(longer);
  }
  return lists;
}

bool PromSelection::TakesTags(SeriesTags tags, std::span<const PromLabel> labels) const {
  return std::ranges::all_of(of_tags_, [&](const Matcher& matcher) {
    std::vector<std::string_view> spellings;
    for (const auto& [key, value] : tags)
      if (matcher.IsOf(key) && !labels_->IsInvented(tags, key, value)) spellings.push_back(value);
    for (const PromLabel& label : labels)
      if (matcher.IsOf(label.name)) spellings.push_back(label.value);
    if (spellings.empty()) spellings.emplace_back();
    return matcher.Takes(spellings);
  });
}

}  // namespace hourcell
