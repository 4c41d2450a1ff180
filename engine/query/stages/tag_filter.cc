#include "engine/query/stages/tag_filter.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <absl/container/inlined_vector.h>
#include <absl/status/status.h>
#include <fmt/format.h>
#include <utf8proc.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/quoted_name.h"
#include "engine/query/stages/tag_regexp.h"

namespace hourcell {
namespace {

// Lower case, code point by code point; bytes that are not UTF-8 stay as they are.
std::string ToLower(std::string_view text) {
  std::string lower;
  lower.reserve(text.size());
  while (!text.empty()) {
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t read =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    if (read <= 0) {
      lower.push_back(text.front());
      text.remove_prefix(1);
      continue;
    }
    utf8proc_uint8_t encoded[4];
    const utf8proc_ssize_t written = utf8proc_encode_char(utf8proc_tolower(code_point), encoded);
    lower.append(encoded, encoded + written);
    text.remove_prefix(static_cast<size_t>(read));
  }
  return lower;
}

using FilterValues = absl::InlinedVector<std::string, 2>;

// The parts of `text` between bars that are not empty; quoted ones (quoted_name.h) as their names.
FilterValues SplitAtBars(std::string_view text) {
  FilterValues parts;
  parts.reserve(static_cast<size_t>(std::ranges::count(text, '|')) + 1);
  while (!text.empty()) {
    std::string name;
    const size_t quoted = TakeQuoted(text, &name);
    if (quoted > 0 && (quoted == text.size() || text[quoted] == '|')) {
      parts.push_back(std::move(name));
      text.remove_prefix(std::min(quoted + 1, text.size()));
      continue;
    }
    const size_t bar = std::min(text.find('|'), text.size());
    if (bar > 0) parts.emplace_back(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return parts;
}

// A glob with * only. When a later part does not fit, the last star takes one byte more. Earlier
// stars need not be tried again, so the time is at most |pattern| * |value|.
bool GlobMatches(std::string_view pattern, std::string_view value) {
  size_t p = 0;
  size_t v = 0;
  std::optional<size_t> star;  // the last * passed, and where in the value its match ends
  size_t star_end = 0;
  while (v < value.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = v;
    } else if (p < pattern.size() && pattern[p] == value[v]) {
      ++p;
      ++v;
    } else if (star.has_value()) {
      p = *star + 1;
      v = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// The literal characters at the beginning of `text`.
std::string_view LiteralPrefix(std::string_view text, std::string_view special) {
  const auto* const end = std::ranges::find_if(text, [special](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || special.find(c) != std::string_view::npos;
  });
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

// The character before a quantifier is optional, and so is all text before a bar.
std::string_view PrefixOfRegexp(std::string_view pattern) {
  if (!pattern.starts_with('^') || pattern.find('|') != std::string_view::npos) return {};
  pattern.remove_prefix(1);
  std::string_view prefix = LiteralPrefix(pattern, "\\.[](){}*+?^$");
  const std::string_view rest = pattern.substr(prefix.size());
  const bool is_quantified =
      !rest.empty() && std::string_view("{*+?").find(rest.front()) != std::string_view::npos;
  if (is_quantified && !prefix.empty()) prefix.remove_suffix(1);
  return prefix;
}

bool IgnoresCase(FilterType type) {
  return type == FilterType::kILiteralOr || type == FilterType::kNotILiteralOr ||
         type == FilterType::kIWildcard;
}

absl::Status BadFilter(const TagFilterSpec& spec, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("filter {}={}({}): {}", QuoteForMessage(spec.tagk),
                                                FilterTypeName(spec.type),
                                                QuoteForMessage(spec.filter), why));
}

}  // namespace

struct TagFilter::Impl {
  TagFilterSpec spec;
  // Of the four literal types, ascending; in lower case if case is ignored.
  FilterValues values;
  std::string glob;    // of the wildcards, lower-cased if case is ignored
  std::string prefix;  // of all values that pass
  bool matches_all = false;
  std::optional<TagRegexp> regexp;

  absl::Status CompileLiterals();
  absl::Status CompileWildcard();
  absl::Status CompileRegexp();
  bool Matches(std::string_view value) const;
};

absl::Status TagFilter::Impl::CompileLiterals() {
  values = SplitAtBars(IgnoresCase(spec.type) ? ToLower(spec.filter) : spec.filter);
  if (values.empty()) return BadFilter(spec, "no value; expected at least one, separated by |");
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return absl::OkStatus();
}

absl::Status TagFilter::Impl::CompileWildcard() {
  if (spec.filter.find('*') == std::string::npos)
    return BadFilter(spec, "no *; expected a wildcard");
  glob = IgnoresCase(spec.type) ? ToLower(spec.filter) : spec.filter;
  matches_all = glob.find_first_not_of('*') == std::string::npos;
  if (!IgnoresCase(spec.type)) prefix = LiteralPrefix(glob, "*");
  return absl::OkStatus();
}

absl::Status TagFilter::Impl::CompileRegexp() {
  if (spec.filter.empty()) return BadFilter(spec, "empty; expected a regular expression");
  HOURCELL_ASSIGN_OR_RETURN(regexp, TagRegexp::Compile(spec.filter));
  prefix = PrefixOfRegexp(spec.filter);
  return absl::OkStatus();
}

bool TagFilter::Impl::Matches(std::string_view value) const {
  if (matches_all) return true;
  switch (spec.type) {
    case FilterType::kLiteralOr:
    case FilterType::kILiteralOr:
      return std::ranges::binary_search(values, value, std::less<>());
    case FilterType::kNotLiteralOr:
    case FilterType::kNotILiteralOr:
      return !std::ranges::binary_search(values, value, std::less<>());
    case FilterType::kWildcard:
    case FilterType::kIWildcard:
      return GlobMatches(glob, value);
    case FilterType::kRegexp:
      return regexp->FoundIn(value);
    case FilterType::kNotKey:
      return false;
  }
  return false;
}

TagFilter::TagFilter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TagFilter::TagFilter(TagFilter&&) noexcept = default;
TagFilter& TagFilter::operator=(TagFilter&&) noexcept = default;
TagFilter::~TagFilter() = default;

absl::StatusOr<TagFilter> TagFilter::Compile(const TagFilterSpec& spec) {
  auto impl = std::make_unique<Impl>();
  impl->spec = spec;
  absl::Status status;
  switch (spec.type) {
    case FilterType::kLiteralOr:
    case FilterType::kILiteralOr:
    case FilterType::kNotLiteralOr:
    case FilterType::kNotILiteralOr:
      status = impl->CompileLiterals();
      break;
    case FilterType::kWildcard:
    case FilterType::kIWildcard:
      status = impl->CompileWildcard();
      break;
    case FilterType::kRegexp:
      status = impl->CompileRegexp();
      break;
    case FilterType::kNotKey:
      if (!spec.filter.empty()) status = BadFilter(spec, "some text; expected none");
      break;
  }
  HOURCELL_RETURN_IF_ERROR(status);
  return TagFilter(std::move(impl));
}

const TagFilterSpec& TagFilter::spec() const {
  return impl_->spec;
}

bool TagFilter::Matches(std::string_view value) const {
  return IgnoresCase(impl_->spec.type) ? impl_->Matches(ToLower(value)) : impl_->Matches(value);
}

bool TagFilter::MatchesAbsent() const {
  return impl_->spec.type == FilterType::kNotKey;
}

bool TagFilter::MatchesAll() const {
  return impl_->matches_all;
}

std::string_view TagFilter::prefix() const {
  return impl_->prefix;
}

std::span<const std::string> TagFilter::literals() const {
  if (impl_->spec.type != FilterType::kLiteralOr) return {};
  return impl_->values;
}

}  // namespace hourcell
