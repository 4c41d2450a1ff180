#include "engine/trees/branch_id.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::branch_id_test {
namespace {

using testing::HasSubstr;

constexpr auto kRefused = absl::StatusCode::kInvalidArgument;

TEST(BranchIdTest, VectorsOfIds) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "tree-branch")) {
    if (TextOf(vector.given, "kind") != "branch_id") continue;
    SCOPED_TRACE(simdjson::to_string(vector.given));
    std::vector<std::string> names;
    for (const auto name : vector.given["path"].get_array())
      names.emplace_back(std::string_view(name));
    names.erase(names.begin());  // ROOT
    const auto tree = static_cast<uint16_t>(IntOf(vector.given, "tree_id"));
    const std::string id = BranchIdOf(tree, names);
    EXPECT_EQ(ToUpperHex(id), TextOf(vector.expect, "branch_id"));
    EXPECT_EQ(TreeOfBranchId(id), tree);
    ++run;
  }
  EXPECT_EQ(run, 3);
}

TEST(BranchIdTest, VectorsOfHashes) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "tree-branch")) {
    if (TextOf(vector.given, "kind") != "hash") continue;
    SCOPED_TRACE(simdjson::to_string(vector.given));
    EXPECT_EQ(fmt::format("{:08X}", JavaHash(TextOf(vector.given, "text"))),
              TextOf(vector.expect, "hash"));
    ++run;
  }
  EXPECT_EQ(run, 4);
}

// U+00FC is one unit, U+1F600 is D83D DE00.
TEST(BranchIdTest, HashesCountUnitsOfUtf16) {
  EXPECT_EQ(JavaHash("\xC3\xBC"), 0xFCU);
  EXPECT_EQ(JavaHash("\xF0\x9F\x98\x80"), 31U * 0xD83DU + 0xDE00U);
}

TEST(BranchIdTest, ReadsHexAsOpenTsdbDoes) {
  EXPECT_THAT(ParseBranchId("0001"), IsOkAndHolds(RootBranchId(1)));
  EXPECT_THAT(ParseBranchId("10001"), IsOkAndHolds(std::string("\x01\x00\x01", 3)));
  EXPECT_THAT(ParseBranchId("00fF"), IsOkAndHolds(RootBranchId(255)));
  EXPECT_THAT(ParseBranchId("001"), StatusIs(kRefused, HasSubstr("at least 4")));
  EXPECT_THAT(ParseBranchId("000g"), StatusIs(kRefused));
}

}  // namespace
}  // namespace hourcell::branch_id_test
