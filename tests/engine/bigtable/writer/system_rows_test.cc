#include "engine/bigtable/writer/system_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "engine/bigtable/rows/stored_row.h"
#include "tests/support/status_matchers.h"

namespace hourcell::system_rows_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

TEST(SystemRowsTest, TheActiveNodeAsBytes) {
  const ActiveNode node{.writer = 258, .heartbeat = 3, .has_left = true, .address = "h:1"};
  const std::string value = EncodeActiveNode(node);
  EXPECT_EQ(ToHex(value), "0000000000000102000000000000000301683a31");
  EXPECT_THAT(DecodeActiveNode(value), IsOkAndHolds(node));
  EXPECT_THAT(DecodeActiveNode("short"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("expected 17 bytes or more, got 5")));
}

TEST(SystemRowsTest, AWaitingNodeAsBytes) {
  const WaitingNode node{.heartbeat = 258, .address = "h:1"};
  const std::string value = EncodeWaitingNode(node);
  EXPECT_EQ(ToHex(value), "0000000000000102683a31");
  EXPECT_THAT(DecodeWaitingNode(value), IsOkAndHolds(node));
  EXPECT_THAT(DecodeWaitingNode("short"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("expected 8 bytes or more, got 5")));
}

TEST(SystemRowsTest, NodesAreARange) {
  EXPECT_EQ(NodeRow(0x2a), "node/000000000000002a");
  EXPECT_LE(NodeRows().begin, NodeRow(0));
  EXPECT_GT(NodeRows().end, NodeRow(~uint64_t{0}));
}

TEST(SystemRowsTest, AMarkOfAnAdoptionComesBack) {
  const AdoptionMark mark = {.next = std::string("a\0b", 3), .rows = 0x0102, .points = 7};
  EXPECT_EQ(ToHex(EncodeAdoptionMark(mark)), "2e00000000000001020000000000000007610062");
  EXPECT_THAT(DecodeAdoptionMark(EncodeAdoptionMark(mark)), IsOkAndHolds(mark));
  const AdoptionMark done = {.is_done = true};
  EXPECT_EQ(EncodeAdoptionMark(done).substr(0, 1), "!");
  EXPECT_THAT(DecodeAdoptionMark(EncodeAdoptionMark(done)), IsOkAndHolds(done));
  EXPECT_THAT(DecodeAdoptionMark("!short"), StatusIs(StatusCode::kDataLoss));
}

TEST(SystemRowsTest, ClaimsAreInTheOrderOfTheirChunks) {
  EXPECT_LT(IdRangeRow("tagv", 255), IdRangeRow("tagv", 256));
  EXPECT_EQ(ToHex(IdRangeRow("m", 1)), "636c61696d2f6d2f0000000000000001");
}

TEST(SystemRowsTest, AClaimSaysHowManyChunksItHas) {
  EXPECT_EQ(ToHex(EncodeIdRange({.owner = 7})), "0000000000000007");
  EXPECT_EQ(ToHex(EncodeIdRange({.owner = 7, .chunks = 258})), "00000000000000070000000000000102");
  for (const uint64_t chunks : {1U, 2U, 1000U}) {
    const IdRange claim = {.owner = 9, .chunks = chunks};
    EXPECT_THAT(DecodeIdRange(EncodeIdRange(claim)), IsOkAndHolds(claim));
  }
  EXPECT_THAT(DecodeIdRange("short"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("with more than 1 chunk, got 5")));
  EXPECT_THAT(DecodeIdRange(EncodeNumber(7) + EncodeNumber(0)), StatusIs(StatusCode::kDataLoss));
}

TEST(SystemRowsTest, VersionsOfALaterWriterAreGreater) {
  EXPECT_LT(FirstVersionOf(7) + kVersionsPerWriter - 1, FirstVersionOf(8));
  EXPECT_LE(FirstVersionOf((1U << 19) - 1), kVersionMax);
}

TEST(SystemRowsTest, NumbersHaveEightBytes) {
  EXPECT_THAT(DecodeNumber(EncodeNumber(77), "it"), IsOkAndHolds(77U));
  EXPECT_THAT(DecodeNumber("abc", "it"), StatusIs(StatusCode::kDataLoss, HasSubstr("got 3")));
}

}  // namespace
}  // namespace hourcell::system_rows_test
