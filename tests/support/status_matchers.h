// Matchers for absl::Status and absl::StatusOr, which Debian 12's Abseil lacks.
//
//   ASSERT_OK(status);  EXPECT_OK(status_or.status());
//   EXPECT_THAT(result, IsOkAndHolds(42));
//   EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("offset 3")));

#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell {

inline absl::Status StatusOf(const absl::Status& status) {
  return status;
}
template <typename T>
absl::Status StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

MATCHER_P(StatusIs, code, "has the code " + absl::StatusCodeToString(code)) {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code;
}

MATCHER_P2(StatusIs, code, message, "has the code " + absl::StatusCodeToString(code)) {
  const absl::Status status = StatusOf(arg);
  *result_listener << status.ToString();
  return status.code() == code &&
         testing::ExplainMatchResult(message, std::string(status.message()), result_listener);
}

MATCHER_P(IsOkAndHolds, value, "is OK and holds the value") {
  if (!arg.ok()) {
    *result_listener << arg.status().ToString();
    return false;
  }
  return testing::ExplainMatchResult(value, *arg, result_listener);
}

#define ASSERT_OK(expression) ASSERT_THAT(expression, ::hourcell::IsOk())
#define EXPECT_OK(expression) EXPECT_THAT(expression, ::hourcell::IsOk())

}  // namespace hourcell
