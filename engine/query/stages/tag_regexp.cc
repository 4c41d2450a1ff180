#include "engine/query/stages/tag_regexp.h"

#define PCRE2_CODE_UNIT_WIDTH 8

#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <pcre2.h>
#include <re2/re2.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

// Compiling an expression of this size takes some ten milliseconds.
constexpr int64_t kRe2BytesMax = 1 << 20;
// Enough for any sensible pattern on a name of 1 KiB; at most some milliseconds.
constexpr uint32_t kBacktrackStepsMax = 100'000;
constexpr uint32_t kBacktrackKibMax = 1024;

using PcreCode = std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)>;
using PcreContext = std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)>;
using PcreMatch = std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)>;

PCRE2_SPTR Bytes(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

PcreCode CompilePcre(std::string_view pattern) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  return {pcre2_compile(Bytes(pattern), pattern.size(), PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &error,
                        &offset, nullptr),
          &pcre2_code_free};
}

PcreContext LimitedContext() {
  PcreContext context(pcre2_match_context_create(nullptr), &pcre2_match_context_free);
  pcre2_set_match_limit(context.get(), kBacktrackStepsMax);
  pcre2_set_heap_limit(context.get(), kBacktrackKibMax);
  return context;
}

absl::Status BadRegexp(std::string_view pattern, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("regexp {}: {}", QuoteForMessage(pattern), why));
}

}  // namespace

struct TagRegexp::Impl {
  std::unique_ptr<RE2> re2;  // null if PCRE2 does it
  PcreCode pcre{nullptr, &pcre2_code_free};
  PcreContext pcre_context{nullptr, &pcre2_match_context_free};
};

TagRegexp::TagRegexp(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TagRegexp::TagRegexp(TagRegexp&&) noexcept = default;
TagRegexp& TagRegexp::operator=(TagRegexp&&) noexcept = default;
TagRegexp::~TagRegexp() = default;

absl::StatusOr<TagRegexp> TagRegexp::Compile(std::string_view pattern) {
  if (pattern.find("&&[") != std::string_view::npos) {
    return BadRegexp(pattern, "class intersection (&&) is not supported; expected a plain class");
  }
  auto impl = std::make_unique<Impl>();
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRe2BytesMax);
  impl->re2 = std::make_unique<RE2>(std::string(pattern), options);
  if (impl->re2->ok()) return TagRegexp(std::move(impl));

  const std::string error = impl->re2->error();
  // An expression too large for RE2 is too large for a matcher that may take exponential time.
  if (impl->re2->error_code() == RE2::ErrorPatternTooLarge) return BadRegexp(pattern, error);
  impl->re2 = nullptr;
  impl->pcre = CompilePcre(pattern);
  if (impl->pcre == nullptr) return BadRegexp(pattern, error);
  impl->pcre_context = LimitedContext();
  return TagRegexp(std::move(impl));
}

bool TagRegexp::FoundIn(std::string_view value) const {
  if (impl_->re2 != nullptr) {
    return RE2::PartialMatch(re2::StringPiece(value.data(), value.size()), *impl_->re2);
  }
  const PcreMatch match(pcre2_match_data_create_from_pattern(impl_->pcre.get(), nullptr),
                        &pcre2_match_data_free);
  return pcre2_match(impl_->pcre.get(), Bytes(value), value.size(), 0, 0, match.get(),
                     impl_->pcre_context.get()) >= 0;
}

std::string_view TagRegexp::Find(std::string_view value, size_t begin, size_t group) const {
  if (begin > value.size()) return {};
  if (impl_->re2 != nullptr) {
    if (group > static_cast<size_t>(impl_->re2->NumberOfCapturingGroups())) return {};
    std::vector<re2::StringPiece> groups(group + 1);
    const bool found =
        impl_->re2->Match(re2::StringPiece(value.data(), value.size()), begin, value.size(),
                          RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()));
    return found ? std::string_view(groups[group].data(), groups[group].size())
                 : std::string_view();
  }
  const PcreMatch match(pcre2_match_data_create_from_pattern(impl_->pcre.get(), nullptr),
                        &pcre2_match_data_free);
  const int found = pcre2_match(impl_->pcre.get(), Bytes(value), value.size(), begin, 0,
                                match.get(), impl_->pcre_context.get());
  // The count of groups ends with the last group that takes part.
  if (found < 0 || group >= static_cast<size_t>(found)) return {};
  const PCRE2_SIZE* const bounds = pcre2_get_ovector_pointer(match.get());
  const PCRE2_SIZE start = bounds[2 * group];
  if (start == PCRE2_UNSET) return {};
  return value.substr(start, bounds[2 * group + 1] - start);
}

}  // namespace hourcell
