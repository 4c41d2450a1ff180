#include "server/cli/admin/migrate/point_digest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hourcell::point_digest_test {
namespace {

struct Row {
  std::string metric;
  std::vector<TagView> tags;
  std::vector<Timestamp> times;
  std::vector<Value> values;
};

PointDigest DigestOf(const std::vector<Row>& rows) {
  PointDigest digest;
  for (const Row& row : rows) {
    ScannedRow scanned;
    scanned.metric = row.metric;
    scanned.tags = row.tags;
    scanned.times = row.times;
    scanned.point_values = row.values;
    digest.Add(scanned);
  }
  return digest;
}

Row RowOf(std::vector<TagView> tags, std::vector<Timestamp> times, std::vector<Value> values) {
  return {"m", std::move(tags), std::move(times), std::move(values)};
}

TEST(PointDigestTest, TheOrderOfRowsPointsAndTagsDoesNotCount) {
  const TagView a{"a", "1"};
  const TagView b{"b", "2"};
  const Timestamp one{.ms = 1000};
  const Timestamp two{.ms = 2000};
  const PointDigest digest =
      DigestOf({RowOf({a, b}, {one, two}, {Value::Integer(1), Value::Integer(2)}),
                RowOf({a}, {one}, {Value::Integer(3)})});
  EXPECT_EQ(digest.points(), 3u);
  EXPECT_EQ(digest, DigestOf({RowOf({a}, {one}, {Value::Integer(3)}),
                              RowOf({b, a}, {two}, {Value::Integer(2)}),
                              RowOf({a, b}, {one}, {Value::Integer(1)})}));
}

TEST(PointDigestTest, EverythingElseDoes) {
  const TagView a{"a", "1"};
  const PointDigest digest = DigestOf({RowOf({a}, {{.ms = 1000}}, {Value::Integer(1)})});
  const Row others[] = {
      RowOf({{"a", "2"}}, {{.ms = 1000}}, {Value::Integer(1)}),
      RowOf({{"a1", ""}}, {{.ms = 1000}}, {Value::Integer(1)}),
      RowOf({{"", "a1"}}, {{.ms = 1000}}, {Value::Integer(1)}),
      RowOf({a, a}, {{.ms = 1000}}, {Value::Integer(1)}),
      RowOf({a}, {{.ms = 1001}}, {Value::Integer(1)}),
      RowOf({a}, {{.ms = 1000, .is_ms = true}}, {Value::Integer(1)}),
      RowOf({a}, {{.ms = 1000}}, {Value::Integer(2)}),
      RowOf({a}, {{.ms = 1000}}, {Value::Float(1)}),
      RowOf({a}, {{.ms = 1000}, {.ms = 1000}}, {Value::Integer(1), Value::Integer(1)}),
      {"n", {a}, {{.ms = 1000}}, {Value::Integer(1)}}};
  for (const Row& other : others)
    EXPECT_FALSE(digest == DigestOf({other})) << &other - others;
  EXPECT_FALSE(digest == PointDigest());
}

}  // namespace
}  // namespace hourcell::point_digest_test
