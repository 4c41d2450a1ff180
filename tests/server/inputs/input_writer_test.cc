#include "server/inputs/input_writer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"
#include "tests/support/late_commits.h"

namespace hourcell::input_writer_test {
namespace {

class InputWriterTest : public ApiTest {
 protected:
  // A writer with a store that the test controls.
  const PutWriter& put() {
    if (!put_) {
      put_ = std::make_unique<PutWriter>(
          &tsdb(),
          [this](size_t points, std::vector<RefusedPoint>* refused, const AppendOptions& options) {
            batches_.push_back(points);
            items_.assign(options.items.begin(), options.items.end());
            *refused = std::exchange(refused_, {});
            const absl::Status status = statuses_.empty() ? absl::OkStatus() : TakeStatus();
            if (!status.ok()) return CommitTicket(status);
            const size_t expired = std::exchange(expired_, 0);
            left_out_ += expired;
            const size_t placed = points - refused->size() - expired;
            return placed == 0 ? CommitTicket() : commits_.Take(placed);
          });
    }
    return *put_;
  }

  // Points that were acknowledged to a client are in the journal.
  void TearDown() override {
    EXPECT_LE(tsdb().stats().counter("rpc.put.points")->value(),
              commits_.written_points() + left_out_);
    ApiTest::TearDown();
  }

  absl::Status TakeStatus() {
    absl::Status status = statuses_.front();
    statuses_.erase(statuses_.begin());
    return status;
  }

  static void Add(InputWriter* writer, size_t points, size_t item = 1) {
    for (size_t i = 0; i < points; ++i)
      writer->batch()->Add({.metric = "m", .tags = "\1a\1b", .timestamp = {}, .value = {}}, item);
  }

  uint64_t Errors(const std::string& reason) {
    return tsdb().stats().counter("rpc.put.errors", {{"reason", reason}})->value();
  }

  std::vector<size_t> batches_;  // points of each that the store got
  std::vector<size_t> items_;    // of the points of the last one
  std::vector<absl::Status> statuses_;
  std::vector<RefusedPoint> refused_;  // of the next batch
  size_t expired_ = 0;                 // points of the next batch that are left out
  size_t left_out_ = 0;                // expired points of all batches
  LateCommits commits_;

