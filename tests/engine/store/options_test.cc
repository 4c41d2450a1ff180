#include "engine/options.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/storage/storage_engine.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell::options_test {
namespace {

using testing::HasSubstr;

// A storage of several processes.
class SharedEngine : public StorageEngine, public SharedStorage {
 public:
  std::string_view name() const override { return "shared"; }
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
    return absl::UnimplementedError("");
  }
};

TEST(OptionsTest, RulesOfRollupsNeedAStorageOfOneProcess) {
  Options options = TinyOptions("x");
  options.rollup_rules = *MetricRules::Parse("* 1h");
  EXPECT_OK(options.Validate());
  options.storage = std::make_shared<SharedEngine>();
  EXPECT_THAT(options.Validate(), StatusIs(absl::StatusCode::kInvalidArgument,
                                           HasSubstr("rollup_rules with storage \"shared\"")));
}

TEST(OptionsTest, DefaultsWithAPathAreValid) {
  Options options;
  options.path = "x";

  EXPECT_OK(options.Validate());
}

TEST(OptionsTest, NamesTheFieldThatIsWrong) {
  const auto check = [](auto change, std::string_view want, int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    Options options = TinyOptions("x");
    change(&options);
    EXPECT_THAT(options.Validate(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(want))));
  };
  check([](Options* o) { o->path.clear(); }, "path is empty", __LINE__);
  check([](Options* o) { o->tags_max = 0; }, "tags_max", __LINE__);
  check([](Options* o) { o->tags_max = 65; }, "expected 1 to 64, got 65", __LINE__);
  check([](Options* o) { o->layout.metric_width = 9; }, "width", __LINE__);
  check([](Options* o) { o->write_buffer_bytes = 1; }, "write_buffer_bytes", __LINE__);
  check([](Options* o) { o->background_jobs = 0; }, "background_jobs", __LINE__);
  check([](Options* o) { o->open_files_max = 19; }, "expected 20 or more, got 19", __LINE__);
  check([](Options* o) { o->open_hours_bytes = 1; }, "open_hours_bytes", __LINE__);
  check([](Options* o) { o->journal_segment_bytes = 1; }, "journal_segment_bytes", __LINE__);
  check([](Options* o) { o->journal_bytes = 3 * o->journal_segment_bytes; }, "four segments",
        __LINE__);
  check([](Options* o) { o->seal_grace_s = -1; }, "got -1", __LINE__);
  check([](Options* o) { o->journal_age_s = 0; }, "journal_age_s", __LINE__);
  check(
      [](Options* o) {
        o->random_metric_uids = true;
        o->layout.metric_width = 8;
      },
      "random_metric_uids", __LINE__);
  check(
      [](Options* o) {
        o->sync = Durability::kInterval;
        o->sync_interval_ms = 0;
      },
      "sync_interval_ms", __LINE__);
}

}  // namespace
}  // namespace hourcell::options_test
