#include "server/inputs/prometheus/prom_regexp.h"

#include <algorithm>
#include <cstddef>

namespace hourcell {
namespace {

// Rewrites a pattern in one pass; copies unknown constructs.
class Rewriter {
 public:
  Rewriter(std::string_view pattern, const NameRule& names) : rest_(pattern), names_(names) {}

  std::string Rewrite() {
    while (!rest_.empty())
      Step();
    return out_;
  }

 private:
  // True if the rule maps the ASCII character to '_'.
  bool IsChanged(char c) const {
    return c >= ' ' && c <= '~' && c != '_' && names_.Apply(std::string_view(&c, 1)) == "_";
  }

  void Copy(size_t size) {
    size = std::min(size, rest_.size());
    out_ += rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  // Copies up to the end of `text`, or everything left.
  void CopyThrough(std::string_view text, size_t from) {
    const size_t at = rest_.find(text, from);
    Copy(at == rest_.npos ? rest_.size() : at + text.size());
  }

  void Widen(size_t size) {
    out_ += '[';
    Copy(size);
    out_ += "_]";
  }

  void Step() {
    constexpr std::string_view kOperators = ".*+?|()^$";
    const char c = rest_.front();
    if (rest_.starts_with("\\Q")) return CopyThrough("\\E", 2);
    if (c == '\\') return rest_.size() > 1 && IsChanged(rest_[1]) ? Widen(2) : Copy(2);
    if (c == '[') return CopyClass();
    if (rest_.starts_with("(?")) return CopyGroupStart();
    if (c == '{') return CopyThrough("}", 1);
    if (kOperators.find(c) == kOperators.npos && IsChanged(c)) return Widen(1);
    Copy(1);
  }

  // "(?i:", "(?P<name>", "(?i)"
  void CopyGroupStart() {
    const size_t end = rest_.find_first_of(":)>", 2);
    Copy(end == rest_.npos ? rest_.size() : end + 1);
  }

  void CopyClass() {
    bool is_changed = false;
    const bool is_negated = rest_.starts_with("[^");
    Copy(is_negated ? 2 : 1);
    if (rest_.starts_with(']')) Copy(1);
    while (!rest_.empty() && rest_.front() != ']') {
      if (rest_.starts_with("[:")) {
        CopyThrough(":]", 2);
        continue;
      }
      const bool is_escaped = rest_.front() == '\\' && rest_.size() > 1;
      const char c = rest_[is_escaped ? 1 : 0];
      is_changed |= c != '-' && IsChanged(c);
      Copy(is_escaped ? 2 : 1);
    }
    if (rest_.empty()) return;  // not a class
    if (is_changed && !is_negated) out_ += '_';
    Copy(1);
  }

  std::string_view rest_;
  const NameRule& names_;
  std::string out_;
};

}  // namespace

std::string RegexpOfStored(std::string_view pattern, const NameRule& names) {
  return names.merges_names() ? Rewriter(pattern, names).Rewrite() : std::string(pattern);
}

}  // namespace hourcell
