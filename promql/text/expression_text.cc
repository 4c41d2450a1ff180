#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/check.h"
#include "promql/text/expression.h"
#include "promql/text/literals.h"
#include "promql/text/parser.h"
#include "promql/text/quoting.h"

namespace hourcell::promql {
namespace {

// Appends the texts of nodes. Recursion is bounded by kQueryDepth.
class TextWriter {
 public:
  explicit TextWriter(std::string* out) : out_(out) {}

  void Write(const Expression& expression) {
    std::visit([this](const auto& node) { WriteNode(node); }, expression.node);
  }

 private:
  void WriteNode(const NumberLiteral& node) { AppendNumberLiteral(node.value, out_); }
  void WriteNode(const StringLiteral& node) { AppendInQuotes(node.value, out_); }
  void WriteNode(const VectorSelector& node) {
    WriteSelector(node);
    WriteShift(node.shift);
  }
  void WriteNode(const Parentheses& node) {
    *out_ += '(';
    Write(*node.inner);
    *out_ += ')';
  }
  void WriteNode(const Unary& node) {
    *out_ += node.negate ? '-' : '+';
    Write(*node.inner);
  }
  void WriteNode(const MatrixSelector& node);
  void WriteNode(const Subquery& node);
  void WriteNode(const Call& node);
  void WriteNode(const Aggregation& node);
  void WriteNode(const Binary& node);

  void WriteSelector(const VectorSelector& selector);
  void WriteShift(const TimeShift& shift);
  void WriteLeft(const Binary& node);
  void WriteMatching(const VectorMatching& matching);
  void WriteLabels(std::string_view clause, const std::vector<std::string>& labels) {
    *out_ += fmt::format("{} ({})", clause, fmt::join(labels, ", "));
  }

  std::string* out_;
};

void TextWriter::WriteSelector(const VectorSelector& selector) {
  *out_ += selector.metric;
  std::vector<std::string> texts;
  for (const LabelMatcher& matcher : selector.matchers) {
    texts.push_back(matcher.name);
    texts.back() += MatchOperatorText(matcher.op);
    AppendInQuotes(matcher.value, &texts.back());
  }
  // The last matcher is that of the metric before the braces.
  if (!selector.metric.empty()) texts.pop_back();
  if (texts.empty()) return;
  std::ranges::sort(texts);
  *out_ += fmt::format("{{{}}}", fmt::join(texts, ","));
}

void TextWriter::WriteShift(const TimeShift& shift) {
  switch (shift.at) {
    case TimeShift::At::kNone:
      break;
    case TimeShift::At::kStart:
      *out_ += " @ start()";
      break;
    case TimeShift::At::kEnd:
      *out_ += " @ end()";
      break;
    case TimeShift::At::kTime:
      *out_ += " @ ";
      AppendAtTime(shift.at_ms, out_);
      break;
  }
  if (shift.offset_ms == 0) return;
  *out_ += shift.offset_ms < 0 ? " offset -" : " offset ";
  AppendDuration(std::abs(shift.offset_ms), out_);
}

void TextWriter::WriteNode(const MatrixSelector& node) {
  const auto& selector = std::get<VectorSelector>(node.selector->node);
  WriteSelector(selector);
  *out_ += '[';
  AppendDuration(node.range_ms, out_);
  *out_ += ']';
  WriteShift(selector.shift);
}

void TextWriter::WriteNode(const Subquery& node) {
  Write(*node.inner);
  *out_ += '[';
  AppendDuration(node.range_ms, out_);
  *out_ += ':';
  if (node.step_ms != 0) AppendDuration(node.step_ms, out_);
  *out_ += ']';
  WriteShift(node.shift);
}

void TextWriter::WriteNode(const Call& node) {
  *out_ += SignatureOf(node.function).name;
  *out_ += '(';
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    if (i > 0) *out_ += ", ";
    Write(*node.arguments[i]);
  }
  *out_ += ')';
}

void TextWriter::WriteNode(const Aggregation& node) {
  *out_ += AggregateOperatorText(node.op);
  if (node.without || !node.grouping.empty()) {
    WriteLabels(node.without ? " without" : " by", node.grouping_as_written);
    *out_ += ' ';
  }
  *out_ += '(';
  if (node.parameter != nullptr) {
    Write(*node.parameter);
    *out_ += ", ";
  }
  Write(*node.inner);
  *out_ += ')';
}

// Prometheus prints Inf ^ a as +Inf ^ a, which is +(Inf ^ a).
void TextWriter::WriteLeft(const Binary& node) {
  const size_t begin = out_->size();
  Write(*node.left);
  const bool is_number = std::holds_alternative<NumberLiteral>(node.left->node);
  if (node.op == BinaryOperator::kPower && is_number && (*out_)[begin] == '+')
    out_->erase(begin, 1);
}

void TextWriter::WriteNode(const Binary& node) {
  WriteLeft(node);
  *out_ += ' ';
  *out_ += BinaryOperatorText(node.op);
  if (node.return_bool) *out_ += " bool";
  if (node.matching.has_value()) WriteMatching(*node.matching);
  *out_ += ' ';
  Write(*node.right);
}

// Prometheus leaves out "ignoring ()" also before a group modifier, which loses the modifier.
void TextWriter::WriteMatching(const VectorMatching& matching) {
  const bool is_left = matching.cardinality == MatchCardinality::kManyToOne;
  const bool has_group = is_left || matching.cardinality == MatchCardinality::kOneToMany;
  if (!matching.on && matching.labels.empty() && !has_group) return;
  WriteLabels(matching.on ? " on" : " ignoring", matching.labels_as_written);
  if (has_group) WriteLabels(is_left ? " group_left" : " group_right", matching.include);
}

}  // namespace

std::string ExpressionText(const Expression& expression) {
  std::string text;
  TextWriter(&text).Write(expression);
  return text;
}

}  // namespace hourcell::promql
