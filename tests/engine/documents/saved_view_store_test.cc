#include "engine/documents/saved_view_store.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/saved_views.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::saved_view_store_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

constexpr auto kRefused = absl::StatusCode::kInvalidArgument;

using Text = std::optional<std::string>;

class SavedViewStoreTest : public testing::Test {
 protected:
  absl::Status Set(std::string_view name, Text text) {
    return views_.Change(name, [&](const Text&) -> absl::StatusOr<Text> { return text; });
  }

  std::vector<std::string> Names() {
    std::vector<std::string> names;
    EXPECT_OK(views_.Visit([&](std::string_view name, std::string_view) {
      names.emplace_back(name);
      return true;
    }));
    return names;
  }

  MemTableStore tables_;
  SavedViewStore views_{&tables_, /*sync=*/false};
};

TEST_F(SavedViewStoreTest, KeysAreAsDrawn) {
  ASSERT_OK(Set("Web servers", "a"));
  ASSERT_OK(Set("Größe", "b"));
  std::vector<std::string> keys;
  ASSERT_OK(
      tables_.Snapshot()->Scan(TableId::kSystem, {}, [&](std::string_view key, std::string_view) {
        keys.emplace_back(key);
        return true;
      }));
  EXPECT_THAT(keys, ElementsAre("view/Größe", "view/Web servers"));
}

TEST_F(SavedViewStoreTest, AViewIsFoundAndVisitedUntilItIsRemoved) {
  ASSERT_OK(Set("b", "2"));
  ASSERT_OK(Set("a", "1"));
  EXPECT_THAT(views_.Find("a"), IsOkAndHolds(Optional(std::string("1"))));
  EXPECT_THAT(Names(), ElementsAre("a", "b"));
  ASSERT_OK(Set("a", std::nullopt));
  EXPECT_THAT(views_.Find("a"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(Names(), ElementsAre("b"));
}

TEST_F(SavedViewStoreTest, ANameIsOnePartOfAPath) {
  for (const std::string& name :
       {std::string(), std::string("a/b"), std::string("."), std::string(".."), std::string(" a"),
        std::string("a "), std::string("a\nb"), std::string("a\x7F"), std::string("a\0b", 3),
        std::string("\xFF"), std::string(kSavedViewNameBytesMax + 1, 'a')}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(views_.Find(name), StatusIs(kRefused, HasSubstr("view name ")));
    EXPECT_THAT(Set(name, "x"), StatusIs(kRefused, HasSubstr("expected ")));
  }
  for (const std::string& name :
       {std::string("..."), std::string("50 % & more?"), std::string("\xF0\x9F\x93\x88"),
        std::string(kSavedViewNameBytesMax, 'a')}) {
    EXPECT_OK(Set(name, "x")) << name;
  }
}

TEST_F(SavedViewStoreTest, AFullStoreTakesChangesButNoMoreViews) {
  for (size_t i = 0; i < kSavedViewsMax; ++i)
    ASSERT_OK(Set(fmt::format("view {}", i), "x"));
  EXPECT_THAT(Set("one more", "x"),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("expected at most 1000")));
  EXPECT_OK(Set("view 1", "y"));
  EXPECT_OK(Set("view 2", std::nullopt));
  EXPECT_OK(Set("one more", "x"));
}

TEST_F(SavedViewStoreTest, AnotherNameInTheTableIsDataLoss) {
  const Mutation row{
      .table = TableId::kSystem, .kind = Mutation::Kind::kSet, .key = "view/a/b", .value = "x"};
  ASSERT_OK(tables_.Apply({&row, 1}, false));
  EXPECT_THAT(views_.Visit([](std::string_view, std::string_view) { return true; }),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("view name \"a/b\"")));
}

}  // namespace
}  // namespace hourcell::saved_view_store_test
