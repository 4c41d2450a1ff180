#include "server/graph/page_age.h"

#include <string>

#include <gtest/gtest.h>

namespace hourcell::page_age_test {
namespace {

constexpr int64_t kNowMs = 1'357'300'800'000;
constexpr int64_t kHourMs = 3'600'000;

int64_t AgeOf(int64_t end_ms, const std::string& start, const std::string& end) {
  HttpRequest request;
  request.params = {{"start", start}, {"end", end}};
  const QuerySpec spec{.start_ms = end_ms - 1'024'000 * 5, .end_ms = end_ms, .queries = {}};
  return PageMaxAgeS(request, spec, kNowMs);
}

TEST(PageAgeTest, DependsOnTheEnd) {
  EXPECT_EQ(AgeOf(kNowMs + 1, "1", "2"), 0);
  EXPECT_EQ(AgeOf(kNowMs, "1", ""), 5);
  EXPECT_EQ(AgeOf(kNowMs - kHourMs, "1", "2"), 5);
  EXPECT_EQ(AgeOf(kNowMs - kHourMs - 1, "1", "2"), 86'400);
  EXPECT_EQ(AgeOf(kNowMs - kHourMs - 1, "2d-AGO", "2"), 5);
  EXPECT_EQ(AgeOf(kNowMs - kHourMs - 1, "1", "1d-ago"), 5);
}

TEST(PageAgeTest, IsNoneIfTheClientSaysSo) {
  HttpRequest request;
  request.params = {{"start", "1"}, {"end", "2"}, {"nocache", ""}};
  EXPECT_EQ(PageMaxAgeS(request, {.start_ms = 1, .end_ms = 2, .queries = {}}, kNowMs), 0);
}

}  // namespace
}  // namespace hourcell::page_age_test
