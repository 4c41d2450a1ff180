#include "server/cluster/follower_server.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/storage/storage_engine.h"
#include "tests/support/status_matchers.h"

namespace hourcell::follower_server_test {
namespace {

// tests/cluster has followers that answer.

// A storage that is followed by nobody.
class DeafStorage : public StorageEngine, public SharedStorage {
 public:
  std::string_view name() const override { return "deaf"; }
  SharedStorage* shared() override { return this; }
  absl::StatusOr<SharedSecrets> Join(const std::string& /*address*/,
                                     StorageEvents /*events*/) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<SharedSecrets> RefreshSecrets() override { return absl::UnimplementedError(""); }
  absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& /*warn*/) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<FollowedStorage> Follow(
      const std::function<void(std::string_view message)>& /*warn*/) override {
    if (++tries_ < 3) return absl::UnavailableError("away");
    return absl::UnimplementedError("no");
  }

  std::atomic<int> tries_ = 0;
};

TEST(FollowerServerTest, AStoreThatCannotBeOpenedIsTriedAgain) {
  const auto storage = std::make_shared<DeafStorage>();
  Options options;
  options.path = "p";
  options.storage = storage;
  const Config config;
  const FollowerServer server({.config = &config,
                               .options = &options,
                               .keys = std::make_shared<RelayKeys>("s"),
                               .on_change = [](const std::string&) { ADD_FAILURE(); }});
  while (storage->tries_ < 3)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(FollowerServerTest, ItsServerWritesNothing) {
  Config config;
  ASSERT_OK(config.Set("tsd.mode", "rw"));
  ASSERT_OK(config.Set("tsd.stats.self_interval", "1"));
  ASSERT_OK(config.Set("tsd.http.query.allow_delete", "true"));
  ASSERT_OK(config.Set("tsd.graphite.port", "0"));
  ASSERT_OK(config.Set("tsd.network.role", "read"));
  const Config changed = FollowerServer::ConfigOf(config);
  EXPECT_EQ(changed.text("tsd.mode"), "ro");
  EXPECT_EQ(changed.integer("tsd.stats.self_interval"), 0);
  EXPECT_FALSE(changed.boolean("tsd.http.query.allow_delete"));
  EXPECT_EQ(changed.integer("tsd.graphite.port"), -1);
  EXPECT_EQ(changed.text("tsd.network.role"), "read");
}

}  // namespace
}  // namespace hourcell::follower_server_test