 private:
  std::unique_ptr<PutWriter> put_;
};

TEST_F(InputWriterTest, WritesABatchAndCounts) {
  InputWriter writer(&put(), /*may_wait=*/false);
  Add(&writer, 3);
  EXPECT_TRUE(writer.HasRoom());
  writer.Finish();

  EXPECT_EQ(writer.status(), 204);
  EXPECT_EQ(writer.written(), 3U);
  EXPECT_THAT(batches_, testing::ElementsAre(3U));
  EXPECT_EQ(tsdb().stats().counter("rpc.put.points")->value(), 3U);
}

TEST_F(InputWriterTest, NothingIsWellDone) {
  InputWriter writer(&put(), /*may_wait=*/false);
  writer.Finish();

  EXPECT_EQ(writer.status(), 204);
  EXPECT_THAT(batches_, testing::IsEmpty());
}

TEST_F(InputWriterTest, MoreThanABatchIsLeftToAThreadThatMayWait) {
  InputWriter hasty(&put(), /*may_wait=*/false);
  Add(&hasty, kBatchPoints);
  EXPECT_FALSE(hasty.HasRoom());
  hasty.Finish();
  EXPECT_TRUE(hasty.must_wait());
  EXPECT_THAT(batches_, testing::IsEmpty());
  EXPECT_TRUE(AnswerWhereItMayWait().must_wait);

  hasty.batch()->Clear();
  InputWriter writer(&put(), /*may_wait=*/true);
  Add(&writer, kBatchPoints);
  EXPECT_TRUE(writer.HasRoom());
  Add(&writer, 1);
  writer.Finish();
  EXPECT_EQ(writer.status(), 204);
  EXPECT_EQ(writer.written(), kBatchPoints + 1);
  EXPECT_THAT(batches_, testing::ElementsAre(kBatchPoints, 1U));
}

TEST_F(InputWriterTest, NewSeriesAreLeftToAThreadThatMayWait) {
  statuses_ = {absl::AbortedError("others are being created")};
  InputWriter writer(&put(), /*may_wait=*/false);
  Add(&writer, 1);
  writer.Finish();

  EXPECT_TRUE(writer.must_wait());
  EXPECT_EQ(Errors("throttled"), 0U);
}

TEST_F(InputWriterTest, NamesTheFaultsByTheirItem) {
  refused_ = {{.index = 0, .error = {.kind = PointErrorKind::kIllegalArgument, .text = "no tag"}},
              {.index = 1, .error = {.kind = PointErrorKind::kIllegalArgument, .text = "no tag"}}};
  InputWriter writer(&put(), /*may_wait=*/false);
  writer.Refuse(7, "expected y, got x");
  Add(&writer, 2, 3);
  Add(&writer, 2, 9);
  writer.Finish();

  EXPECT_EQ(writer.status(), 400);
  EXPECT_EQ(writer.FaultText("line"),
            "line 3: no tag\nline 7: expected y, got x\n1 line refused, 2 points refused, 2 points "
            "written");
  EXPECT_EQ(writer.FaultText("series").find("1 series refused"),
            writer.FaultText("series").find("1 series"));
  EXPECT_EQ(Errors("illegal_argument"), 3U);
}

TEST_F(InputWriterTest, AWholeItemIsRefusedAsOne) {
  InputWriter writer(&put(), /*may_wait=*/false);
  writer.KeepItemsWhole();
  writer.Refuse(7, "expected y, got x");
  Add(&writer, 2, 3);
  Add(&writer, 2, 9);
  refused_ = {{.index = 0, .error = {.kind = PointErrorKind::kUnknownName, .text = "m"}},
              {.index = 1, .error = {.kind = PointErrorKind::kUnknownName, .text = "m"}}};
  writer.Finish();

  EXPECT_THAT(items_, testing::ElementsAre(3U, 3U, 9U, 9U));
  EXPECT_EQ(writer.refused(), 2U);
  EXPECT_EQ(writer.items_wrong(), 2U);
  EXPECT_THAT(writer.FaultText("line"),
              testing::HasSubstr("2 lines refused, 0 points refused, 2 points written"));
  EXPECT_EQ(Errors("unknown_name"), 2U);
}

TEST_F(InputWriterTest, NamesAFewOfManyFaults) {
  InputWriter writer(&put(), /*may_wait=*/false);
  for (size_t line = 1; line <= 1000; ++line)
    writer.Refuse(line, "bad");
  writer.Finish();

  EXPECT_THAT(writer.FaultText("line"), testing::HasSubstr("line 10: bad\n1000 lines refused"));
}

// For example, series with NaN samples only.
TEST_F(InputWriterTest, NamesWithoutPointsAreNotKept) {
  InputWriter writer(&put(), /*may_wait=*/false);
  for (int item = 0; item < 3; ++item) {
    EXPECT_TRUE(writer.HasRoom());
    char* const begin = writer.batch()->Reserve(kBatchTextBytes);
    writer.batch()->Keep(begin, std::fill_n(begin, kBatchTextBytes, 'x'));
    EXPECT_TRUE(writer.batch()->is_full());
  }
  EXPECT_TRUE(writer.HasRoom());
  EXPECT_FALSE(writer.batch()->is_full());
}

TEST_F(InputWriterTest, WantsNoTextsOfFaultsThatItDoesNotName) {
  InputWriter writer(&put(), /*may_wait=*/false);
  for (size_t line = 1; line < kFaultsNamed; ++line)
    writer.Refuse(line, "bad");
  EXPECT_TRUE(writer.wants_faults());

  writer.Refuse(kFaultsNamed, "bad");

  EXPECT_FALSE(writer.wants_faults());
}

// Items without points count as well: they cost as much.
TEST_F(InputWriterTest, WorkThatHasEndedStoresNoMore) {
  QueryControl control;
  BodyWork work(&control, &clock_, /*deadline_ms=*/0);
  InputWriter writer(&put(), /*may_wait=*/true, /*may_store=*/nullptr, &work);
  Add(&writer, kBatchPoints);
  EXPECT_TRUE(writer.HasRoom());
  Add(&writer, 1);

  control.Cancel();
  size_t items = 0;
  while (items < 10 * kStepsOfALook && writer.HasRoom())
    ++items;
  writer.Finish();

  EXPECT_LE(items, kStepsOfALook);
  EXPECT_EQ(writer.status(), 503);
  EXPECT_TRUE(writer.is_for_later());
  EXPECT_EQ(writer.written(), kBatchPoints) << "what was handed on is acknowledged";
  EXPECT_THAT(batches_, testing::ElementsAre(kBatchPoints));
}

// A body that was not read to its end may be incomplete.
TEST_F(InputWriterTest, WorkThatEndsWhileTheBodyIsCheckedStoresNothing) {
  QueryControl control;
  BodyWork work(&control, &clock_, /*deadline_ms=*/0);
  const auto check = [&] {
    control.Cancel();
    work.Look();
    return true;
  };
  InputWriter writer(&put(), /*may_wait=*/true, check, &work);
  Add(&writer, kBatchPoints);

  EXPECT_FALSE(writer.HasRoom());
  writer.Finish();

  EXPECT_FALSE(writer.may_not_store());
  EXPECT_EQ(writer.status(), 503);
  EXPECT_THAT(batches_, testing::IsEmpty());
}

TEST_F(InputWriterTest, AThrottledPointOutweighsABadOne) {
  refused_ = {{.index = 0, .error = {.kind = PointErrorKind::kThrottled, .text = "later"}},
              {.index = 1, .error = {.kind = PointErrorKind::kStorage, .text = "io"}}};
  InputWriter writer(&put(), /*may_wait=*/true);
  writer.Refuse(1, "bad");
  Add(&writer, 3);
  writer.Finish();

  EXPECT_EQ(writer.status(), 503);
}

TEST_F(InputWriterTest, SaysWhoseFaultAFailureIs) {
  const std::vector<std::pair<absl::Status, int>> cases = {
      {absl::UnavailableError("full"), 503},
      {absl::ResourceExhaustedError("full"), 503},
      {absl::FailedPreconditionError("fsync failed"), 503},
      {absl::DataLossError("no such table"), 500},
      {absl::PermissionDeniedError("not yours"), 403},
      {absl::InvalidArgumentError("unwanted"), 400}};
  for (const auto& [failure, status] : cases) {
    SCOPED_TRACE(failure.ToString());
    statuses_ = {failure};
    InputWriter writer(&put(), /*may_wait=*/true);
    Add(&writer, 2);
    writer.Finish();

    EXPECT_EQ(writer.status(), status);
    EXPECT_EQ(writer.is_for_later(), failure.message() == "full");
    EXPECT_EQ(writer.written(), 0U);
    EXPECT_THAT(writer.FaultText("line"), testing::StartsWith(std::string(failure.message())));
  }
  EXPECT_EQ(Errors("throttled"), 4U);
  EXPECT_EQ(Errors("storage"), 4U);
  EXPECT_EQ(Errors("illegal_argument"), 4U);
}

TEST_F(InputWriterTest, AFailedBatchEndsTheRequest) {
  statuses_ = {absl::OkStatus(), absl::UnavailableError("full")};
  InputWriter writer(&put(), /*may_wait=*/true);
  Add(&writer, kBatchPoints);
  EXPECT_TRUE(writer.HasRoom());
  Add(&writer, kBatchPoints);
  EXPECT_FALSE(writer.HasRoom());
  writer.Finish();

  EXPECT_EQ(writer.status(), 503);
  EXPECT_EQ(writer.written(), kBatchPoints) << "the first batch is acknowledged";
}

// The tail of a request is a batch that the store refuses completely.
TEST_F(InputWriterTest, WaitsForAllBatchesThoughTheLastOneIsExpired) {
  InputWriter writer(&put(), /*may_wait=*/true);
  Add(&writer, kBatchPoints);
  EXPECT_TRUE(writer.HasRoom());
  expired_ = 1;
  Add(&writer, 1);
  writer.Finish();

  EXPECT_EQ(writer.status(), 204);
  EXPECT_EQ(commits_.written_points(), kBatchPoints);
}

TEST_F(InputWriterTest, WaitsForAllBatchesThoughTheLastOneIsRefused) {
  InputWriter writer(&put(), /*may_wait=*/true);
  Add(&writer, kBatchPoints);
  EXPECT_TRUE(writer.HasRoom());
  refused_ = {{.index = 0, .error = {.kind = PointErrorKind::kIllegalArgument, .text = "no tag"}}};
  Add(&writer, 1);
  writer.Finish();

  EXPECT_EQ(writer.status(), 400);
  EXPECT_EQ(writer.written(), kBatchPoints);
  EXPECT_EQ(commits_.written_points(), kBatchPoints);
}

TEST_F(InputWriterTest, AnOlderBatchThatCannotBeWrittenFailsTheRequest) {
  commits_.FailNext(absl::UnavailableError("disk full"));
  InputWriter writer(&put(), /*may_wait=*/true);
  Add(&writer, kBatchPoints);
  EXPECT_TRUE(writer.HasRoom());
  expired_ = 1;
  Add(&writer, 1);
  writer.Finish();

  EXPECT_EQ(writer.status(), 503);
  EXPECT_EQ(writer.written(), 0U);
}

TEST_F(InputWriterTest, CountsItemsOnceHoweverManyOfTheirPointsAreRefused) {
  refused_ = {{.index = 1, .error = {.text = "no"}},
              {.index = 3, .error = {.text = "no"}},
              {.index = 0, .error = {.text = "no"}}};
  InputWriter writer(&put(), /*may_wait=*/true);
  Add(&writer, 2, 1);
  Add(&writer, 2, 2);
  Add(&writer, 1, 3);
  writer.Refuse(4, "bad");
  writer.Finish();

  EXPECT_EQ(writer.items_wrong(), 3U);
  EXPECT_EQ(writer.written(), 2U);
}

TEST_F(InputWriterTest, AsksOnceBeforeAFullBatchWhetherItMayStore) {
  int asked = 0;
  bool may_store = true;
  const auto ask = [&] {
    ++asked;
    return may_store;
  };
  {
    InputWriter writer(&put(), /*may_wait=*/true, ask);
    Add(&writer, 3);
    writer.Finish();
    EXPECT_EQ(asked, 0) << "all of it is here";
  }
  {
    InputWriter writer(&put(), /*may_wait=*/true, ask);
    Add(&writer, kBatchPoints);
    EXPECT_TRUE(writer.HasRoom());
    Add(&writer, kBatchPoints);
    EXPECT_TRUE(writer.HasRoom());
    EXPECT_EQ(asked, 1);
  }
  batches_.clear();
  may_store = false;
  InputWriter writer(&put(), /*may_wait=*/true, ask);
  Add(&writer, kBatchPoints);
  EXPECT_FALSE(writer.HasRoom());
  EXPECT_TRUE(writer.may_not_store());
  EXPECT_THAT(batches_, testing::IsEmpty());
}

}  // namespace
}  // namespace hourcell::input_writer_test
