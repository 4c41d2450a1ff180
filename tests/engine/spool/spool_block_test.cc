#include "engine/spool/spool_block.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell::spool_block_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::string BlockOf(std::vector<OwnedPoint> points, const SpoolBlockHeader& header) {
  std::string block(kSpoolBlockHeaderBytes, '\0');
  std::vector<PointView> views;
  for (OwnedPoint& point : points)
    views.push_back(point.view());
  AppendSpooledPoints(views, &block);
  SetSpoolBlockHeader(header, /*has_via=*/false, &block);
  return block;
}

TEST(SpoolBlockTest, HasTheseBytes) {
  std::vector<OwnedPoint> points;
  points.emplace_back("m", "h=a", Timestamp{.ms = 5000}, Value::Integer(-1));
  points.emplace_back("m", "h=a", Timestamp{.ms = 5001, .is_ms = true}, Value::Float(0.5));
  points.emplace_back("n", "h=a", Timestamp{.ms = 5000}, Value::Integer(1));

  const std::string block =
      BlockOf(std::move(points), {.points_before = 7, .points = 3, .time_ms = 1000});

  EXPECT_EQ(ToHex(block),
            "01"
            "0000000000000007"
            "00000003"
            "00000000000003e8"
            "00"
            "016d"
            "01"
            "0168"
            "0161"
            "05"
            "01"
            "0f"
            "8927"
            "3fe0000000000000"
            "08"
            "016e"
            "05"
            "02");
}

TEST(SpoolBlockTest, PointsComeBackExactly) {
  std::vector<OwnedPoint> points;
  points.emplace_back("a", "h=1 k=2", Timestamp{.ms = 0}, Value::Integer(INT64_MIN));
  points.emplace_back("a", "h=1", Timestamp{.ms = 1'356'998'400'123, .is_ms = true},
                      Value::Float(-0.0));
  points.emplace_back("b", "h=1", Timestamp{.ms = 1'356'998'400'000, .is_ms = true},
                      Value::Float(4.2e300));
  points.emplace_back("b", "k=\xC3\xA4", Timestamp{.ms = 3000}, Value::Integer(INT64_MAX));
  std::vector<OwnedPoint> want = points;
  const std::string block = BlockOf(std::move(points), {.points = 4});

  SpooledPoints found;
  ASSERT_OK(DecodeSpoolBlock(block, &found));

  ASSERT_THAT(found.points, SizeIs(want.size()));
  for (size_t i = 0; i < want.size(); ++i) {
    const PointView view = want[i].view();
    EXPECT_EQ(found.points[i].metric, view.metric);
    EXPECT_TRUE(std::ranges::equal(found.points[i].tags, view.tags));
    EXPECT_EQ(found.points[i].timestamp, view.timestamp);
    EXPECT_EQ(found.points[i].value, view.value);
  }
}

TEST(SpoolBlockTest, EveryCutIsDamage) {
  std::vector<OwnedPoint> points;
  points.emplace_back("metric", "host=a", Timestamp{.ms = 5000}, Value::Float(0.5));
  const std::string block = BlockOf(std::move(points), {.points = 1});
  for (size_t size = 0; size < block.size(); ++size) {
    SpooledPoints found;
    EXPECT_THAT(DecodeSpoolBlock(std::string_view(block).substr(0, size), &found),
                StatusIs(absl::StatusCode::kDataLoss))
        << size;
  }
}

TEST(SpoolBlockTest, RefusesWhatNoWriterWrites) {
  const auto fault = [](const std::string& hex) {
    SpooledPoints found;
    return std::string(DecodeSpoolBlock(*FromHex(hex), &found).message());
  };
  const std::string header = "010000000000000000000000010000000000000000";
  EXPECT_THAT(fault("05" + header.substr(2)), HasSubstr("expected 1 to 4, got version 5"));
  EXPECT_THAT(fault("00" + header.substr(2)), HasSubstr("expected 1 to 4, got version 0"));
  EXPECT_THAT(fault("03" + header.substr(2) + "12016d000100"), HasSubstr("flags 0x12"));
  EXPECT_THAT(fault("03" + header.substr(2) + "10016d000100"), HasSubstr("has no bytes"));
  EXPECT_THAT(fault("03" + header.substr(2) + "10016d000102aa"), HasSubstr("cut short"));
  for (const char* const via : {"00",
                                "02"
                                "3031",
                                "7f", ""})
    EXPECT_THAT(fault("02" + header.substr(2) + via), Not(HasSubstr("header"))) << via;
  EXPECT_THAT(fault(header + "10016d0001"
                             "02"),
              HasSubstr("flags 0x10"));
  EXPECT_THAT(fault(header + "04000102"), HasSubstr("flags 0x4"));
  EXPECT_THAT(fault(header + "00016dff01"), HasSubstr("has 255 tags"));
  EXPECT_THAT(fault(header + "00016d00ffffffffffffffff7f02"), HasSubstr("has time"));
  EXPECT_THAT(fault(header + "02016d00017ff0000000000000"), HasSubstr("not finite"));
  EXPECT_THAT(fault(header), HasSubstr("has 0 points; its header says 1"));
}

