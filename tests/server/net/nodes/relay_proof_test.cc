#include "server/net/nodes/relay_proof.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"

namespace hourcell::relay_proof_test {
namespace {

using testing::SizeIs;

constexpr RelaySide kSender = RelaySide::kSender;
constexpr RelaySide kAcceptor = RelaySide::kAcceptor;

// Computed by Python: hmac.new(b"secret", b"hourcell sender\0header0123456789abcdef", "sha256").
TEST(RelayProofTest, AsBytes) {
  const RelayKeys keys("secret");
  EXPECT_EQ(ToHex(keys.Prove(kSender, "header", "0123456789abcdef")),
            "d0c7ef0a6b1c873cdededcaa532aa1ed17ae48a72044d8a4e3199ed91c55a661");
  EXPECT_EQ(ToHex(keys.Prove(kAcceptor, "header", "0123456789abcdef")),
            "9ed9c5208c9e8b8d4639cec0c5cfce5996b6ba36f9afaa46bcefe89053978d38");
}

TEST(RelayProofTest, ProvesWhatWasSaidAndNothingElse) {
  const RelayKeys keys("secret");
  const std::string nonce = NewRelayNonce();
  const std::string proof = keys.Prove(kSender, "header", nonce);
  EXPECT_THAT(proof, SizeIs(kRelayProofBytes));
  EXPECT_TRUE(keys.Proves(kSender, "header", nonce, proof));

  EXPECT_FALSE(keys.Proves(kSender, "heades", nonce, proof));
  EXPECT_FALSE(keys.Proves(kSender, "header", NewRelayNonce(), proof));
  EXPECT_FALSE(keys.Proves(kAcceptor, "header", nonce, proof));  // sent back
  EXPECT_FALSE(keys.Proves(kSender, "header", nonce, proof.substr(1)));
  EXPECT_FALSE(keys.Proves(kSender, "header", nonce, ""));
  EXPECT_FALSE(RelayKeys("secreT").Proves(kSender, "header", nonce, proof));
}

TEST(RelayProofTest, ProofsOfAllAcceptedSecretsAreTaken) {
  RelayKeys keys("b", {"a", "b", "c"});
  for (const char* secret : {"a", "b", "c"})
    EXPECT_TRUE(keys.Proves(kSender, "h", "n", RelayKeys(secret).Prove(kSender, "h", "n")));
  EXPECT_EQ(keys.Prove(kSender, "h", "n"), RelayKeys("b").Prove(kSender, "h", "n"));

  keys.Set("c", {"b", "c", "d"});
  EXPECT_FALSE(keys.Proves(kSender, "h", "n", RelayKeys("a").Prove(kSender, "h", "n")));
  EXPECT_EQ(keys.Prove(kSender, "h", "n"), RelayKeys("c").Prove(kSender, "h", "n"));
}

TEST(RelayProofTest, NoncesDiffer) {
  EXPECT_NE(NewRelayNonce(), NewRelayNonce());
  EXPECT_THAT(NewRelayNonce(), SizeIs(kRelayNonceBytes));
}

}  // namespace
}  // namespace hourcell::relay_proof_test
