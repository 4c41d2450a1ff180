#include "engine/fsck_report.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace hourcell::fsck_report_test {
namespace {

TEST(FsckReportTest, CountsAllAndKeepsTheFirstOfEachKind) {
  FsckReport report;
  EXPECT_EQ(report.faults(), 0u);
  for (int i = 0; i < 5; ++i)
    report.Add(FsckFault::kCell, std::to_string(i), 2);
  report.Add(FsckFault::kUid, "uid", 2);
  EXPECT_EQ(report.faults(), 6u);
  EXPECT_EQ(report.counts.at(FsckFault::kCell), 5u);
  ASSERT_EQ(report.examples.size(), 3u);
  EXPECT_EQ(report.examples[1].text, "1");
  EXPECT_EQ(report.examples[2].fault, FsckFault::kUid);
}

TEST(FsckReportTest, EveryFaultHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const FsckFault fault : kFsckFaults)
    names.insert(FsckFaultName(fault));
  EXPECT_EQ(names.size(), std::size(kFsckFaults));
}

}  // namespace
}  // namespace hourcell::fsck_report_test
