#include "engine/bigtable/api/bigtable_client.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/bigtable/bigtable_service.h"
#include "tests/support/status_matchers.h"

namespace hourcell::bigtable_client_test {
namespace {

constexpr absl::StatusCode kUnavailable = absl::StatusCode::kUnavailable;

RowMutations CellRow(const std::string& key, const std::string& value, int cells = 1) {
  RowMutations row;
  row.set_row_key(key);
  for (int i = 0; i < cells; ++i) {
    auto& cell = *row.add_mutations()->mutable_set_cell();
    cell.set_family_name("h");
    cell.set_column_qualifier(fmt::format("q{}", i));
    cell.set_timestamp_micros(1000);
    cell.set_value(value);
  }
  return row;
}

BigtableOptions OptionsAt(const std::string& address) {
  BigtableOptions options;
  options.project = "project";
  options.instance = "instance";
  options.retry_first_ms = 1;
  options.retry_max_ms = 2;
  return AtEmulator(options, address);
}

std::unique_ptr<BigtableClient> ClientWith(const BigtableOptions& options) {
  const absl::StatusOr<BigtableChannels> channels = OpenBigtableChannels(options);
  EXPECT_OK(channels);
  return std::make_unique<BigtableClient>(options, *channels);
}

std::vector<RowMutations> RowsTo(int count) {
  std::vector<RowMutations> rows;
  for (int i = 0; i < count; ++i)
    rows.push_back(CellRow(fmt::format("row-{:03}", i), "value"));
  return rows;
}

// Each test has a separate table.
class BigtableClientServiceTest : public testing::TestWithParam<BigtableService> {
 protected:
  void SetUp() override {
    if (GetParam() == BigtableService::kGooglesEmulator) {
      HOURCELL_WANT_EMULATOR();
    } else {
      fake_ = std::make_unique<FakeBigtable>();
    }
    options_ = OptionsAt(fake_ != nullptr ? fake_->address() : SharedGoogleEmulator().address());
    ASSERT_OK(Client()->CreateTable(table_, "h"));
  }

  std::unique_ptr<BigtableClient> Client() { return ClientWith(options_); }
  void PutRows(int count) { ASSERT_OK(Client()->Mutate(table_, RowsTo(count))); }

