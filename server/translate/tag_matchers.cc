#include "server/translate/tag_matchers.h"

#include <algorithm>
#include <span>
#include <utility>

#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/stages/tag_filter.h"
#include "promql/text/expression.h"
#include "promql/text/matcher.h"
#include "promql/text/quoting.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/prometheus/prom_labels.h"

// Some filters become two matchers, the second one `!=""`: a filter of m= passes only series with
// the key, but in PromQL an absent label is empty, and passes a!="b" and a=~".*".

namespace hourcell {
namespace {

using promql::LabelMatcher;
using promql::MatchOperator;

absl::StatusOr<std::vector<std::string>> LiteralsOf(const TagFilterSpec& filter) {
  HOURCELL_ASSIGN_OR_RETURN(
      const TagFilter compiled,
      TagFilter::Compile(
          {.tagk = filter.tagk, .type = FilterType::kLiteralOr, .filter = filter.filter}));
  const std::span<const std::string> literals = compiled.literals();
  return std::vector<std::string>(literals.begin(), literals.end());
}

std::string RegexpOfLiterals(std::span<const std::string> literals) {
  std::string regexp;
  for (const std::string& literal : literals) {
    if (!regexp.empty()) regexp.push_back('|');
    regexp += RE2::QuoteMeta(literal);
  }
  return regexp;
}

std::string RegexpOfGlob(std::string_view glob) {
  std::string regexp;
  while (!glob.empty()) {
    const size_t star = std::min(glob.find('*'), glob.size());
    regexp += RE2::QuoteMeta(glob.substr(0, star));
    if (star < glob.size() && !regexp.ends_with(".*")) regexp += ".*";
    glob.remove_prefix(std::min(star + 1, glob.size()));
  }
  return regexp;
}

std::string WithoutCase(std::string_view regexp) {
  return fmt::format("(?i:{})", regexp);
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

class MatcherWriter {
 public:
  MatcherWriter(const TagFilterSpec* filter,
                std::vector<LabelMatcher>* matchers,
                std::vector<std::string>* conditions)
      : filter_(*filter),
        label_(LabelOfKey(filter->tagk)),
        matchers_(*matchers),
        conditions_(*conditions) {}

  absl::Status Append() {
    AddLabelConditions();
    switch (filter_.type) {
      case FilterType::kLiteralOr:
        return AppendLiterals(MatchOperator::kEqual, MatchOperator::kRegexp);
      case FilterType::kNotLiteralOr:
        return AppendLiterals(MatchOperator::kNotEqual, MatchOperator::kNotRegexp);
      case FilterType::kILiteralOr:
        return AppendLiteralsOfAnyCase(MatchOperator::kRegexp);
      case FilterType::kNotILiteralOr:
        return AppendLiteralsOfAnyCase(MatchOperator::kNotRegexp);
      case FilterType::kWildcard:
        return AppendWildcard(RegexpOfGlob(filter_.filter));
      case FilterType::kIWildcard:
        return AppendWildcard(WithoutCase(RegexpOfGlob(filter_.filter)));
      case FilterType::kRegexp:
        return AppendRegexp();
      case FilterType::kNotKey:
        return Add(MatchOperator::kEqual, "");
    }
    return absl::InternalError("a filter has no type");
  }

 private:
  void AddLabelConditions() {
    if (label_ != filter_.tagk) {
      AddCondition(fmt::format("no other tag of the series becomes the label {}", label_));
    }
    if (IsNumberLabel(label_)) {
      AddCondition(fmt::format("the values of {} are numbers in Prometheus' form", label_));
    }
  }

  absl::Status AppendLiterals(MatchOperator of_one, MatchOperator of_several) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> literals, LiteralsOf(filter_));
    if (literals.size() == 1) {
      HOURCELL_RETURN_IF_ERROR(Add(of_one, literals.front()));
    } else {
      HOURCELL_RETURN_IF_ERROR(Add(of_several, RegexpOfLiterals(literals)));
    }
    return AddPresence();
  }

  absl::Status AppendLiteralsOfAnyCase(MatchOperator op) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> literals, LiteralsOf(filter_));
    HOURCELL_RETURN_IF_ERROR(Add(op, WithoutCase(RegexpOfLiterals(literals))));
    AddCaseCondition();
    return AddPresence();
  }

  absl::Status AppendWildcard(const std::string& regexp) {
    HOURCELL_ASSIGN_OR_RETURN(const TagFilter compiled, TagFilter::Compile(filter_));
    if (compiled.MatchesAll()) return Add(MatchOperator::kNotEqual, "");
    if (filter_.type == FilterType::kIWildcard) AddCaseCondition();
    return Add(MatchOperator::kRegexp, regexp);
  }

  absl::Status AppendRegexp() {
    HOURCELL_RETURN_IF_ERROR(TagFilter::Compile(filter_).status());
    // A part of a regular expression that RE2 does not know, such as a look-ahead.
    HOURCELL_RETURN_IF_ERROR(
        Check({.name = label_, .op = MatchOperator::kRegexp, .value = filter_.filter}));
    HOURCELL_RETURN_IF_ERROR(
        Add(MatchOperator::kRegexp, fmt::format(".*(?:{}).*", filter_.filter)));
    return AddPresence();
  }

  absl::Status Check(const LabelMatcher& matcher) const {
    const absl::Status status = promql::CheckMatcher(matcher);
    if (status.ok()) return status;
    return absl::UnimplementedError(fmt::format(
        "PromQL cannot express the regular expression {}, because RE2 does not know a part of it: "
        "{}; expected one without look-arounds and back references",
        QuoteForMessage(filter_.filter), MessageOf(status)));
  }

  absl::Status Add(MatchOperator op, std::string value) {
    matchers_.push_back({.name = label_, .op = op, .value = std::move(value)});
    return Check(matchers_.back());
  }

  // Lets no series without the key pass.
  absl::Status AddPresence() {
    if (!promql::MatchesEmptyValue(matchers_.back())) return absl::OkStatus();
    return Add(MatchOperator::kNotEqual, "");
  }

  void AddCaseCondition() {
    if (IsAscii(filter_.filter)) return;
    AddCondition(fmt::format("the letters of {} have one form of each case",
                             QuoteForMessage(filter_.filter)));
  }

  void AddCondition(std::string condition) {
    if (std::ranges::find(conditions_, condition) == conditions_.end())
      conditions_.push_back(std::move(condition));
  }

  const TagFilterSpec& filter_;
  const std::string label_;
  std::vector<LabelMatcher>& matchers_;
  std::vector<std::string>& conditions_;
};

}  // namespace

std::string LabelOfKey(std::string_view tagk) {
  return PromLabels(InputSettings()).LabelName(tagk);
}

std::string SelectorText(std::span<const LabelMatcher> matchers, bool has_bare_name) {
  HOURCELL_CHECK(!matchers.empty());
  const std::string_view name = has_bare_name ? std::string_view(matchers.front().value) : "";
  if (has_bare_name) matchers = matchers.subspan(1);
  std::vector<std::string> in_braces;
  for (const LabelMatcher& matcher : matchers) {
    in_braces.push_back(matcher.name + std::string(promql::MatchOperatorText(matcher.op)) +
                        promql::Quoted(matcher.value));
  }
  return fmt::format("{}{{{}}}", name, fmt::join(in_braces, ","));
}

absl::Status AppendMatchers(const TagFilterSpec& filter,
                            std::vector<LabelMatcher>* matchers,
                            std::vector<std::string>* conditions) {
  return MatcherWriter(&filter, matchers, conditions).Append();
}

}  // namespace hourcell
