#include "server/http/http_status.h"

#include <iterator>

#include <gtest/gtest.h>

namespace hourcell::http_status_test {
namespace {

using Code = absl::StatusCode;

struct Case {
  Code code;
  int store;
  int query;
  int body;
};

constexpr Case kCases[] = {
    {Code::kCancelled, 503, 503, 503},          {Code::kUnknown, 500, 500, 500},
    {Code::kInvalidArgument, 400, 400, 400},    {Code::kDeadlineExceeded, 503, 413, 503},
    {Code::kNotFound, 404, 400, 404},           {Code::kAlreadyExists, 409, 409, 409},
    {Code::kPermissionDenied, 403, 403, 403},   {Code::kResourceExhausted, 503, 413, 413},
    {Code::kFailedPrecondition, 503, 503, 503}, {Code::kAborted, 503, 503, 503},
    {Code::kOutOfRange, 400, 400, 400},         {Code::kUnimplemented, 501, 400, 415},
    {Code::kInternal, 500, 500, 500},           {Code::kUnavailable, 503, 503, 503},
    {Code::kDataLoss, 500, 500, 500},           {Code::kUnauthenticated, 401, 401, 401},
};

TEST(HttpStatusTest, EachCodeHasItsStatus) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(absl::StatusCodeToString(c.code));
    EXPECT_EQ(HttpStatusOf(Failed::kStore, c.code), c.store);
    EXPECT_EQ(HttpStatusOf(Failed::kQuery, c.code), c.query);
    EXPECT_EQ(HttpStatusOf(Failed::kBody, c.code), c.body);
  }
  EXPECT_EQ(HttpStatusOf(Failed::kBackup, Code::kInvalidArgument), 409);
  EXPECT_EQ(HttpStatusOf(Failed::kBackup, Code::kFailedPrecondition), 409);
  EXPECT_EQ(HttpStatusOf(Failed::kChange, Code::kFailedPrecondition), 409);
  for (const Failed what : {Failed::kBackup, Failed::kChange})
    EXPECT_EQ(HttpStatusOf(what, Code::kNotFound), 404) << "as of all others";
  EXPECT_EQ(std::size(kCases), 16U) << "all of Abseil's codes but kOk";
  EXPECT_EQ(HttpStatusOf(Failed::kStore, static_cast<Code>(99)), 500);
}

TEST(HttpStatusTest, TheResponseHasTheMessageAndSaysWhetherToComeAgain) {
  const HttpResponse refused =
      FailureResponse(Failed::kStore, absl::NotFoundError("no such metric"));
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(refused.body, R"({"error":{"code":404,"message":"no such metric"}})");
  EXPECT_TRUE(refused.headers.empty());
  const HttpResponse later = FailureResponse(Failed::kBody, absl::UnavailableError("no memory"));
  EXPECT_EQ(later.status, 503);
  ASSERT_EQ(later.headers.size(), 1U);
  EXPECT_EQ(later.headers[0].first, "Retry-After");
}

TEST(HttpStatusTest, WorkThatFailedIsToldInWordsOfItsOwn) {
  const auto body = [](const absl::Status& error) {
    return WorkFailure(Failed::kBackup, "The backup was ended", error).body;
  };
  EXPECT_EQ(body(absl::CancelledError("by an admin")),
            R"({"error":{"code":503,"message":"The backup was ended","details":"by an admin"}})");
  EXPECT_EQ(body(absl::UnavailableError("no space")),
            R"({"error":{"code":503,"message":"Storage is not available","details":"no space"}})");
  EXPECT_EQ(body(absl::DataLossError("x.sst")),
            R"({"error":{"code":500,"message":"Storage exception","details":"x.sst"}})");
  EXPECT_EQ(body(absl::InvalidArgumentError("no directory")),
            R"({"error":{"code":409,"message":"no directory"}})");
}

}  // namespace
}  // namespace hourcell::http_status_test
