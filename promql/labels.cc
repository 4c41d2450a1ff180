#include "promql/labels.h"

#include <algorithm>

#include <fmt/format.h>
#include <re2/re2.h>

#include "codec/base/strings.h"

namespace hourcell::promql {
namespace {

auto FindPair(std::vector<Labels::Pair>& pairs, std::string_view name) {
  return std::ranges::lower_bound(pairs, name, {}, &Labels::Pair::first);
}

// The value of a UTF-8 sequence of two or more bytes.
uint32_t CodePointOf(std::string_view sequence) {
  const auto byte_at = [&](size_t i) { return static_cast<uint32_t>(sequence[i]) & 0xff; };
  uint32_t code = byte_at(0) & (0x7fU >> sequence.size());
  for (size_t i = 1; i < sequence.size(); ++i)
    code = (code << 6) | (byte_at(i) & 0x3f);
  return code;
}

void AppendQuotedAscii(char c, std::string* out) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  if (const size_t found = kEscaped.find(c); found != std::string_view::npos) {
    *out += '\\';
    *out += kLetters[found];
  } else if (c < ' ' || c == '\x7f') {
    fmt::format_to(std::back_inserter(*out), "\\x{:02x}", c);
  } else {
    *out += c;
  }
}

// `sequence` has two to four bytes.
void AppendQuotedSequence(std::string_view sequence, std::string* out) {
  // As unicode.IsPrint of Go, but for the space.
  static const RE2 kPrintable(R"([\pL\pM\pN\pP\pS])");
  if (RE2::FullMatch(re2::StringPiece(sequence.data(), sequence.size()), kPrintable)) {
    *out += sequence;
    return;
  }
  const uint32_t code = CodePointOf(sequence);
  const bool is_short = code < 0x10000;
  fmt::format_to(std::back_inserter(*out), "\\{}{:0{}x}", is_short ? 'u' : 'U', code,
                 is_short ? 4 : 8);
}

// strconv.Quote of Go, which differs from JSON for control characters and invalid UTF-8.
void AppendQuoted(std::string_view text, std::string* out) {
  *out += '"';
  while (!text.empty()) {
    const size_t length = std::max<size_t>(Utf8SequenceLength(text), 1);
    const std::string_view sequence = text.substr(0, length);
    text.remove_prefix(length);
    if (length > 1) {
      AppendQuotedSequence(sequence, out);
    } else if (const auto byte = static_cast<unsigned char>(sequence[0]); byte >= 0x80) {
      fmt::format_to(std::back_inserter(*out), "\\x{:02x}", byte);
    } else {
      AppendQuotedAscii(sequence[0], out);
    }
  }
  *out += '"';
}

}  // namespace

Labels::Labels(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {
  std::ranges::stable_sort(pairs_, {}, &Pair::first);
  // Of equal names, the last one stays.
  const auto is_superseded = [&](size_t i) {
    return i + 1 < pairs_.size() && pairs_[i + 1].first == pairs_[i].first;
  };
  size_t kept = 0;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (is_superseded(i) || pairs_[i].second.empty()) continue;
    if (kept != i) pairs_[kept] = std::move(pairs_[i]);
    ++kept;
  }
  pairs_.resize(kept);
}

std::string_view Labels::Get(std::string_view name) const {
  const auto found = std::ranges::lower_bound(pairs_, name, {}, &Pair::first);
  return found != pairs_.end() && found->first == name ? std::string_view(found->second)
                                                       : std::string_view();
}

void Labels::Set(std::string_view name, std::string_view value) {
  const auto found = FindPair(pairs_, name);
  const bool is_there = found != pairs_.end() && found->first == name;
  if (value.empty()) {
    if (is_there) pairs_.erase(found);
  } else if (is_there) {
    found->second = value;
  } else {
    pairs_.insert(found, {std::string(name), std::string(value)});
  }
}

Labels Labels::Keep(const std::vector<std::string>& names) const {
  Labels kept;
  for (const Pair& pair : pairs_) {
    if (std::ranges::binary_search(names, pair.first)) kept.pairs_.push_back(pair);
  }
  return kept;
}

Labels Labels::Without(const std::vector<std::string>& names) const {
  Labels kept;
  for (const Pair& pair : pairs_) {
    if (!std::ranges::binary_search(names, pair.first)) kept.pairs_.push_back(pair);
  }
  return kept;
}

Labels Labels::WithoutMetricName() const {
  Labels kept = *this;
  kept.Remove(kMetricName);
  return kept;
}

std::string Labels::Text() const {
  std::string text = "{";
  for (const auto& [name, value] : pairs_) {
    if (text.size() > 1) text += ", ";
    text += name;
    text += '=';
    AppendQuoted(value, &text);
  }
  text += '}';
  return text;
}

size_t Labels::MemoryBytes() const {
  size_t bytes = sizeof(Labels) + pairs_.capacity() * sizeof(Pair);
  for (const auto& [name, value] : pairs_)
    bytes += name.size() + value.size();
  return bytes;
}

}  // namespace hourcell::promql