TEST(SpoolBlockTest, ServersThatForwardedStandInFrontOfThePoints) {
  const std::string id = "0123456789abcdef";
  std::string block(kSpoolBlockHeaderBytes, '\0');
  AppendSpoolVia(id, &block);
  OwnedPoint point("m", "k=v", 1, 3);
  const PointView view = point.view();
  AppendSpooledPoints({&view, 1}, &block);
  SetSpoolBlockHeader({.points_before = 2, .points = 1, .time_ms = 5}, /*has_via=*/true, &block);

  EXPECT_EQ(ToHex(block),
            "020000000000000002000000010000000000000005"
            "1030313233343536373839616263646566"
            "00016d01016b01760106");
  EXPECT_EQ(SpoolViaOf(block), id);
  SpooledPoints found;
  EXPECT_OK(DecodeSpoolBlock(block, &found));
  EXPECT_EQ(found.points.size(), 1u);
  EXPECT_EQ(SpoolViaOf("\x01" + block.substr(1)), "");
}

TEST(SpoolBlockTest, HistogramsAreAmongThePoints) {
  for (const std::string via : {"", "0123456789abcdef"}) {
    std::string block(kSpoolBlockHeaderBytes, '\0');
    AppendSpoolVia(via, &block);
    OwnedPoint point("m", "k=v", 1, 3);
    const PointView views[] = {point.view(), point.view(), point.view()};
    const std::string_view cells[] = {"", "*abc", "*d"};
    AppendSpooledPoints(views, &block, cells);
    SetSpoolBlockHeader({.points = 3, .time_ms = 5, .has_histograms = true}, !via.empty(), &block);

    EXPECT_EQ(ToHex(block), std::string(via.empty() ? "03" : "04") +
                                "0000000000000000000000030000000000000005" +
                                (via.empty() ? "" : "1030313233343536373839616263646566") +
                                "00016d01016b01760106" + "1c01042a616263" + "1c01022a64");
    EXPECT_EQ(SpoolViaOf(block), via);
    EXPECT_TRUE(DecodeSpoolBlockHeader(block)->has_histograms);
    SpooledPoints found;
    EXPECT_OK(DecodeSpoolBlock(block, &found));
    EXPECT_EQ(found.points.size(), 3u);
    EXPECT_THAT(found.cells, testing::ElementsAreArray(cells));
    EXPECT_EQ(found.points[0].value, Value::Integer(3));
  }
}

TEST(SpoolBlockTest, IdsOfServersAreSixteenDigits) {
  const std::string id = "0123456789abcdef";
  std::string most = id;
  for (int i = 1; i < 16; ++i)
    most += ',' + id;
  for (const std::string& via : {std::string(), id, id + ',' + id, most})
    EXPECT_TRUE(IsVia(via)) << via;
  for (const std::string& via : {id.substr(1), id + ',', id + id, id + ";" + id, most + ',' + id,
                                 std::string("0123456789ABCDEF")}) {
    EXPECT_FALSE(IsVia(via)) << via;
  }
}

TEST(SpoolBlockTest, APositionComesBackOrIsNone) {
  const SpoolPosition position{
      .sequence = 258, .points = 3, .dropped = 2, .dropped_after = 1, .total = 9};
  const std::string bytes = EncodeSpoolPosition(position);
  EXPECT_EQ(ToHex(bytes).substr(0, 80),
            "00000000000001020000000000000003000000000000000200000000000000010000000000000009");
  EXPECT_EQ(DecodeSpoolPosition(bytes), position);

  std::string flipped = bytes;
  flipped[7] = static_cast<char>(flipped[7] ^ 1);
  EXPECT_EQ(DecodeSpoolPosition(flipped), std::nullopt);
  EXPECT_EQ(DecodeSpoolPosition(bytes.substr(1)), std::nullopt);
  EXPECT_EQ(DecodeSpoolPosition(""), std::nullopt);
}

// As earlier versions wrote it.
TEST(SpoolBlockTest, APositionWithoutDroppedPointsIsRead) {
  std::string bytes = EncodeSpoolPosition({.sequence = 258, .points = 3}).substr(0, 16);
  AppendBigEndian(Crc32c(bytes), 4, &bytes);
  EXPECT_EQ(DecodeSpoolPosition(bytes), (SpoolPosition{.sequence = 258, .points = 3, .total = 3}));
}

}  // namespace
}  // namespace hourcell::spool_block_test
