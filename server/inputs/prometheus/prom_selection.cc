#include "server/inputs/prometheus/prom_selection.h"

#include <algorithm>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

// Why some matchers are no filters: a series without a label matches label!="x" and label=~"x|",
// and OpenTSDB's filters but not_key want the key. Such series are read and left out.

namespace hourcell {
namespace {

constexpr std::string_view kNameLabel = "__name__";

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
    made.name_ = names.Apply(matcher.name);
    made.value_ = IsRegexp(matcher.type) ? matcher.value : names.Apply(matcher.value);
    if (!IsRegexp(matcher.type)) return made;
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kPromRegexpBytes);
    made.regexp_ = std::make_unique<RE2>(matcher.value, options);
    if (made.regexp_->ok()) return made;
    return absl::InvalidArgumentError(fmt::format(
        "matcher of {}: got {}; want a regular expression: {}", QuoteForMessage(matcher.name),
        QuoteForMessage(matcher.value), made.regexp_->error()));
  }

  Type type() const { return type_; }
  const std::string& name() const { return name_; }
  const std::string& value() const { return value_; }

  // An empty value is that of a label which is not there.
  bool Takes(std::string_view value) const {
    switch (type_) {
      case Type::kEqual:
        return value == value_;
      case Type::kNotEqual:
        return value != value_;
      case Type::kRegexp:
        return RE2::FullMatch({value.data(), value.size()}, *regexp_);
      case Type::kNotRegexp:
        break;
    }
    return !RE2::FullMatch({value.data(), value.size()}, *regexp_);
  }

  // Appends the filter that says the same. False if there is none.
  bool AddFilter(std::vector<TagFilterSpec>* filters) const {
    const auto add = [&](FilterType type, std::string text) {
      filters->push_back({.tagk = name_, .type = type, .filter = std::move(text)});
      return true;
    };
    if (type_ == Type::kEqual && value_.empty()) return add(FilterType::kNotKey, "");
    if (type_ == Type::kEqual && value_.find('|') == value_.npos)
      return add(FilterType::kLiteralOr, value_);
    if (type_ == Type::kNotEqual && value_.empty()) return add(FilterType::kWildcard, "*");
    // "&&" means more to Java, and so to the store.
    const bool is_plain = value_.find("&&") == value_.npos;
    if (type_ == Type::kRegexp && is_plain && !Takes(""))
      return add(FilterType::kRegexp, fmt::format("^(?:{})$", value_));
    return false;
  }

 private:
  Type type_ = Type::kEqual;
  std::string name_;
  std::string value_;
  std::unique_ptr<RE2> regexp_;
};

PromSelection::PromSelection() = default;
PromSelection::PromSelection(PromSelection&&) noexcept = default;
PromSelection& PromSelection::operator=(PromSelection&&) noexcept = default;
PromSelection::~PromSelection() = default;

absl::StatusOr<PromSelection> PromSelection::Create(
    std::span<const PromMatcher> matchers,
    const NameRule& names,
    const std::function<absl::Status()>& before_regexp) {
  PromSelection selection;
  for (const PromMatcher& given : matchers) {
    if (before_regexp != nullptr && IsRegexp(given.type)) HOURCELL_RETURN_IF_ERROR(before_regexp());
    HOURCELL_ASSIGN_OR_RETURN(Matcher matcher, Matcher::Create(given, names));
    if (given.name == kNameLabel) {
      if (given.type == Type::kEqual) selection.metric_ = matcher.value();
      selection.of_metric_.push_back(std::move(matcher));
    } else if (!matcher.AddFilter(&selection.filters_)) {
      selection.of_tags_.push_back(std::move(matcher));
    }
  }
  return selection;
}

bool PromSelection::TakesMetric(std::string_view name) const {
  return std::ranges::all_of(of_metric_,
                             [name](const Matcher& matcher) { return matcher.Takes(name); });
}

bool PromSelection::TakesTags(
    std::span<const std::pair<std::string_view, std::string_view>> tags) const {
  return std::ranges::all_of(of_tags_, [tags](const Matcher& matcher) {
    for (const auto& [key, value] : tags)
      if (key == matcher.name()) return matcher.Takes(value);
    return matcher.Takes("");
  });
}

}  // namespace hourcell
