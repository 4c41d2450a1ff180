// Error propagation: two macros that newer Abseil has and Debian 12's does not.
//
//   HOURCELL_RETURN_IF_ERROR(DoIt());
//   HOURCELL_ASSIGN_OR_RETURN(const Uid uid, table.Find(name));

#pragma once

#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#define HOURCELL_RETURN_IF_ERROR(expression)                                  \
  do {                                                                        \
    if (::absl::Status hourcell_status = (expression); !hourcell_status.ok()) \
      return hourcell_status;                                                 \
  } while (false)

#define HOURCELL_CONCAT_INNER(a, b) a##b
#define HOURCELL_CONCAT(a, b) HOURCELL_CONCAT_INNER(a, b)

#define HOURCELL_ASSIGN_OR_RETURN(declaration, expression) \
  HOURCELL_ASSIGN_OR_RETURN_IMPL(HOURCELL_CONCAT(hourcell_or_, __LINE__), declaration, expression)

#define HOURCELL_ASSIGN_OR_RETURN_IMPL(result, declaration, expression) \
  auto result = (expression);                                           \
  if (!result.ok()) return std::move(result).status();                  \
  declaration = *std::move(result)
