#include "engine/ingest/point_log.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/random.h"
#include "codec/limits.h"

namespace hourcell {
namespace {

using Event = PointLogReader::Event;

struct Logged {
  SeriesNumber series;
  Timestamp time;
  Value value;
  friend bool operator==(const Logged&, const Logged&) = default;
};

std::string PayloadOf(const PointLogWriter& section) {
  std::string payload(section.has_definitions() ? kPayloadWithDefinitions
                                                : kPayloadWithoutDefinitions);
  return payload.append(section.bytes());
}

// All points of a payload; false if it is damaged.
bool ReadAll(std::string_view payload, std::vector<Logged>* points) {
  PointLogReader reader(payload);
  for (Event event = reader.Next(); event != Event::kEnd; event = reader.Next()) {
    if (event == Event::kDamaged) return false;
    if (event == Event::kPoint) {
      points->push_back({reader.series(), reader.time(), reader.value()});
    }
  }
  return true;
}

std::vector<Logged> RandomPoints(uint64_t seed, size_t size) {
  Random random(seed);
  std::vector<Logged> points;
  for (size_t i = 0; i < size; ++i) {
    Logged point{.series = 1 + random.Below(random.Below(2) == 0 ? 20 : 1'000'000'000),
                 .time = {},
                 .value = {}};
    const bool is_ms = random.Below(3) == 0;
    const auto span = static_cast<uint64_t>(random.Below(10) == 0 ? kTimestampMsMax : 10'000'000);
    point.time = {.ms = static_cast<int64_t>(random.Below(span)), .is_ms = is_ms};
    if (!is_ms) point.time.ms -= point.time.ms % 1000;
    if (!points.empty() && random.Below(2) == 0) point.time = points.back().time;
    switch (random.Below(4)) {
      case 0:
        point.value = Value::Integer(static_cast<int64_t>(random.Below(20)) - 4);
        break;
      case 1:
        point.value = Value::Integer(static_cast<int64_t>(random.Next()));
        break;
      case 2:
        point.value = Value::Float(static_cast<double>(random.Below(1000)) / 8);
        break;
      default:
        point.value = Value::Float(-random.Fraction());
        break;
    }
    points.push_back(point);
  }
  return points;
}

TEST(PointLogTest, PointsComeOutAsTheyWentIn) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::vector<Logged> want = RandomPoints(seed, 300);
    PointLogWriter writer;
    for (const Logged& point : want)
      writer.Add(point.series, point.time, point.value);
    std::vector<Logged> got;
    ASSERT_TRUE(ReadAll(PayloadOf(writer), &got));
    ASSERT_EQ(got, want);
  }
}

TEST(PointLogTest, SectionsFollowEachOtherAndAWriterIsUsedAgain) {
  const std::vector<Logged> first = RandomPoints(1, 10);
  const std::vector<Logged> second = RandomPoints(2, 10);
  PointLogWriter writer;
  std::string payload(kPayloadWithoutDefinitions);
  for (const std::vector<Logged>& points : {first, second}) {
    writer.Clear();
    EXPECT_TRUE(writer.bytes().empty());
    for (const Logged& point : points)
      writer.Add(point.series, point.time, point.value);
    payload.append(writer.bytes());
  }
  std::vector<Logged> got;
  ASSERT_TRUE(ReadAll(payload, &got));
  std::vector<Logged> want = first;
  want.insert(want.end(), second.begin(), second.end());
  EXPECT_EQ(got, want);
}

TEST(PointLogTest, DefinitionsKeepNamesAndUids) {
  const std::string odd_name("n\0\xC3\xA4", 4);
  const TagView tags[] = {{"host", "web01"}, {odd_name, ""}};
  const TagUids uids[] = {{7, 8}, {1, std::numeric_limits<Uid>::max()}};
  PointLogWriter writer;
  writer.Add(3, {.ms = 5, .is_ms = true}, Value::Integer(1));
  writer.Define({.number = 4, .metric_uid = 5, .metric = "cpu", .tags = tags, .tag_uids = uids});
  writer.Add(4, {.ms = 6, .is_ms = true}, Value::Integer(2));
  ASSERT_TRUE(writer.has_definitions());
  const std::string payload = PayloadOf(writer);
  ASSERT_TRUE(HasDefinitions(payload));

  PointLogReader reader(payload);
  ASSERT_EQ(reader.Next(), Event::kPoint);
  ASSERT_EQ(reader.Next(), Event::kDefinition);
  const SeriesDefinition& definition = reader.definition();
  EXPECT_EQ(definition.number, 4u);
  EXPECT_EQ(definition.metric_uid, 5u);
  EXPECT_EQ(definition.metric, "cpu");
  EXPECT_THAT(definition.tags, testing::ElementsAreArray(tags));
  EXPECT_THAT(definition.tag_uids, testing::ElementsAreArray(uids));
  ASSERT_EQ(reader.Next(), Event::kPoint);
  EXPECT_EQ(reader.series(), 4u);
  EXPECT_EQ(reader.Next(), Event::kEnd);
}

TEST(PointLogTest, AUsualPointTakesFewBytes) {
  PointLogWriter writer;
  for (SeriesNumber series = 1; series <= 1000; ++series)
    writer.Add(series, {.ms = 1'356'998'400'000, .is_ms = false}, Value::Integer(42));
  EXPECT_LE(writer.bytes().size(), 2010u);
}

TEST(PointLogTest, AnyBytesAreReadToAnEnd) {
  PointLogWriter writer;
  const TagView tags[] = {{"host", "web01"}};
  const TagUids uids[] = {{7, 8}};
  writer.Define({.number = 4, .metric_uid = 5, .metric = "cpu", .tags = tags, .tag_uids = uids});
  for (const Logged& point : RandomPoints(3, 40))
    writer.Add(point.series, point.time, point.value);
  const std::string payload = PayloadOf(writer);
  const auto read = [](std::string_view bytes) {
    std::vector<Logged> points;
    ReadAll(bytes, &points);
    ASSERT_LE(points.size(), bytes.size());
    for (const Logged& point : points) {
      ASSERT_GE(point.time.ms, 0);
      ASSERT_LE(point.time.ms, kTimestampMsMax);
    }
  };
  for (size_t size = 0; size < payload.size(); ++size)
    ASSERT_NO_FATAL_FAILURE(read(std::string_view(payload).substr(0, size)));
  for (size_t bit = 0; bit < 8 * payload.size(); ++bit) {
    std::string flipped = payload;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    ASSERT_NO_FATAL_FAILURE(read(flipped));
  }
}

TEST(PointLogTest, ANewerKindOfPayloadIsDamage) {
  PointLogReader reader("\x02");
  EXPECT_EQ(reader.Next(), Event::kDamaged);
}

}  // namespace
}  // namespace hourcell
