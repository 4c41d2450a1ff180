#include "bench/lab/simulate/model/timeline.h"

#include <gtest/gtest.h>

namespace hourcell::timeline_test {
namespace {

TEST(TimelineTest, CountsWhatItDoesNotKeep) {
  Timeline timeline;
  for (size_t i = 0; i < Timeline::kIncidentsMax + 10; ++i)
    timeline.Add({.time_ms = i, .kind = IncidentKind::kStall});
  timeline.Add({.time_ms = 1, .kind = IncidentKind::kMerge});

  EXPECT_EQ(timeline.count(IncidentKind::kStall), Timeline::kIncidentsMax + 10);
  EXPECT_EQ(timeline.count(IncidentKind::kMerge), 1U);
  EXPECT_EQ(timeline.count(IncidentKind::kSplit), 0U);
  EXPECT_EQ(timeline.incidents().size(), Timeline::kIncidentsMax + 1);
}

TEST(TimelineTest, NamesAreWords) {
  EXPECT_EQ(IncidentName(IncidentKind::kUnsplittable), "unsplittable");
  EXPECT_EQ(SplitCauseName(SplitCause::kSize), "size");
}

}  // namespace
}  // namespace hourcell::timeline_test
