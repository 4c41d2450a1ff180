#include "server/put/put_writer.h"

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::put_writer_test {
namespace {

class PutWriterTest : public ApiTest {
 protected:
  uint64_t Errors(const std::string& reason) {
    return tsdb().stats().counter("rpc.put.errors", {{"reason", reason}})->value();
  }
};

TEST_F(PutWriterTest, WritesPointsOfBothForms) {
  const PutWriter writer(&tsdb(), nullptr);
  const std::array<TagView, 1> tags = {{{"host", "a"}}};
  const std::array<PointView, 1> parts = {
      {{.metric = "m", .tags = tags, .timestamp = {.ms = kStartS * 1000}, .value = {}}}};
  const std::array<LinePoint, 2> lines = {
      {{.metric = "m", .tags = "host=b", .timestamp = {.ms = kStartS * 1000}, .value = {}},
       {.metric = "m", .tags = "", .timestamp = {.ms = kStartS * 1000}, .value = {}}}};
  std::vector<RefusedPoint> refused;

  EXPECT_OK(writer.Append(parts, &refused, {.may_wait = true}).Wait());
  EXPECT_THAT(refused, testing::IsEmpty());
  EXPECT_OK(writer.Append(lines, &refused, {.may_wait = true}).Wait());
  ASSERT_THAT(refused, testing::SizeIs(1));
  EXPECT_EQ(refused[0].index, 1U);
}

TEST_F(PutWriterTest, WaitsOnlyWhereItMay) {
  AppendOptions last;
  const PutWriter writer(&tsdb(),
                         [&last](size_t, std::vector<RefusedPoint>*, const AppendOptions& options) {
                           last = options;
                           return CommitTicket(absl::OkStatus());
                         });
  const std::array<LinePoint, 1> points{};

  writer.Append(points, nullptr, {.sync = true, .may_wait = false});
  EXPECT_TRUE(last.sync);
  EXPECT_TRUE(last.all_or_none);
  EXPECT_EQ(last.wait_ms, 0);
  writer.Append(points, nullptr, {.may_wait = true});
  EXPECT_FALSE(last.sync);
  EXPECT_FALSE(last.all_or_none);
  EXPECT_EQ(last.wait_ms, 1000);
}

TEST_F(PutWriterTest, CountsWhatBecameOfPoints) {
  const PutWriter writer(&tsdb(), nullptr);
  writer.CountAcknowledged(5);
  writer.CountLate(2);
  writer.CountRefused(PointErrorKind::kUnknownName, 1);
  writer.CountFailed(absl::ResourceExhaustedError("full"), 3);
  writer.CountFailed(absl::PermissionDeniedError("no"), 4);
  writer.CountFailed(absl::DataLossError("broken"), 6);

  EXPECT_EQ(tsdb().stats().counter("rpc.put.points")->value(), 5U);
  EXPECT_EQ(Errors("timeout"), 2U);
  EXPECT_EQ(Errors("unknown_name"), 1U);
  EXPECT_EQ(Errors("throttled"), 3U);
  EXPECT_EQ(Errors("illegal_argument"), 4U);
  EXPECT_EQ(Errors("storage"), 6U);
}

TEST_F(PutWriterTest, SaysWhatARefusalMeans) {
  EXPECT_EQ(RefusalText({.kind = PointErrorKind::kIllegalArgument, .text = "x"}), "x");
  EXPECT_EQ(RefusalText({.kind = PointErrorKind::kThrottled, .text = "x"}), "Please throttle");
  EXPECT_EQ(RefusalText({.kind = PointErrorKind::kStorage, .text = "x"}), "Storage exception: x");
}

}  // namespace
}  // namespace hourcell::put_writer_test
