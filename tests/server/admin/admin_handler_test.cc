#include "server/admin/admin_handler.h"

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rocksdb/env.h>

#include "tests/server/api_fixture.h"
#include "tests/support/fault_fs.h"

namespace hourcell::admin_handler_test {
namespace {

using testing::HasSubstr;

class AdminHandlerTest : public ApiTest {
 protected:
  AdminHandlerTest() { options().seal_in_background = false; }

  // The hours of points that are not in cells yet.
  int64_t OpenHours() {
    for (const StatSample& sample : tsdb().stats().Snapshot()) {
      if (sample.name == "hours.open") return sample.value;
    }
    return -1;
  }
};

TEST_F(AdminHandlerTest, EachSealsWhatIsOpenAndSaysHowMuch) {
  for (const std::string action : {"seal", "flush", "compact"}) {
    SCOPED_TRACE(action);
    Put({"m", "host=a", kStartS, 1});
    Put({"m", "host=b", kStartS, 2});
    ASSERT_EQ(OpenHours(), 2);

    const HttpResponse response = Send("POST /api/admin/" + action + "?wait");

    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, R"({"sealed":2,"ms":0})");
    EXPECT_EQ(OpenHours(), 0);
    EXPECT_THAT(Send("GET /api/query?start=1356998400&end=1356998401&m=sum:m").body,
                HasSubstr(R"("dps":{"1356998400":3})"));
  }
}

TEST_F(AdminHandlerTest, AnLsmCompactionThatIsCancelledEnds) {
  Put({"m", "host=a", kStartS, 1});
  JobWatch watch;
  *watch.cancelled() = true;

  const HttpResponse response = AdminHandler(&tsdb(), Clock::System()).Compact(&watch);

  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body, HasSubstr("The job was stopped"));
  EXPECT_EQ(OpenHours(), 1) << "its sealing ends, too";
}

TEST_F(AdminHandlerTest, ASealAndAFlushThatAreCancelledEnd) {
  Put({"m", "host=a", kStartS, 1});
  AdminHandler handler(&tsdb(), Clock::System());
  for (const auto run : {&AdminHandler::Seal, &AdminHandler::Flush}) {
    JobWatch watch;
    *watch.cancelled() = true;

    const HttpResponse response = (handler.*run)(&watch);

    EXPECT_EQ(response.status, 503);
    EXPECT_THAT(response.body, HasSubstr("The job was stopped"));
    EXPECT_THAT(response.body, HasSubstr("1 hours are still open"));
    EXPECT_EQ(OpenHours(), 1);
  }
  JobWatch watch;
  EXPECT_EQ(handler.Seal(&watch).status, 200);
  EXPECT_EQ(OpenHours(), 0);
}

TEST_F(AdminHandlerTest, OnlyAPostDoesAnything) {
  Put({"m", "host=a", kStartS, 1});

  for (const std::string action : {"seal", "flush", "compact"}) {
    const HttpResponse response = Send("GET /api/admin/" + action);
    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(response.body,
              R"({"error":{"code":405,"message":"Method not allowed",)"
              R"("details":"The HTTP method [GET] is not permitted for this endpoint"}})");
  }
  EXPECT_EQ(OpenHours(), 1);
  EXPECT_EQ(Send("POST /api/admin").status, 404);
  EXPECT_EQ(Send("POST /api/admin/delete").status, 404);
}

TEST_F(AdminHandlerTest, AReadOnlyServerHasNoneOfThem) {
  ASSERT_OK(config().Set("tsd.mode", "ro"));

  for (const std::string action : {"seal", "flush", "compact"})
    EXPECT_EQ(Send("POST /api/admin/" + action).status, 404);
}

TEST_F(AdminHandlerTest, SaysHowLongItTook) {
  AdminHandler handler(&tsdb(), &clock_);

  const HttpResponse response = handler.Run([&] {
    clock_.Advance(1234);
    return absl::OkStatus();
  });

  EXPECT_EQ(response.body, R"({"sealed":0,"ms":1234})");
}

TEST_F(AdminHandlerTest, AFullDiskIs503WithTheReason) {
  const auto fs = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(fs);
  Options faulty = TinyOptions(directory_.path() + "/faulty");
  faulty.env = env.get();
  faulty.seal_in_background = false;
  auto store = Tsdb::Open(faulty);
  ASSERT_OK(store);
  OwnedPoint point("m", "host=a", kStartS, 1);
  ASSERT_OK((*store)->points().Put(point.view()));
  AdminHandler handler(store->get(), &clock_);

  fs->FailOn({.is_lasting = true, .with = FaultFs::Failure::kNoSpace});
  const HttpResponse full = handler.Flush();
  fs->Heal();

  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(Header(full, "Retry-After"), "1");
  EXPECT_THAT(full.body, HasSubstr("No space"));
}

// As for a query: the server stops.
TEST_F(AdminHandlerTest, AClosedStoreIs503WithItsWords) {
  ASSERT_OK(tsdb().Close());

  const HttpResponse response = Send("POST /api/admin/flush?wait");

  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, R"({"error":{"code":503,"message":"Storage is not available",)"
                           R"("details":"store is closed"}})");
}

}  // namespace
}  // namespace hourcell::admin_handler_test
