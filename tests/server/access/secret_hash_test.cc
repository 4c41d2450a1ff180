#include "server/access/secret_hash.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::secret_hash_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr SecretHash::Cost kCheap{.log2_n = 10, .block = 1, .parallel = 1};

TEST(SecretHashTest, MatchesItsSecretOnlyAlsoWhenReadBack) {
  const SecretHash hash = SecretHash::Make("correct horse", kCheap);
  const auto again = SecretHash::Parse(hash.text());

  ASSERT_OK(again);
  EXPECT_TRUE(hash.Matches("correct horse"));
  EXPECT_TRUE(again->Matches("correct horse"));
  for (const char* const wrong : {"", "correct hors", "correct horse ", "Correct horse"})
    EXPECT_FALSE(again->Matches(wrong)) << wrong;
  EXPECT_FALSE(again->Matches(std::string(kSecretBytesMax + 1, 'x')));
}

// The hash was computed by another implementation, Python's hashlib.scrypt.
TEST(SecretHashTest, IsScrypt) {
  const auto hash = SecretHash::Parse(
      "scrypt:14:8:1:536f6469756d43686c6f726964650000:"
      "f7d2bd1befac5a5bd950e569afa233d06ab554e25b451d4027f2142013beaea3");
  ASSERT_OK(hash);
  EXPECT_TRUE(hash->Matches("pleaseletmein"));
  EXPECT_FALSE(hash->Matches("pleaseletmeout"));
}

TEST(SecretHashTest, OneSecretHasManyHashes) {
  EXPECT_NE(SecretHash::Make("x", kCheap).text(), SecretHash::Make("x", kCheap).text());
  EXPECT_THAT(SecretHash::Make("x").text(), StartsWith("scrypt:15:8:1:"));
}

TEST(SecretHashTest, RefusesWhatIsNoHashWithoutTellingIt) {
  const std::string good = SecretHash::Make("x", kCheap).text();
  const std::string digits = good.substr(good.find(':', 12));
  for (const std::string& bad :
       {std::string(), std::string("scrypt"), good + ":", good + "0",
        good.substr(0, good.size() - 1), "md5" + good.substr(6), "scrypt:9:1:1" + digits,
        "scrypt:21:1:1" + digits, "scrypt:17:16:1" + digits, "scrypt:10:0:1" + digits,
        "scrypt:10:1:17" + digits, "scrypt:-1:1:1" + digits,
        good.substr(0, good.size() - 1) + "g"}) {
    SCOPED_TRACE(bad);
    const auto hash = SecretHash::Parse(bad);
    EXPECT_THAT(hash, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("hash: ")));
    EXPECT_THAT(std::string(hash.status().message()), Not(HasSubstr(digits.substr(1, 32))));
  }
}

TEST(SecretHashTest, RandomSecretsAreLongAndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i)
    seen.insert(RandomSecret());
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_EQ(seen.begin()->size(), 48u);
}

}  // namespace
}  // namespace hourcell::secret_hash_test
