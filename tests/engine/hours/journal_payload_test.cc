#include "engine/hours/journal_payload.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/random.h"
#include "codec/limits.h"

namespace hourcell::journal_payload_test {
namespace {

using Event = JournalPayloadReader::Event;

struct Logged {
  SeriesNumber series;
  Timestamp time;
  Value value;
  friend bool operator==(const Logged&, const Logged&) = default;
};

// Of a section whose lane may have any series.
std::string PayloadOf(JournalPayloadWriter& section) {
  section.Finish({});
  std::string payload(section.has_definitions() ? kPayloadWithDefinitions
                                                : kPayloadWithoutDefinitions);
  return payload.append(section.bytes());
}

// All points of a payload; false if it is damaged.
bool ReadAll(std::string_view payload, std::vector<Logged>* points) {
  JournalPayloadReader reader(payload);
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
    JournalPayloadWriter writer;
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
  JournalPayloadWriter writer;
  std::string payload(kPayloadWithoutDefinitions);
  for (const std::vector<Logged>& points : {first, second}) {
    writer.Clear();
    EXPECT_TRUE(writer.bytes().empty());
    for (const Logged& point : points)
      writer.Add(point.series, point.time, point.value);
    writer.Finish({});
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
  JournalPayloadWriter writer;
  writer.Add(3, {.ms = 5, .is_ms = true}, Value::Integer(1));
  writer.Define({.number = 4, .metric_uid = 5, .metric = "cpu", .tags = tags, .tag_uids = uids});
  writer.Add(4, {.ms = 6, .is_ms = true}, Value::Integer(2));
  ASSERT_TRUE(writer.has_definitions());
  const std::string payload = PayloadOf(writer);
  ASSERT_TRUE(HasDefinitions(payload));

  JournalPayloadReader reader(payload);
  ASSERT_EQ(reader.Next(), Event::kDefinition);
  const SeriesDefinition& definition = reader.definition();
  EXPECT_EQ(definition.number, 4u);
  EXPECT_EQ(definition.metric_uid, 5u);
  EXPECT_EQ(definition.metric, "cpu");
  EXPECT_THAT(definition.tags, testing::ElementsAreArray(tags));
  EXPECT_THAT(definition.tag_uids, testing::ElementsAreArray(uids));
  ASSERT_EQ(reader.Next(), Event::kPoint);
  EXPECT_EQ(reader.series(), 3u);
  ASSERT_EQ(reader.Next(), Event::kPoint);
  EXPECT_EQ(reader.series(), 4u);
  EXPECT_EQ(reader.Next(), Event::kEnd);
}

TEST(PointLogTest, AUsualPointTakesFewBytes) {
  JournalPayloadWriter writer;
  for (SeriesNumber series = 1; series <= 1000; ++series)
    writer.Add(series, {.ms = 1'356'998'400'000, .is_ms = false}, Value::Integer(42));
  writer.Finish({.stride = 1, .residue = 0});
  EXPECT_LE(writer.bytes().size(), 2015u);
}

TEST(PointLogTest, AnyBytesAreReadToAnEnd) {
  JournalPayloadWriter writer;
  const TagView tags[] = {{"host", "web01"}};
  const TagUids uids[] = {{7, 8}};
  writer.Define({.number = 4, .metric_uid = 5, .metric = "cpu", .tags = tags, .tag_uids = uids});
  for (const Logged& point : RandomPoints(3, 40))
    writer.Add(point.series, point.time, point.value);
  const std::string payload = PayloadOf(writer);
  const auto read = [](std::string_view bytes) {
    std::vector<Logged> points;
    const bool is_whole = ReadAll(bytes, &points);
    std::vector<PointSection> sections;
    const bool is_split = SplitPayload(bytes, &sections);
    ASSERT_TRUE(is_split || !is_whole);
    ASSERT_LE(sections.size(), bytes.size());
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

// The sections of three lanes: 8 mod 16 with a definition, 1 of 3, and series 5 alone.
std::string ThreeSections() {
  std::string payload(kPayloadWithDefinitions);
  JournalPayloadWriter writer;
  writer.Add(24, {.ms = 1000}, Value::Integer(1));
  writer.Add(8, {.ms = 1000}, Value::Integer(2));
  writer.Define({.number = 24, .metric_uid = 1, .metric = "m", .tags = {}, .tag_uids = {}});
  writer.Finish({.stride = 16, .residue = 8});
  payload.append(writer.bytes());
  writer.Clear();
  writer.Add(4, {.ms = 7000}, Value::Integer(3));
  writer.Finish({.stride = 3, .residue = 1});
  payload.append(writer.bytes());
  writer.Clear();
  writer.Add(5, {.ms = 8, .is_ms = true}, Value::Integer(100));
  writer.Add(5, {.ms = 9, .is_ms = true}, Value::Integer(4));
  writer.Finish({.stride = 0, .residue = 5});
  return payload.append(writer.bytes());
}

TEST(PointLogTest, TheBytesOfSectionsAreTheFormats) {
  constexpr char kWant[] =
      "\x01"
      "\xFD\x0B\x06\x10\x08"
      "\xFE\x18\x01\x01m\x00"
      "\x94\x30\x02"
      "\x85\x1F"
      "\xFD\x03\x00\x03\x01"
      "\x96\x08\x0E"
      "\xFD\x07\x00\x00\x05"
      "\xA0\x0A\x10\xC8\x01"
      "\x27\x02";
  const std::string bytes = ThreeSections();
  EXPECT_EQ(bytes, std::string(kWant, sizeof kWant - 1));
  std::vector<Logged> points;
  ASSERT_TRUE(ReadAll(bytes, &points));
  const std::vector<Logged> want_points = {
      {24, {.ms = 1000}, Value::Integer(1)},
      {8, {.ms = 1000}, Value::Integer(2)},
      {4, {.ms = 7000}, Value::Integer(3)},
      {5, {.ms = 8, .is_ms = true}, Value::Integer(100)},
      {5, {.ms = 9, .is_ms = true}, Value::Integer(4)},
  };
  EXPECT_EQ(points, want_points);
}

TEST(PointLogTest, SectionsAreFoundByTheirHeaders) {
  const std::string payload = ThreeSections();
  std::vector<PointSection> sections;
  ASSERT_TRUE(SplitPayload(payload, &sections));
  ASSERT_EQ(sections.size(), 3u);
  EXPECT_EQ(sections[0].series, (SeriesClass{.stride = 16, .residue = 8}));
  EXPECT_EQ(sections[1].series, (SeriesClass{.stride = 3, .residue = 1}));
  EXPECT_EQ(sections[2].series, (SeriesClass{.stride = 0, .residue = 5}));
  EXPECT_TRUE(sections[0].series.IsOneOf(8));
  EXPECT_FALSE(sections[0].series.IsOneOf(32));
  EXPECT_TRUE(sections[2].series.IsOneOf(64));

  JournalPayloadReader definitions(sections[0], sections[0].definitions());
  ASSERT_EQ(definitions.Next(), Event::kDefinition);
  EXPECT_EQ(definitions.definition().number, 24u);
  EXPECT_EQ(definitions.Next(), Event::kEnd);
  JournalPayloadReader points(sections[0], sections[0].points());
  ASSERT_EQ(points.Next(), Event::kPoint);
  EXPECT_EQ(points.series(), 24u);
  ASSERT_EQ(points.Next(), Event::kPoint);
  EXPECT_EQ(points.series(), 8u);
  EXPECT_EQ(points.Next(), Event::kEnd);
  EXPECT_TRUE(sections[1].definitions().empty());
}

TEST(PointLogTest, ASectionThatIsCutIsDamage) {
  const std::string payload = ThreeSections();
  std::vector<PointSection> whole;
  ASSERT_TRUE(SplitPayload(payload, &whole));
  std::vector<size_t> ends = {1};
  for (const PointSection& section : whole) {
    ends.push_back(
        static_cast<size_t>(section.records.data() + section.records.size() - payload.data()));
  }
  for (size_t size = 0; size < payload.size(); ++size) {
    const std::string_view part = std::string_view(payload).substr(0, size);
    const bool is_end = std::ranges::find(ends, size) != ends.end();
    std::vector<PointSection> sections;
    EXPECT_EQ(SplitPayload(part, &sections), is_end) << size;
    std::vector<Logged> points;
    EXPECT_EQ(ReadAll(part, &points), is_end) << size;
  }
}

TEST(PointLogTest, ASeriesThatIsNotOfItsSectionsClassIsDamage) {
  const SeriesClass classes[] = {{.stride = 8, .residue = 3},
                                 {.stride = 8, .residue = 1},
                                 {.stride = 0, .residue = 2},
                                 {.stride = 64, .residue = 34}};
  for (const SeriesClass& wrong : classes) {
    JournalPayloadWriter writer;
    for (const SeriesNumber series : {2u, 10u, 18u, 2u})
      writer.Add(series, {.ms = 1000}, Value::Integer(1));
    writer.Finish(wrong);
    std::vector<Logged> points;
    EXPECT_FALSE(ReadAll(std::string(kPayloadWithoutDefinitions).append(writer.bytes()), &points))
        << wrong.stride << " " << wrong.residue;
  }
}

TEST(PointLogTest, SectionsWithoutAHeaderAreReadToTheNextOne) {
  JournalPayloadWriter writer;
  writer.Add(7, {.ms = 1000}, Value::Integer(1));
  const std::string old(writer.bytes());
  ASSERT_EQ(old.front(), '\xFF');
  writer.Finish({.stride = 0, .residue = 7});
  const std::string section(writer.bytes());
  const std::string payload = std::string(kPayloadWithoutDefinitions) + old + old + section;
  std::vector<Logged> points;
  ASSERT_TRUE(ReadAll(payload, &points));
  EXPECT_EQ(points, std::vector<Logged>(3, {7, {.ms = 1000}, Value::Integer(1)}));
  std::vector<PointSection> sections;
  ASSERT_TRUE(SplitPayload(payload, &sections));
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_FALSE(sections[0].series.IsOneOf(2));
  JournalPayloadReader reader(sections[0], sections[0].points());
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(reader.Next(), Event::kPoint);
  EXPECT_EQ(reader.Next(), Event::kEnd);
}

TEST(PointLogTest, ANewerKindOfPayloadIsDamage) {
  JournalPayloadReader reader("\x02");
  EXPECT_EQ(reader.Next(), Event::kDamaged);
}

}  // namespace
}  // namespace hourcell::journal_payload_test