  std::unique_ptr<FakeBigtable> fake_;
  BigtableOptions options_;
  const std::string table_ = FreshTablePrefix();
};

INSTANTIATE_TEST_SUITE_P(OnEach,
                         BigtableClientServiceTest,
                         testing::Values(BigtableService::kFake, BigtableService::kGooglesEmulator),
                         NameOfService);

TEST_P(BigtableClientServiceTest, ReadsKeysAndRangesInBothDirections) {
  PutRows(10);
  const auto keys_of = [&](const ReadSelection& selection) {
    std::vector<std::string> keys;
    const absl::StatusOr<BigtablePage> page = Client()->Read(table_, selection);
    EXPECT_OK(page);
    if (!page.ok()) return keys;
    for (const BigtableRow& row : page->rows)
      keys.push_back(row.key);
    return keys;
  };
  using testing::ElementsAre;

  EXPECT_THAT(keys_of({.keys = {"row-001", "row-007", "x"}}), ElementsAre("row-001", "row-007"));
  EXPECT_THAT(keys_of({.range = {.begin = "row-003", .end = "row-005"}}),
              ElementsAre("row-003", "row-004"));
  EXPECT_THAT(keys_of({.range = {.begin = "row-007", .end = ""}, .reversed = true}),
              ElementsAre("row-009", "row-008", "row-007"));
  EXPECT_THAT(keys_of({.range = {.begin = "b", .end = "a"}}), ElementsAre());
}

// gRPC refuses messages above 4 MiB by default.
TEST_P(BigtableClientServiceTest, LongValuesAreWrittenAndRead) {
  const std::string value(5 << 20, 'v');
  ASSERT_OK(Client()->Mutate(table_, {CellRow("a", value)}));

  const absl::StatusOr<BigtablePage> page = Client()->Read(table_, {.keys = {"a"}});

  ASSERT_OK(page);
  EXPECT_EQ(page->rows.at(0).cells.at(0).value, value);
}

TEST_P(BigtableClientServiceTest, ARowIsSetOnce) {
  EXPECT_THAT(Client()->SetIfAbsent(table_, CellRow("a", "1")), IsOkAndHolds(true));
  EXPECT_THAT(Client()->SetIfAbsent(table_, CellRow("a", "2")), IsOkAndHolds(false));

  const absl::StatusOr<BigtablePage> page = Client()->Read(table_, {});
  ASSERT_OK(page);
  ASSERT_EQ(page->rows.size(), 1u);
  EXPECT_EQ(page->rows[0].cells.at(0).value, "1");
}

TEST_P(BigtableClientServiceTest, CountersGoUp) {
  EXPECT_THAT(Client()->Increment(table_, "n", "h", 10), IsOkAndHolds(10u));
  EXPECT_THAT(Client()->Increment(table_, "n", "h", 5), IsOkAndHolds(15u));
}

// The emulator draws where they end.
TEST_P(BigtableClientServiceTest, TabletsOfATable) {
  PutRows(300);
  absl::StatusOr<std::vector<TabletEnd>> samples = Client()->SampleKeys(table_);

  ASSERT_OK(samples);
  EXPECT_GT(samples->size(), 1u);
  EXPECT_EQ(samples->back().key, "");
  EXPECT_GT(samples->back().offset_bytes, 0);
  EXPECT_TRUE(std::ranges::is_sorted(*samples, {}, &TabletEnd::offset_bytes));
  samples->pop_back();
  EXPECT_TRUE(std::ranges::is_sorted(*samples, {}, &TabletEnd::key));
}

TEST_P(BigtableClientServiceTest, ATableThatIsThereIsNotMadeAgain) {
  PutRows(1);

  EXPECT_OK(Client()->CreateTable(table_, "h"));

  const absl::StatusOr<BigtablePage> page = Client()->Read(table_, {});
  ASSERT_OK(page);
  EXPECT_EQ(page->rows.size(), 1u);
}

// A page that is full ends the read.
TEST_P(BigtableClientServiceTest, PagesOfRowsGoOnInBothDirections) {
  PutRows(10);
  options_.page_rows = 4;
  const auto last_key_of = [&](const ReadSelection& selection) {
    const absl::StatusOr<BigtablePage> page = Client()->Read(table_, selection);
    EXPECT_OK(page);
    if (!page.ok()) return std::string();
    EXPECT_FALSE(page->is_complete);
    EXPECT_EQ(page->rows.size(), 4u);
    return page->rows.back().key;
  };
  EXPECT_EQ(last_key_of({}), "row-003");
  EXPECT_EQ(last_key_of({.range = {.begin = "row-004", .end = ""}}), "row-007");
  EXPECT_EQ(last_key_of({.reversed = true}), "row-006");
  EXPECT_EQ(last_key_of({.range = {.begin = "", .end = "row-006"}, .reversed = true}), "row-002");
}

class BigtableClientTest : public testing::Test {
 protected:
  BigtableClientTest() { EXPECT_OK(Client()->CreateTable("t", "h")); }

  // With the options as they are now.
  std::unique_ptr<BigtableClient> Client() { return ClientWith(options_); }
  void PutRows(int count) { ASSERT_OK(Client()->Mutate("t", RowsTo(count))); }

