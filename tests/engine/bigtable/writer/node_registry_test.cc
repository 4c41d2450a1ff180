#include "engine/bigtable/writer/node_registry.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/bigtable/api/bigtable_channels.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/status_matchers.h"

namespace hourcell::node_registry_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ClusterNode Waiting(const std::string& address, int64_t quiet_ms) {
  return {.address = address, .is_writer = false, .quiet_ms = quiet_ms};
}

class NodeRegistryTest : public testing::Test {
 protected:
  NodeRegistryTest() {
    const BigtableOptions options = QuickBigtableOptions(fake_);
    client_ = std::make_unique<BigtableClient>(options, *OpenBigtableChannels(options));
    EXPECT_OK(client_->CreateTable("hourcell-system", "h"));
  }

  std::unique_ptr<NodeRegistry> Registry(const std::string& address) {
    return std::make_unique<NodeRegistry>(client_.get(), &clock_, address);
  }

  FakeBigtable fake_;
  ManualClock clock_{0};
  std::unique_ptr<BigtableClient> client_;
};

TEST_F(NodeRegistryTest, TellsSinceWhenANodeIsQuiet) {
  const auto b = Registry("b:1");
  const auto a = Registry("a:1");
  const auto writer = Registry("w:1");
  EXPECT_OK(a->Heartbeat());
  EXPECT_OK(b->Heartbeat());
  EXPECT_OK(writer->Look());

  clock_.Advance(500);
  EXPECT_OK(a->Heartbeat());
  EXPECT_OK(writer->Look());
  clock_.Advance(7);

  EXPECT_THAT(writer->nodes(), ElementsAre(Waiting("a:1", 7), Waiting("b:1", 507)));
}

TEST_F(NodeRegistryTest, OneThatWithdrewIsGone) {
  const auto a = Registry("a:1");
  const auto writer = Registry("w:1");
  EXPECT_OK(a->Heartbeat());
  EXPECT_OK(a->Withdraw());
  EXPECT_OK(writer->Look());
  EXPECT_THAT(writer->nodes(), IsEmpty());
}

TEST_F(NodeRegistryTest, OneThatIsQuietForLongIsForgotten) {
  const auto a = Registry("a:1");
  const auto writer = Registry("w:1");
  EXPECT_OK(a->Heartbeat());
  EXPECT_OK(writer->Look());

  clock_.Advance(NodeRegistry::kForgetMs);
  EXPECT_OK(writer->Look());

  EXPECT_THAT(writer->nodes(), IsEmpty());
  EXPECT_THAT(fake_.TableOf("hourcell-system"), IsEmpty());
}

TEST_F(NodeRegistryTest, AProcessWithoutAnAddressHasNoRow) {
  const auto nobody = Registry("");
  EXPECT_OK(nobody->Heartbeat());
  EXPECT_OK(nobody->Withdraw());
  EXPECT_EQ(fake_.calls()->mutate_rows, 0);
}

}  // namespace
}  // namespace hourcell::node_registry_test
