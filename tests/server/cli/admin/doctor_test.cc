#include "server/cli/admin/doctor.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::doctor_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr uint64_t kMiB = 1 << 20;

// A machine on which nothing is to be changed.
DoctorFacts Good() {
  return {.directory = "d",
          .has_store = true,
          .descriptors = 4096,
          .open_files = 512,
          .disk_free = 10'000 * kMiB,
          .journal_limit = 1024 * kMiB,
          .write_buffer = 64 * kMiB,
          .filesystem = "other",
          .memory = 8192 * kMiB,
          .memory_sum = 3000 * kMiB,
          .now_ms = 1'800'000'000'000,
          .newest_file_ms = 1'799'999'999'000};
}

std::vector<std::string> Changes(const DoctorFacts& facts) {
  std::vector<std::string> texts;
  for (const DoctorFinding& finding : JudgeFacts(facts)) {
    if (finding.is_change) texts.push_back(finding.text);
  }
  return texts;
}

TEST(DoctorTest, AGoodMachineNeedsNoChange) {
  EXPECT_THAT(Changes(Good()), IsEmpty());
  EXPECT_EQ(JudgeFacts(Good()).size(), 7u);
}

TEST(DoctorTest, EachFaultIsOneSentenceThatSaysWhatToDo) {
  DoctorFacts facts = Good();
  facts.descriptors = 1024;
  EXPECT_THAT(Changes(facts), ElementsAre(HasSubstr("raise the limit to at least 1536")));
  facts = Good();
  facts.disk_free = 1000 * kMiB;
  EXPECT_THAT(Changes(facts), ElementsAre(HasSubstr("has 1000 MiB free; the journal and flushes "
                                                    "may need 1536 MiB: free space")));
  facts = Good();
  facts.filesystem = "nfs";
  EXPECT_THAT(Changes(facts), ElementsAre(HasSubstr("move it to a local file system")));
  facts.filesystem = "tmpfs";
  EXPECT_THAT(Changes(facts), ElementsAre(HasSubstr("move it to a disk")));
  facts = Good();
  facts.memory = 2000 * kMiB;
  EXPECT_THAT(Changes(facts), ElementsAre(HasSubstr("allow 3000 MiB of memory and the machine has "
                                                    "2000 MiB; lower tsd.query.memory")));
  facts = Good();
  facts.newest_file_ms = facts.now_ms + 3'600'000;
  EXPECT_THAT(Changes(facts), ElementsAre(StartsWith("the clock is 3600 s earlier")));
  facts = Good();
  facts.journal_bytes = 1025 * kMiB;
  EXPECT_THAT(Changes(facts), ElementsAre(HasSubstr("run hourcell store flush")));
  facts = Good();
  facts.store_fault = "store format 3";
  EXPECT_THAT(Changes(facts), ElementsAre("the store does not open: store format 3"));
}

TEST(DoctorTest, FileSystemsThatNeedAWordAreKnown) {
  EXPECT_EQ(FileSystemName(0x6969), "nfs");
  EXPECT_EQ(FileSystemName(0x01021994), "tmpfs");
  EXPECT_EQ(FileSystemName(0xEF53), "other");
}

TEST(DoctorTest, AStoreIsOpenedAndOneInUseIsWell) {
  const TempDir dir;
  const StoreOptions store{.data = dir.file("store")};
  CapturedTerminal none(1'800'000'000'000);
  RunDoctor({.store = store}, none.get());
  EXPECT_THAT(none.out(), HasSubstr("no store in " + store.data + " yet"));
  EXPECT_FALSE(std::filesystem::exists(store.data));

  auto tsdb = OpenStore(store, StoreUse::kCreate);
  ASSERT_OK(tsdb);
  CapturedTerminal in_use;
  RunDoctor({.store = store}, in_use.get());
  EXPECT_THAT(in_use.out(), StartsWith("ok      open "));
  EXPECT_THAT(in_use.out(), HasSubstr("the store is in use by pid "));
  EXPECT_THAT(in_use.out(), HasSubstr("; hourcell doctor --url looks at that server\n"));

  ASSERT_OK((*tsdb)->Close());
  tsdb->reset();
  CapturedTerminal good;
  RunDoctor({.store = store}, good.get());
  EXPECT_THAT(good.out(), StartsWith("ok      the store in "));
}

TEST(DoctorTest, WordsThatMakeNoSenseAreUsageErrors) {
  CapturedTerminal terminal;
  EXPECT_EQ(DoctorMain({"a", "b"}, terminal.get()), kExitUsage);
  EXPECT_EQ(DoctorMain({"--set", "none=1"}, terminal.get()), kExitUsage);
}

}  // namespace
}  // namespace hourcell::doctor_test
