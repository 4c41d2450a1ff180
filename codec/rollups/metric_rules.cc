#include "codec/rollups/metric_rules.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/rollups/rollup_config.h"
#include "codec/rollups/rollup_duration.h"

namespace hourcell {
namespace {

constexpr int64_t kSecondsOfHour = 3600;
constexpr int64_t kRawTtlMinS = 86'400;
constexpr int64_t kRuleTtlMaxS = kTimestampMsMax / 1000;

// Functions of queries, and the stored aggregate that gives them.
constexpr std::pair<std::string_view, std::string_view> kGivenBy[] = {
    {"zimsum", "sum"}, {"mimmin", "min"}, {"mimmax", "max"}};

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Takes the words of a rule, from left to right.
class RuleScanner {
 public:
  explicit RuleScanner(std::string_view text) : rest_(text) { SkipBlanks(); }

  bool is_at_end() const { return rest_.empty(); }
  // The rest, for errors.
  std::string Got() const { return is_at_end() ? "the end" : QuoteForMessage(rest_); }

  // Takes `c` if it comes next.
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    SkipBlanks();
    return true;
  }
  // Takes the bytes up to a blank or one of `ends`; may be empty.
  std::string_view Word(std::string_view ends) {
    const auto stops = [ends](char c) { return IsBlank(c) || ends.find(c) != ends.npos; };
    const auto end = std::ranges::find_if(rest_, stops);
    const std::string_view word = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    SkipBlanks();
    return word;
  }

