#include "engine/documents/text_rows.h"

#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::text_rows_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

using Text = std::optional<std::string>;

class TextRowsTest : public testing::Test {
 protected:
  static absl::Status Set(TextRows* rows, std::string_view id, Text text) {
    return rows->Change(id, [&](const Text&) -> absl::StatusOr<Text> { return text; });
  }

  static std::vector<std::string> Visited(const TextRows& rows, size_t max = 100) {
    std::vector<std::string> visited;
    EXPECT_OK(rows.Visit([&](std::string_view id, std::string_view text) {
      visited.push_back(std::string(id) + "=" + std::string(text));
      return visited.size() < max;
    }));
    return visited;
  }

  MemTableStore tables_;
  TextRows rows_{"note/", "note", &tables_, /*sync=*/false};
};

TEST_F(TextRowsTest, AVisitHasTheTextsOfThePrefixUntilItIsToldToEnd) {
  TextRows others("note0", "other", &tables_, /*sync=*/false);
  ASSERT_OK(Set(&rows_, "b", "2"));
  ASSERT_OK(Set(&rows_, "a", "1"));
  ASSERT_OK(Set(&others, "c", "3"));
  EXPECT_THAT(Visited(rows_), ElementsAre("a=1", "b=2"));
  EXPECT_THAT(Visited(rows_, 1), ElementsAre("a=1"));
  EXPECT_THAT(Visited(others), ElementsAre("c=3"));
}

TEST_F(TextRowsTest, SeveralTextsAreSetTogetherOrNone) {
  ASSERT_OK(rows_.Set(std::vector<MetadataRow>{{"a", "1"}, {"b", "2"}}));
  ASSERT_OK(rows_.Set(std::vector<MetadataRow>{{"b", "3"}}));

  EXPECT_THAT(rows_.Set(std::vector<MetadataRow>{{"a", "4"}, {"c", "\xff"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("UTF-8")));
  EXPECT_THAT(Visited(rows_), ElementsAre("a=1", "b=3"));
}

TEST_F(TextRowsTest, ARemovedTextIsNotFound) {
  ASSERT_OK(Set(&rows_, "a", "1"));
  EXPECT_THAT(rows_.Find("a"), IsOkAndHolds(Optional(std::string("1"))));
  ASSERT_OK(Set(&rows_, "a", std::nullopt));
  ASSERT_OK(Set(&rows_, "a", std::nullopt));
  EXPECT_THAT(rows_.Find("a"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(Visited(rows_), ElementsAre());
}

TEST_F(TextRowsTest, ARefusedTextLeavesTheOneBefore) {
  ASSERT_OK(Set(&rows_, "a", std::string(kDocumentBytesMax, 'x')));
  EXPECT_THAT(Set(&rows_, "a", std::string(kDocumentBytesMax + 1, 'x')),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("note: expected at most 65536 bytes, got 65537")));
  EXPECT_THAT(Set(&rows_, "a", "\xFF"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("note: not UTF-8")));
  EXPECT_THAT(rows_.Find("a"), IsOkAndHolds(Optional(std::string(kDocumentBytesMax, 'x'))));
}

TEST_F(TextRowsTest, NoChangeIsLost) {
  constexpr int kThreads = 4;
  constexpr int kChanges = 200;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this] {
      for (int change = 0; change < kChanges; ++change) {
        EXPECT_OK(rows_.Change("a", [](const Text& before) -> absl::StatusOr<Text> {
          return before.value_or("") + "x";
        }));
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_THAT(rows_.Find("a"), IsOkAndHolds(Optional(std::string(kThreads * kChanges, 'x'))));
}

}  // namespace
}  // namespace hourcell::text_rows_test
