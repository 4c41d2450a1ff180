#include "engine/names/meta_documents.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::meta_documents_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

using Text = std::optional<std::string>;

const DocumentKey kMetric = {.kind = UidKind::kMetric, .id = std::string("\0\0\1", 3)};
const DocumentKey kSeries = {.kind = std::nullopt, .id = std::string("\0\0\1\0\0\2\0\0\3", 9)};

class MetaDocumentsTest : public testing::Test {
 protected:
  absl::Status Set(const DocumentKey& key, Text text) {
    return documents_.Change(key, [&](const Text&) -> absl::StatusOr<Text> { return text; });
  }

  void SetRow(std::string row_key) {
    const Mutation row{.table = TableId::kSystem,
                       .kind = Mutation::Kind::kSet,
                       .key = std::move(row_key),
                       .value = "x"};
    ASSERT_OK(tables_.Apply({&row, 1}, false));
  }

  std::vector<std::string> RowKeys() {
    std::vector<std::string> keys;
    EXPECT_OK(
        tables_.Snapshot()->Scan(TableId::kSystem, {}, [&](std::string_view key, std::string_view) {
          keys.emplace_back(key);
          return true;
        }));
    return keys;
  }

  MemTableStore tables_;
  MetaDocuments documents_{Layout(), &tables_, /*sync=*/false};
};

TEST_F(MetaDocumentsTest, KeysAreAsDrawn) {
  ASSERT_OK(Set(kMetric, "a"));
  ASSERT_OK(Set({.kind = UidKind::kTagv, .id = "abc"}, "b"));
  ASSERT_OK(Set(kSeries, "c"));
  EXPECT_THAT(RowKeys(), ElementsAre("document/metrics/000001", "document/tagv/616263",
                                     "document/ts/000001000002000003"));
}

TEST_F(MetaDocumentsTest, ATextIsFoundAndVisitedUntilItIsRemoved) {
  EXPECT_THAT(documents_.Find(kMetric), IsOkAndHolds(std::nullopt));
  ASSERT_OK(Set(kMetric, "a"));
  ASSERT_OK(Set(kSeries, "c"));
  EXPECT_THAT(documents_.Find(kMetric), IsOkAndHolds(Optional(std::string("a"))));
  std::vector<std::string> seen;
  ASSERT_OK(documents_.Visit([&](const DocumentKey& key, std::string_view text) {
    EXPECT_EQ(key, seen.empty() ? kMetric : kSeries);
    seen.emplace_back(text);
    return true;
  }));
  EXPECT_THAT(seen, ElementsAre("a", "c"));

  ASSERT_OK(Set(kMetric, std::nullopt));
  ASSERT_OK(Set(kMetric, std::nullopt));
  EXPECT_THAT(documents_.Find(kMetric), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(RowKeys(), ElementsAre("document/ts/000001000002000003"));
}

TEST_F(MetaDocumentsTest, AVisitEndsWhenItIsToldTo) {
  ASSERT_OK(Set(kMetric, "a"));
  ASSERT_OK(Set(kSeries, "c"));
  int visited = 0;
  ASSERT_OK(documents_.Visit([&](const DocumentKey&, std::string_view) {
    ++visited;
    return false;
  }));
  EXPECT_EQ(visited, 1);
}

TEST_F(MetaDocumentsTest, AnErrorOfTheChangeLeavesTheText) {
  ASSERT_OK(Set(kMetric, "a"));
  const absl::Status failed = documents_.Change(
      kMetric, [](const Text&) -> absl::StatusOr<Text> { return absl::AbortedError("no"); });
  EXPECT_THAT(failed, StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(documents_.Find(kMetric), IsOkAndHolds(Optional(std::string("a"))));
}

TEST_F(MetaDocumentsTest, RefusesOtherIdsAndTexts) {
  EXPECT_THAT(Set({.kind = UidKind::kTagk, .id = "ab"}, "x"),
              StatusIs(kInvalid, HasSubstr("expected 3 bytes, got 2")));
  EXPECT_THAT(Set({.kind = std::nullopt, .id = "abc"}, "x"), StatusIs(kInvalid));
  EXPECT_THAT(documents_.Find({.kind = UidKind::kTagk, .id = ""}), StatusIs(kInvalid));
  EXPECT_THAT(Set(kMetric, "\xFF"), StatusIs(kInvalid, HasSubstr("not UTF-8")));
  EXPECT_OK(Set(kMetric, std::string(kDocumentBytesMax, 'x')));
  EXPECT_THAT(Set(kMetric, std::string(kDocumentBytesMax + 1, 'x')), StatusIs(kInvalid));
}

TEST_F(MetaDocumentsTest, OtherKeysAreDataLoss) {
  for (const char* const row_key :
       {"document/", "document/metrics", "document/metrics/", "document/metrics/0001",
        "document/hosts/000001", "document/ts/000001", "document/tagk/00000x"}) {
    SCOPED_TRACE(row_key);
    SetRow(row_key);
    EXPECT_THAT(documents_.Visit([](const DocumentKey&, std::string_view) { return true; }),
                StatusIs(absl::StatusCode::kDataLoss));
    const Mutation removed{
        .table = TableId::kSystem, .kind = Mutation::Kind::kDelete, .key = row_key, .value = {}};
    ASSERT_OK(tables_.Apply({&removed, 1}, false));
  }
}

}  // namespace
}  // namespace hourcell::meta_documents_test