 private:
  void SkipBlanks() {
    while (!rest_.empty() && IsBlank(rest_.front()))
      rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

absl::Status ExpectedOfRule(std::string_view expected, const RuleScanner& scanner) {
  return absl::InvalidArgumentError(fmt::format("expected {}, got {}", expected, scanner.Got()));
}

absl::StatusOr<std::vector<RuleTag>> ParseRuleTags(RuleScanner* scanner) {
  std::vector<RuleTag> tags;
  if (!scanner->Take('{')) return tags;
  do {
    RuleTag tag{.tagk = std::string(scanner->Word("=,|{}")), .tagvs = {}};
    if (tag.tagk.empty() || !scanner->Take('=')) {
      return ExpectedOfRule("a tag such as dc=lga|sea", *scanner);
    }
    const auto is_same = [&tag](const RuleTag& other) { return other.tagk == tag.tagk; };
    if (std::ranges::any_of(tags, is_same)) {
      return absl::InvalidArgumentError(
          fmt::format("expected each tag once, got {} twice", QuoteForMessage(tag.tagk)));
    }
    do {
      tag.tagvs.emplace_back(scanner->Word("=,|{}"));
      if (tag.tagvs.back().empty()) return ExpectedOfRule("the value of a tag", *scanner);
    } while (scanner->Take('|'));
    tags.push_back(std::move(tag));
  } while (scanner->Take(','));
  if (!scanner->Take('}')) return ExpectedOfRule("} after the tags", *scanner);
  return tags;
}

// "for 30d"; 0 if it is absent.
absl::StatusOr<int64_t> ParseRuleTtl(RuleScanner* scanner) {
  const std::string_view word = scanner->Word(",(){}");
  if (word.empty()) return 0;
  if (word != "for") {
    return absl::InvalidArgumentError(
        fmt::format("expected for, a comma or the end, got {}", QuoteForMessage(word)));
  }
  const std::string_view duration = scanner->Word(",(){}");
  HOURCELL_ASSIGN_OR_RETURN(const int64_t ttl_s, RollupDurationSeconds("for", duration));
  if (ttl_s >= 1 && ttl_s <= kRuleTtlMaxS) return ttl_s;
  return absl::InvalidArgumentError(
      fmt::format("for: expected 1s to {}d, got {}", kRuleTtlMaxS / kRawTtlMinS, duration));
}

absl::StatusOr<std::vector<std::string>> ParseRuleAggregates(RuleScanner* scanner) {
  std::vector<std::string> named;
  if (!scanner->Take('(')) {
    const auto all = std::span(kRuleAggregates).first(kDefaultAggregates);
    return std::vector<std::string>(all.begin(), all.end());
  }
  while (!scanner->Take(')')) {
    const std::string name = LowerCase(scanner->Word(",(){}"));
    if (std::ranges::find(kRuleAggregates, name) == std::end(kRuleAggregates)) {
      return absl::InvalidArgumentError(
          fmt::format("aggregates: expected some of {}, got {}", fmt::join(kRuleAggregates, " "),
                      name.empty() ? scanner->Got() : QuoteForMessage(name)));
    }
    if (std::ranges::find(named, name) != named.end()) {
      return absl::InvalidArgumentError(
          fmt::format("aggregates: expected each once, got {} twice", name));
    }
    named.push_back(name);
  }
  if (named.empty()) return ExpectedOfRule("aggregates between ( and )", *scanner);
  std::ranges::sort(named, {}, [](const std::string& name) {
    return std::ranges::find(kRuleAggregates, name) - std::begin(kRuleAggregates);
  });
  return named;
}

absl::Status ParseRulePart(RuleScanner* scanner, MetricRule* rule) {
  const std::string_view word = scanner->Word(",(){}");
  if (word.empty()) return ExpectedOfRule("raw or an interval such as 1m", *scanner);
  if (word == "raw") {
    if (rule->raw_ttl_s != 0) return absl::InvalidArgumentError("expected raw once, got it twice");
    HOURCELL_ASSIGN_OR_RETURN(rule->raw_ttl_s, ParseRuleTtl(scanner));
    return rule->raw_ttl_s != 0 ? absl::OkStatus() : ExpectedOfRule("for after raw", *scanner);
  }
  RuleLevel level{.interval = std::string(word)};
  HOURCELL_ASSIGN_OR_RETURN(level.seconds, RollupDurationSeconds("interval", word));
  const int64_t seconds = level.seconds;
  const bool is_of_hour = seconds >= 1 && kSecondsOfHour % seconds == 0;
  if (!is_of_hour && (seconds < 1 || seconds % kSecondsOfHour != 0 || 86'400 % seconds != 0)) {
    return absl::InvalidArgumentError(
        fmt::format("interval: expected one that divides an hour, or hours that divide a day, "
                    "got {}",
                    word));
  }
  HOURCELL_ASSIGN_OR_RETURN(level.aggregates, ParseRuleAggregates(scanner));
  HOURCELL_ASSIGN_OR_RETURN(level.ttl_s, ParseRuleTtl(scanner));
  rule->levels.push_back(std::move(level));
  return absl::OkStatus();
}

absl::Status CheckRuleLevels(const MetricRule& rule) {
  if (rule.levels.size() > kRuleLevelsMax) {
    return absl::InvalidArgumentError(
        fmt::format("expected at most {} levels, got {}", kRuleLevelsMax, rule.levels.size()));
  }
  for (size_t i = 1; i < rule.levels.size(); ++i) {
    const RuleLevel& shorter = rule.levels[i - 1];
    const RuleLevel& level = rule.levels[i];
    if (shorter.seconds == level.seconds) {
      return absl::InvalidArgumentError(fmt::format("intervals: expected each once, got {} and {}",
                                                    shorter.interval, level.interval));
    }
    if (level.ttl_s == 0 || (shorter.ttl_s != 0 && shorter.ttl_s <= level.ttl_s)) continue;
    return absl::InvalidArgumentError(fmt::format("interval {}: expected to be kept as long as {}",
                                                  level.interval, shorter.interval));
  }
  return absl::OkStatus();
}

absl::Status CheckRawTtl(const MetricRule& rule) {
  if (rule.raw_ttl_s == 0) return absl::OkStatus();
  if (!rule.tags.empty()) {
    return absl::InvalidArgumentError(
        "raw: a rule with tags cannot limit the points, whose TTL is that of their metric");
  }
  const int64_t min_s = std::max(kRawTtlMinS, 2 * rule.LongestS());
  if (rule.raw_ttl_s >= min_s) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("raw: expected at least {} h, a day and two of the longest interval, got {} s",
                  min_s / kSecondsOfHour, rule.raw_ttl_s));
}

absl::StatusOr<MetricRule> ParseRule(std::string_view text) {
  RuleScanner scanner(text);
  MetricRule rule{.pattern = std::string(scanner.Word("{"))};
  if (rule.pattern.empty()) return ExpectedOfRule("a pattern of metrics such as *", scanner);
  if (rule.pattern.starts_with(kRollupMetricPrefix)) {
    return absl::InvalidArgumentError(
        fmt::format("expected metrics of points, got the level {}", QuoteForMessage(rule.pattern)));
  }
  HOURCELL_ASSIGN_OR_RETURN(rule.tags, ParseRuleTags(&scanner));
  do {
    HOURCELL_RETURN_IF_ERROR(ParseRulePart(&scanner, &rule));
  } while (scanner.Take(','));
  if (!scanner.is_at_end()) return ExpectedOfRule("a comma or the end", scanner);
  std::ranges::stable_sort(rule.levels, {}, &RuleLevel::seconds);
  HOURCELL_RETURN_IF_ERROR(CheckRuleLevels(rule));
  HOURCELL_RETURN_IF_ERROR(CheckRawTtl(rule));
  return rule;
}

// Whether points kept for `ttl_s` include those of `begin_ms`.
bool Covers(int64_t ttl_s, int64_t begin_ms, int64_t now_ms) {
  return ttl_s == 0 || begin_ms >= now_ms - ttl_s * 1000;
}

}  // namespace

std::vector<std::string> RuleLevel::StoredFor(std::string_view function) const {
  std::vector<std::string> wanted;
  if (function == "avg") {
    wanted = {"sum", "count"};
  } else {
    const auto given = std::ranges::find(kGivenBy, function,
                                         &std::pair<std::string_view, std::string_view>::first);
    wanted.emplace_back(given == std::end(kGivenBy) ? function : given->second);
  }
  for (const std::string& name : wanted)
    if (std::ranges::find(aggregates, name) == aggregates.end()) return {};
  return wanted;
}

std::vector<std::string> MetricRule::LevelMetrics(std::string_view metric) const {
  std::vector<std::string> metrics;
  for (const RuleLevel& level : levels) {
    for (const std::string& aggregate : level.aggregates)
      metrics.push_back(
          RollupMetric({.interval = level.interval, .aggregator = aggregate}, metric));
  }
  return metrics;
}

std::string MetricRule::Fingerprint() const {
  std::string text;
  for (const RuleLevel& level : levels)
    text += fmt::format("{}({})", level.interval, fmt::join(level.aggregates, ","));
  for (const RuleTag& tag : tags)
    text += fmt::format("{{{}={}}}", tag.tagk, fmt::join(tag.tagvs, "|"));
  return text;
}

bool MetricRule::HasTags(std::string_view fingerprint) {
  return fingerprint.find('{') != std::string_view::npos;
}

absl::StatusOr<MetricRule> MetricRule::OfFingerprint(std::string_view fingerprint) {
  MetricRule rule;
  std::string_view rest = fingerprint.substr(0, fingerprint.find('{'));
  while (!rest.empty()) {
    const size_t open = rest.find('(');
    const size_t close = rest.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
      return absl::InvalidArgumentError(
          fmt::format("fingerprint: expected levels such as 1m(sum), "
                      "got {}",
                      QuoteForMessage(fingerprint)));
    }
    RuleLevel level{.interval = std::string(rest.substr(0, open))};
    HOURCELL_ASSIGN_OR_RETURN(level.seconds, RollupDurationSeconds("fingerprint", level.interval));
    std::string_view names = rest.substr(open + 1, close - open - 1);
    while (!names.empty()) {
      const size_t end = std::min(names.find(','), names.size());
      level.aggregates.emplace_back(names.substr(0, end));
      names.remove_prefix(std::min(end + 1, names.size()));
    }
    rule.levels.push_back(std::move(level));
    rest.remove_prefix(close + 1);
  }
  return rule;
}

const RuleLevel* MetricRule::LevelFor(int64_t downsample_ms,
                                      std::string_view function,
                                      const KeptTimes& times) const {
  const RuleLevel* longest_kept = nullptr;
  int64_t longest_s = times.points_ttl_s;
  for (size_t i = levels.size(); i-- > 0;) {
    const RuleLevel& level = levels[i];
    if (downsample_ms <= 0 || downsample_ms % (level.seconds * 1000) != 0) continue;
    if (level.StoredFor(function).empty()) continue;
    if (Covers(level.ttl_s, times.begin_ms, times.now_ms)) return &level;
    // Points that are kept as long as a level give the same.
    if (longest_s == 0 || level.ttl_s <= longest_s) continue;
    longest_kept = &level;
    longest_s = level.ttl_s;
  }
  return longest_kept;
}

absl::StatusOr<MetricRules> MetricRules::Parse(std::string_view text) {
  MetricRules rules;
  while (true) {
    const size_t end = std::min(text.find(';'), text.size());
    absl::StatusOr<MetricRule> rule = ParseRule(text.substr(0, end));
    const size_t number = rules.rules_.size() + 1;
    if (!rule.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("rule {}: {}", number, MessageOf(rule.status())));
    }
    if (number > kMetricRulesMax) {
      return absl::InvalidArgumentError(
          fmt::format("expected at most {} rules, got more", kMetricRulesMax));
    }
    rules.rules_.push_back(*std::move(rule));
    if (end == text.size()) return rules;
    text.remove_prefix(end + 1);
  }
}

const MetricRule* MetricRules::RuleOf(std::string_view metric) const {
  if (metric.starts_with(kRollupMetricPrefix)) return nullptr;
  const auto found = std::ranges::find_if(
      rules_, [metric](const MetricRule& rule) { return MatchesPattern(rule.pattern, metric); });
  return found == rules_.end() ? nullptr : &*found;
}

// Each `*` first matches nothing; on a difference, the last one takes a byte more. So the time is
// at most the product of the lengths.
bool MatchesPattern(std::string_view pattern, std::string_view text) {
  size_t at = 0;
  size_t of_text = 0;
  size_t star = std::string_view::npos;  // the last one
  size_t after_star = 0;                 // where the text after it begins
  while (of_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      after_star = of_text;
    } else if (at < pattern.size() && pattern[at] == text[of_text]) {
      ++at;
      ++of_text;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      of_text = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace hourcell
