// InvariantParts: the parts of an expression that have the same value at all steps, because each
// of their selectors has a fixed time (@). They are calculated once.

#pragma once

#include <absl/container/flat_hash_set.h>

#include "promql/text/expression.h"

namespace hourcell::promql {

// Immutable. Borrows the expression.
class InvariantParts final {
 public:
  explicit InvariantParts(const Expression& expression) { Visit(expression); }
  bool Contains(const Expression& part) const { return parts_.contains(&part); }

 private:
  bool Visit(const Expression& part);
  bool VisitCall(const Call& call);
  bool VisitChildren(const Expression& part);

  absl::flat_hash_set<const Expression*> parts_;
};

}  // namespace hourcell::promql
