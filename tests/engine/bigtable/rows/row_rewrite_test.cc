#include "engine/bigtable/rows/row_rewrite.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rows/series_key.h"
#include "tests/support/status_matchers.h"

namespace hourcell::row_rewrite_test {
namespace {

using testing::ElementsAre;

constexpr uint64_t kWriter = 1;
constexpr VersionView kAllSettled = {.max = 100, .hidden = {}, .floor = 101};

OperandName From(uint64_t first, uint64_t last, uint64_t writer = kWriter, uint64_t cut = 0) {
  return {.writer = writer, .cut = cut, .first = first, .last = last};
}

StoredRow RowOf(const std::vector<OperandName>& operands, const std::vector<uint64_t>& sets = {}) {
  BigtableRow row = {.key = "row", .cells = {}};
  for (const OperandName& name : operands)
    row.cells.push_back({EncodeOperandName(name), MicrosOf(name.last), PostingOfOne(name.last)});
  for (const uint64_t version : sets)
    row.cells.push_back({"s", MicrosOf(version), EncodeSet("")});
  absl::StatusOr<StoredRow> stored = DecodeStoredRow(std::move(row));
  EXPECT_OK(stored);
  return *std::move(stored);
}

// "+3..8" joins, "-3" and "-3..8" delete operands, "-s<9" deletes sets below a version.
std::vector<std::string> TextOf(const std::optional<RowMutations>& rewrite) {
  std::vector<std::string> texts;
  if (!rewrite.has_value()) return texts;
  for (const auto& mutation : rewrite->mutations()) {
    const bool is_set = mutation.has_set_cell();
    const std::string& qualifier = is_set ? mutation.set_cell().column_qualifier()
                                          : mutation.delete_from_column().column_qualifier();
    if (qualifier == kBaseQualifier) {
      texts.push_back(fmt::format(
          "-s<{}", mutation.delete_from_column().time_range().end_timestamp_micros() / 1000));
      continue;
    }
    const OperandName name = *DecodeOperandName(qualifier);
    texts.push_back(fmt::format("{}{}", is_set ? "+" : "-", name.first));
    if (name.is_joined()) texts.back() += fmt::format("..{}", name.last);
  }
  return texts;
}

std::vector<std::string> Rewrite(const StoredRow& row, const VersionView& settled = kAllSettled) {
  return TextOf(RewriteOf(TableId::kSeries, row, settled, kWriter));
}

TEST(RowRewriteTest, JoinsAllThatIsSettled) {
  EXPECT_THAT(Rewrite(RowOf({From(3, 3), From(5, 5), From(9, 9)})),
              ElementsAre("+3..9", "-3", "-5", "-9"));
  EXPECT_THAT(Rewrite(RowOf({From(3, 3), From(5, 5), From(9, 9)}), {.max = 8}),
              ElementsAre("+3..5", "-3", "-5"));
  EXPECT_THAT(Rewrite(RowOf({From(3, 5), From(9, 9)})), ElementsAre("+3..9", "-3..5", "-9"));
}

StoredRow Deleted(const std::string& key, const std::vector<uint64_t>& deletes) {
  BigtableRow row = {.key = key, .cells = {}};
  for (const uint64_t version : deletes)
    row.cells.push_back({"s", MicrosOf(version), EncodeDelete()});
  absl::StatusOr<StoredRow> stored = DecodeStoredRow(std::move(row));
  EXPECT_OK(stored);
  return *std::move(stored);
}

TEST(RowRewriteTest, AMarkStaysUnlessItsRowLeavesNone) {
  const std::string log_row = LogRowKey(7);
  EXPECT_THAT(Rewrite(Deleted(log_row, {9})), ElementsAre("-s<10"));
  EXPECT_THAT(Rewrite(Deleted(log_row, {9, 4})), ElementsAre("-s<10"));
  EXPECT_THAT(Rewrite(Deleted(log_row, {9}), {.max = 8}), ElementsAre());
  EXPECT_THAT(Rewrite(Deleted(log_row, {9, 4}), {.max = 8}), ElementsAre("-s<5"));
  EXPECT_THAT(Rewrite(Deleted("a-active-set", {9})), ElementsAre("-s<10"));

  EXPECT_THAT(Rewrite(Deleted("t-tsuid", {9})), ElementsAre());
  EXPECT_THAT(TextOf(RewriteOf(TableId::kUid, Deleted(log_row, {9}), kAllSettled, kWriter)),
              ElementsAre());
}

TEST(RowRewriteTest, TheJoinedOperandHasAllOfThem) {
  const auto rewrite =
      RewriteOf(TableId::kSeries, RowOf({From(3, 3), From(5, 5)}), kAllSettled, kWriter);

  ASSERT_TRUE(rewrite.has_value());
  EXPECT_EQ(rewrite->row_key(), "row");
  std::vector<SeriesNumber> numbers;
  ASSERT_OK(DecodePosting(rewrite->mutations(0).set_cell().value(), 0, &numbers));
  EXPECT_THAT(numbers, ElementsAre(3, 5));
  EXPECT_EQ(rewrite->mutations(0).set_cell().timestamp_micros(), MicrosOf(5));
}

TEST(RowRewriteTest, OneOperandStays) {
  EXPECT_THAT(Rewrite(RowOf({From(3, 3)})), ElementsAre());
  EXPECT_THAT(Rewrite(RowOf({From(3, 9)}, {1})), ElementsAre());
  EXPECT_THAT(Rewrite(RowOf({})), ElementsAre());
}

TEST(RowRewriteTest, NoJoinedOperandGoesOverAHiddenVersion) {
  EXPECT_THAT(Rewrite(RowOf({From(3, 3), From(5, 5), From(7, 7), From(9, 9)}),
                      {.max = 100, .hidden = {{6, 6}}}),
              ElementsAre("+3..5", "-3", "-5", "+7..9", "-7", "-9"));
  EXPECT_THAT(
      Rewrite(RowOf({From(3, 3), From(5, 5), From(7, 7)}), {.max = 100, .hidden = {{5, 5}}}),
      ElementsAre());
}

TEST(RowRewriteTest, NoJoinedOperandGoesOverAnotherWriterOrCut) {
  EXPECT_THAT(Rewrite(RowOf({From(3, 3), From(5, 5, /*writer=*/2), From(7, 7), From(8, 8)})),
              ElementsAre("+7..8", "-7", "-8"));
  EXPECT_THAT(Rewrite(RowOf({From(3, 3), From(7, 7, kWriter, /*cut=*/5)})), ElementsAre());
  EXPECT_THAT(Rewrite(RowOf({From(3, 3, /*writer=*/2), From(4, 4, /*writer=*/2)})), ElementsAre());
}

TEST(RowRewriteTest, WhatIsBelowTheNewestSettledSetGoes) {
  EXPECT_THAT(Rewrite(RowOf({From(3, 3), From(5, 5), From(8, 8)}, {7, 4, 2})),
              ElementsAre("-s<7", "-3", "-5"));
  EXPECT_THAT(Rewrite(RowOf({From(3, 3), From(5, 5)}, {7, 4, 2}), {.max = 6}),
              ElementsAre("-s<4", "-3"));
  EXPECT_THAT(Rewrite(RowOf({}, {7})), ElementsAre());
}

TEST(RowRewriteTest, WhatWasJoinedAndCameBackGoes) {
  EXPECT_THAT(Rewrite(RowOf({From(3, 3), From(3, 8), From(8, 8)})), ElementsAre("-3", "-8"));
}

}  // namespace
}  // namespace hourcell::row_rewrite_test
