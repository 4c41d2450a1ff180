#include "server/net/tls_context.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/net/tls_peer.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::tls_context_test {
namespace {

using testing::HasSubstr;

class TlsContextTest : public testing::Test {
 protected:
  void SetUp() override { WriteCertificate(certificate_, key_); }

  TempDir dir_;
  const std::string certificate_ = dir_.file("cert.pem");
  const std::string key_ = dir_.file("key.pem");
};

TEST_F(TlsContextTest, SaysWhichFileIsWrong) {
  WriteCertificate(dir_.file("other"), dir_.file("other_key"));

  EXPECT_OK(TlsContext::Open(certificate_, key_));
  EXPECT_THAT(TlsContext::Open(dir_.file("none"), key_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.tls.certificate: ")));
  EXPECT_THAT(TlsContext::Open(certificate_, certificate_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.tls.key: ")));
  EXPECT_THAT(TlsContext::Open(certificate_, dir_.file("other_key")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.tls.key: ")));
}

TEST_F(TlsContextTest, AReloadIsForSessionsFromThenOn) {
  auto context = TlsContext::Open(certificate_, key_);
  ASSERT_OK(context);
  const auto before = (*context)->current();

  WriteCertificate(certificate_, key_);
  ASSERT_OK((*context)->Reload());
  const auto after = (*context)->current();
  EXPECT_NE(before, after);

  std::ofstream(key_) << "damaged";
  EXPECT_FALSE((*context)->Reload().ok());
  EXPECT_EQ((*context)->current(), after) << "an error leaves all as it was";
}

}  // namespace
}  // namespace hourcell::tls_context_test
