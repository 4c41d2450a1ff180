#include "uid/uid_names.h"

#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::uid_names_test {
namespace {

using testing::Eq;
using testing::Optional;

TEST(UidNamesTest, HasEachWayForItself) {
  UidNames names;
  names.SetBoth("cpu", 1);
  names.SetUid("mem", 2);
  names.SetName(3, "disk");

  EXPECT_THAT(names.UidOf("cpu"), Optional(Uid{1}));
  EXPECT_THAT(names.NameOf(1), Optional(Eq("cpu")));
  EXPECT_THAT(names.UidOf("mem"), Optional(Uid{2}));
  EXPECT_EQ(names.NameOf(2), std::nullopt);
  EXPECT_EQ(names.UidOf("disk"), std::nullopt);
  EXPECT_THAT(names.NameOf(3), Optional(Eq("disk")));
  EXPECT_EQ(names.uids_size(), 2U);
  EXPECT_EQ(names.names_size(), 2U);
}

TEST(UidNamesTest, KeepsANameOnceForBothWays) {
  UidNames names;
  names.SetBoth("cpu", 1);
  names.SetBoth("cpu", 1);
  names.SetUid("cpu", 1);
  names.SetName(1, "cpu");
  EXPECT_EQ(names.kept(), 1U);
}

TEST(UidNamesTest, TheEmptyNameAndTheLongestAreKept) {
  UidNames names;
  const std::string longest(UidNames::kNameBytesMax, 'x');
  names.SetBoth("", 1);
  names.SetBoth(longest, 2);
  names.SetBoth(longest + "x", 3);
  EXPECT_THAT(names.UidOf(""), Optional(Uid{1}));
  EXPECT_THAT(names.NameOf(2), Optional(Eq(longest)));
  EXPECT_EQ(names.NameOf(3), std::nullopt);
}

// A name that is too long takes away what was there, which is no longer true.
TEST(UidNamesTest, ATooLongNameReplacesAShortOne) {
  UidNames names;
  names.SetBoth("short", 1);
  names.SetName(1, std::string(UidNames::kNameBytesMax + 1, 'x'));
  EXPECT_EQ(names.NameOf(1), std::nullopt);
}

// Against two maps: sets and erasures, each way, of few names, so that most replace something.
TEST(UidNamesTest, IsTwoMaps) {
  Random random(7);
  UidNames names;
  std::map<std::string, Uid, std::less<>> uids;
  std::map<Uid, std::string> by_uid;
  for (int step = 0; step < 50'000; ++step) {
    const std::string name = fmt::format("{:0>{}}", random.Below(60), 1 + random.Below(2) * 30);
    const Uid uid = 1 + random.Below(60);
    switch (random.Below(6)) {
      case 0:
        names.SetUid(name, uid), uids[name] = uid;
        break;
      case 1:
        names.SetName(uid, name), by_uid[uid] = name;
        break;
      case 2:
        names.EraseUid(name), uids.erase(name);
        break;
      case 3:
        names.EraseName(uid), by_uid.erase(uid);
        break;
      default:
        names.SetBoth(name, uid), uids[name] = uid, by_uid[uid] = name;
    }
    ASSERT_EQ(names.uids_size(), uids.size());
    ASSERT_EQ(names.names_size(), by_uid.size());
    const auto of_name = uids.find(name);
    ASSERT_EQ(names.UidOf(name),
              of_name == uids.end() ? std::nullopt : std::optional<Uid>(of_name->second));
    const auto of_uid = by_uid.find(uid);
    ASSERT_EQ(names.NameOf(uid), of_uid == by_uid.end()
                                     ? std::nullopt
                                     : std::optional<std::string_view>(of_uid->second));
  }
}

}  // namespace
}  // namespace hourcell::uid_names_test