  FakeBigtable fake_;
  BigtableOptions options_ = OptionsAt(fake_.address());
};

TEST_F(BigtableClientTest, AReadGoesOnWhereItsStreamWasCut) {
  PutRows(50);
  fake_.SetFaults({.cut_streams = 0.5, .resets = 0.5, .chunk_bytes = 2, .chunks_per_message = 3});

  const absl::StatusOr<BigtablePage> page = Client()->Read("t", {});

  ASSERT_OK(page);
  EXPECT_TRUE(page->is_complete);
  ASSERT_EQ(page->rows.size(), 50u);
  for (size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(page->rows[i].key, fmt::format("row-{:03}", i));
    EXPECT_EQ(page->rows[i].cells.at(0).value, "value");
  }
}

TEST_F(BigtableClientTest, APageEndsWithItsRowsOrItsBytes) {
  PutRows(20);
  options_.page_rows = 7;
  absl::StatusOr<BigtablePage> page = Client()->Read("t", {});
  ASSERT_OK(page);
  EXPECT_EQ(page->rows.size(), 7u);
  EXPECT_FALSE(page->is_complete);

  options_.page_rows = 4096;
  options_.page_bytes = 60;
  fake_.SetFaults({.chunks_per_message = 1});
  page = Client()->Read("t", {});
  ASSERT_OK(page);
  EXPECT_EQ(page->rows.size(), 5u);  // of 14 bytes each
  EXPECT_FALSE(page->is_complete);
}

TEST_F(BigtableClientTest, OnlyRowsThatWereRefusedAreWrittenAgain) {
  fake_.SetFaults({.partial = 1});
  const int before = fake_.calls()->mutate_rows;

  PutRows(100);

  EXPECT_EQ(fake_.TableOf("t").size(), 100u);
  // Each call writes about half of the rest.
  EXPECT_GT(fake_.calls()->mutate_rows - before, 2);
  EXPECT_LT(fake_.calls()->mutate_rows - before, 40);
}

TEST_F(BigtableClientTest, ARefusalThatNoRepetitionHelpsIsToldAtOnce) {
  RowMutations wrong = CellRow("b", "v");
  wrong.mutable_mutations(0)->mutable_set_cell()->set_family_name("other");
  const int before = fake_.calls()->mutate_rows;

  EXPECT_THAT(Client()->Mutate("t", {CellRow("a", "v"), wrong}),
              StatusIs(absl::StatusCode::kInvalidArgument));

  EXPECT_EQ(fake_.calls()->mutate_rows - before, 1);
}

TEST_F(BigtableClientTest, MoreMutationsThanACallMayHaveAreSeveralCalls) {
  std::vector<RowMutations> rows;
  for (int i = 0; i < 101; ++i)
    rows.push_back(CellRow(fmt::format("row-{}", i), "", /*cells=*/1000));
  const int before = fake_.calls()->mutate_rows;

  ASSERT_OK(Client()->Mutate("t", std::move(rows)));

  EXPECT_EQ(fake_.calls()->mutate_rows - before, 2);
  EXPECT_EQ(fake_.TableOf("t").size(), 101u);
}

TEST_F(BigtableClientTest, ASetIfAbsentWithoutAnAnswerIsNotRepeated) {
  fake_.SetFaults({.unanswered = 1});

  EXPECT_THAT(Client()->SetIfAbsent("t", CellRow("a", "1")), StatusIs(kUnavailable));

  EXPECT_EQ(fake_.calls()->check_and_mutate, 1);
  EXPECT_TRUE(fake_.TableOf("t").contains("a"));
}

TEST_F(BigtableClientTest, AServiceThatIsAwayIsUnavailable) {
  options_.call_timeout_ms = 20;
  fake_.SetFaults({.refused = 1});
  const std::unique_ptr<BigtableClient> client = Client();

  EXPECT_THAT(client->Read("t", {}), StatusIs(kUnavailable));
  EXPECT_THAT(client->Mutate("t", {CellRow("a", "v")}), StatusIs(kUnavailable));
  EXPECT_THAT(client->Increment("t", "n", "h", 1), StatusIs(kUnavailable));
  EXPECT_THAT(client->SampleKeys("t"), StatusIs(kUnavailable));
  EXPECT_GT(fake_.calls()->read_rows, 1);
}

// The service returns RESOURCE_EXHAUSTED when a client should slow down.
TEST_F(BigtableClientTest, AServiceThatIsFullIsAskedAgainLater) {
  fake_.SetFaults({.refused_as = grpc::StatusCode::RESOURCE_EXHAUSTED});
  fake_.RefuseMutateRows(/*skipped=*/0, /*count=*/3);
  ASSERT_OK(Client()->Mutate("t", {CellRow("a", "v")}));
  EXPECT_EQ(fake_.calls()->mutate_rows, 4);

  options_.call_timeout_ms = 20;
  fake_.SetFaults({.refused = 1, .refused_as = grpc::StatusCode::RESOURCE_EXHAUSTED});
  EXPECT_THAT(Client()->Mutate("t", {CellRow("a", "v")}), StatusIs(kUnavailable));
  EXPECT_THAT(Client()->Read("t", {}), StatusIs(kUnavailable));
}

// The test server has the service's limits, too, so that no test passes with requests that the
// service refuses.
TEST_F(BigtableClientTest, WhatIsBeyondTheLimitsOfTheServiceIsRefused) {
  PutRows(1);
  fake_.SetLimits({.mutations_max = 2});
  EXPECT_OK(Client()->Mutate("t", {CellRow("a", "v", 2)}));
  EXPECT_THAT(Client()->Mutate("t", {CellRow("a", "v"), CellRow("b", "v", 2)}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  fake_.SetLimits({.key_bytes_max = 2});
  EXPECT_THAT(Client()->Mutate("t", {CellRow("abc", "v")}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  fake_.SetLimits({.filter_bytes_max = 1});
  ReadSelection selection;
  selection.filter.set_cells_per_column_limit_filter(1);
  EXPECT_THAT(Client()->Read("t", selection), StatusIs(absl::StatusCode::kInvalidArgument));
  fake_.SetLimits({.row_bytes_max = 4});
  EXPECT_THAT(Client()->Read("t", {}), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(BigtableClientTest, NobodyAtTheEndpointIsUnavailable) {
  options_ = AtEmulator(options_, "127.0.0.1:1");
  options_.call_timeout_ms = 20;

  EXPECT_THAT(Client()->Read("t", {}), StatusIs(kUnavailable));
}

TEST_F(BigtableClientTest, AnAttemptHasADeadline) {
  options_.attempt_timeout_ms = 5;
  options_.call_timeout_ms = 20;
  fake_.SetFaults({.latency_ms = 50});

  EXPECT_THAT(Client()->Read("t", {}), StatusIs(kUnavailable));
  EXPECT_THAT(Client()->Mutate("t", {CellRow("a", "v")}), StatusIs(kUnavailable));
}

TEST_F(BigtableClientTest, ATableThatIsNotThereIsNotFound) {
  EXPECT_THAT(Client()->Read("other", {}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Client()->Mutate("other", {CellRow("a", "v")}),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(BigtableClientTest, AFamilyIsAddedOnceAndCellsSayOfWhichTheyAre) {
  const auto put = [&] {
    RowMutations row = CellRow("a", "v");
    row.mutable_mutations(0)->mutable_set_cell()->set_family_name("t");
    return Client()->Mutate("t", {row});
  };
  EXPECT_THAT(put(), StatusIs(absl::StatusCode::kInvalidArgument));

  EXPECT_OK(Client()->AddFamily("t", "t"));
  EXPECT_OK(Client()->AddFamily("t", "t"));
  EXPECT_THAT(Client()->AddFamily("other", "t"), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK(put());
  ASSERT_OK(Client()->Mutate("t", {CellRow("a", "v")}));

  const auto page = Client()->Read("t", {});
  ASSERT_OK(page);
  ASSERT_EQ(page->rows.size(), 1u);
  ASSERT_EQ(page->rows[0].cells.size(), 2u);
  EXPECT_EQ(page->rows[0].cells[0].family, "h");
  EXPECT_EQ(page->rows[0].cells[1].family, "t");
}

TEST_F(BigtableClientTest, ACallSaysForWhichTableItIs) {
  options_.app_profile = "batch";

  ASSERT_OK(Client()->Read("t", {}));

  EXPECT_EQ(fake_.last_routing(),
            "table_name=projects%2Fproject%2Finstances%2Finstance%2Ftables%2Ft"
            "&app_profile_id=batch");
}

TEST_F(BigtableClientTest, LimitsAreCheckedBeforeACall) {
  ReadSelection selection;
  while (selection.filter.ByteSizeLong() <= (20 << 10))
    selection.filter.mutable_chain()->add_filters()->set_strip_value_transformer(true);

  EXPECT_THAT(Client()->Read("t", selection), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Client()->Mutate("t", {CellRow("", "v")}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(fake_.calls()->read_rows, 0);
}

}  // namespace
}  // namespace hourcell::bigtable_client_test
