#include "server/monitor/health_handler.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <simdjson.h>

#include "tests/server/api_fixture.h"
#include "tests/support/fault_fs.h"

namespace hourcell::health_handler_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Reports a given number of free bytes.
class SmallDisk : public FaultFs {
 public:
  rocksdb::IOStatus GetFreeSpace(const std::string& /*path*/,
                                 const rocksdb::IOOptions& /*options*/,
                                 uint64_t* free_bytes,
                                 rocksdb::IODebugContext* /*debug*/) override {
    *free_bytes = bytes;
    return rocksdb::IOStatus::OK();
  }
  uint64_t bytes = uint64_t{1} << 40;
};

class HealthHandlerTest : public ApiTest {
 protected:
  HealthHandlerTest()
      : disk_(std::make_shared<SmallDisk>()), env_(rocksdb::NewCompositeEnv(disk_)) {
    options().env = env_.get();
    options().seal_in_background = false;
  }

  // Fails with the error of the disk.
  absl::Status TryPut() {
    return tsdb().points().Put(OwnedPoint("m", "host=a", kStartS, 1).view());
  }

  std::shared_ptr<SmallDisk> disk_;
  std::unique_ptr<rocksdb::Env> env_;
};

TEST_F(HealthHandlerTest, AServerThatWorksIsHealthyAndReady) {
  const HttpResponse healthy = Send("GET /healthz");
  EXPECT_EQ(healthy.status, 200);
  EXPECT_EQ(healthy.body, "healthy\nok     server: it answers\n");

  const HttpResponse ready = Send("GET /readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_THAT(ready.body, AllOf(StartsWith("ready\n"), HasSubstr("journal is replayed"),
                                HasSubstr("ok     journal: points can be written to it\n"),
                                Not(HasSubstr("FAILED"))));
  EXPECT_EQ(Header(ready, "Cache-Control"), "no-store");
}

TEST_F(HealthHandlerTest, InfluxClientsAreAnsweredInTheirForm) {
  rights_ = AccessRights();
  const HttpResponse response = Send("GET /health");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"name":"hourcell","message":"ready for writes","status":"pass","checks":[]})");
}

TEST_F(HealthHandlerTest, SaysItInJson) {
  disk_->bytes = 7;
  for (const HttpResponse& response :
       {Send("GET /readyz?json"), Send("GET /readyz", "", {{"accept", "Application/JSON"}})}) {
    EXPECT_EQ(response.status, 503);
    simdjson::dom::parser parser;
    simdjson::dom::element document;
    ASSERT_FALSE(parser.parse(response.body).get(document)) << response.body;
    EXPECT_EQ(std::string_view(document["status"]), "not ready");
    bool is_disk_there = false;
    for (const auto check : document["checks"]) {
      if (std::string_view(check["name"]) != "disk") continue;
      is_disk_there = true;
      EXPECT_FALSE(bool(check["ok"]));
      EXPECT_THAT(std::string(std::string_view(check["message"])), StartsWith("7 bytes are free"));
    }
    EXPECT_TRUE(is_disk_there);
  }
}

TEST_F(HealthHandlerTest, ADiskThatIsNearlyFullMakesItNotReady) {
  disk_->bytes = (256 << 20) - 1;
  const HttpResponse response = Send("GET /readyz");
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body, HasSubstr("FAILED disk: 268435455 bytes are free; expected at least "
                                       "268435456 (tsd.health.disk_free)"));
  EXPECT_EQ(Send("GET /healthz").status, 200);
  EXPECT_EQ(Send("GET /readyz?for=reads").status, 200);
  disk_->bytes = 256 << 20;
  EXPECT_EQ(Send("GET /readyz").status, 200);
}

TEST_F(HealthHandlerTest, ADiskWithoutSpaceMakesItNotReady) {
  ASSERT_OK(TryPut());
  disk_->FailOn({.operations = FaultFs::kAppend | FaultFs::kAllocate,
                 .is_lasting = true,
                 .with = FaultFs::Failure::kNoSpace,
                 .files = FaultFs::kJournalFile});
  ASSERT_FALSE(TryPut().ok());

  const HttpResponse full = Send("GET /readyz");
  EXPECT_EQ(full.status, 503);
  EXPECT_THAT(full.body, AllOf(StartsWith("not ready\n"), HasSubstr("FAILED journal: "),
                               HasSubstr("could not be written"), HasSubstr("No space left")));
  EXPECT_EQ(Send("GET /readyz?for=writes").status, 503);
  EXPECT_EQ(Send("GET /readyz?for=reads").status, 200);
  EXPECT_EQ(Send("GET /healthz").status, 200) << "a new start frees no space";

  disk_->Heal();
  ASSERT_OK(TryPut());
  EXPECT_EQ(Send("GET /readyz").status, 200);
}

TEST_F(HealthHandlerTest, AJournalThatFailedToSyncIsNotHealthy) {
  options().sync = Durability::kAlways;
  ASSERT_OK(TryPut());
  disk_->FailOn({.operations = FaultFs::kSync, .files = FaultFs::kJournalFile});
  ASSERT_FALSE(TryPut().ok());

  for (const std::string path : {"/healthz", "/readyz"}) {
    const HttpResponse response = Send("GET " + path);
    EXPECT_EQ(response.status, 503) << path;
    EXPECT_THAT(response.body, HasSubstr("FAILED journal: no point is taken until the server is "
                                         "started again"));
  }
  const HttpResponse of_influx = Send("GET /health");
  EXPECT_EQ(of_influx.status, 503);
  EXPECT_THAT(of_influx.body, HasSubstr(R"("status":"fail")"));
}

TEST_F(HealthHandlerTest, StrangersAreNotToldOfFiles) {
  ASSERT_OK(TryPut());
  disk_->FailOn(
      {.operations = FaultFs::kAppend, .is_lasting = true, .files = FaultFs::kJournalFile});
  ASSERT_FALSE(TryPut().ok());
  EXPECT_THAT(Send("GET /readyz").body, HasSubstr(directory_.path()));

  rights_ = AccessRights();
  const HttpResponse response = Send("GET /readyz");
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body, AllOf(HasSubstr("FAILED journal: the last points could not"),
                                   Not(HasSubstr(directory_.path()))));
  EXPECT_EQ(Send("GET /healthz").status, 200);
  EXPECT_EQ(Send("GET /metrics").status, 403);
}

TEST_F(HealthHandlerTest, AReadOnlyServerIsReadyForReads) {
  ASSERT_OK(config().Set("tsd.mode", "ro"));
  disk_->bytes = 0;  // it writes nothing
  const HttpResponse ready = Send("GET /readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_THAT(ready.body, HasSubstr("ok     mode: the server is read-only (tsd.mode=ro)"));
  EXPECT_EQ(Send("GET /readyz?for=reads").status, 200);
  const HttpResponse writes = Send("GET /readyz?for=writes");
  EXPECT_EQ(writes.status, 503);
  EXPECT_THAT(writes.body, HasSubstr("FAILED mode: the server is read-only"));
}

TEST_F(HealthHandlerTest, AWriteOnlyServerIsReadyForWrites) {
  ASSERT_OK(config().Set("tsd.mode", "wo"));
  EXPECT_EQ(Send("GET /readyz").status, 200);
  EXPECT_EQ(Send("GET /readyz?for=writes").status, 200);
  EXPECT_EQ(Send("GET /readyz?for=reads").status, 503);
  EXPECT_EQ(Send("GET /readyz?for=fun").status, 400);
}

TEST_F(HealthHandlerTest, TheStatusIsOneWord) {
  rights_ = AccessRights();
  EXPECT_EQ(Send("GET /api/status").body, R"({"status":"ok"})");
  EXPECT_EQ(Header(Send("GET /api/status"), "Cache-Control"), "no-store");

  disk_->bytes = 7;
  const HttpResponse full = Send("GET /api/status");
  EXPECT_EQ(full.status, 200);
  EXPECT_EQ(full.body, R"({"status":"partial"})");
}

TEST_F(HealthHandlerTest, TheStatusOfAServerThatMustBeRestartedIsError) {
  options().sync = Durability::kAlways;
  ASSERT_OK(TryPut());
  disk_->FailOn({.operations = FaultFs::kSync, .files = FaultFs::kJournalFile});
  ASSERT_FALSE(TryPut().ok());

  EXPECT_EQ(Send("GET /api/status").body, R"({"status":"error"})");
}

TEST_F(HealthHandlerTest, TheStatusFollowsTheStore) {
  StoreHealth health;
  HealthHandler handler([&health] { return health; }, {.mode = "rw", .disk_free_bytes = 0});
  EXPECT_EQ(handler.StatusWord(), "startup");
  health.is_open = true;
  EXPECT_EQ(handler.StatusWord(), "ok");
  health.room = absl::ResourceExhaustedError("full");
  EXPECT_EQ(handler.StatusWord(), "partial");
  HealthHandler reader([&health] { return health; }, {.mode = "ro", .disk_free_bytes = 0});
  EXPECT_EQ(reader.StatusWord(), "ok") << "it takes no points in any state";
  handler.SetStopping();
  EXPECT_EQ(handler.StatusWord(), "shutting-down");
}

TEST_F(HealthHandlerTest, AnOverloadedServerIsNotReady) {
  ServerLoad load{.queries = 9, .queries_max = 10, .body_bytes = 5, .body_bytes_max = 0};
  HealthHandler handler([this] { return tsdb().maintenance().Health(); },
                        {.mode = "rw", .disk_free_bytes = 0});
  handler.SetLoad([&load] { return load; });
  EXPECT_EQ(handler.HandleReady({}).status, 200);
  load.queries = 10;
  EXPECT_THAT(handler.HandleReady({}).body,
              HasSubstr("FAILED queries: 10 queries run or wait (at most 10); overloaded"));
  load = {.queries = 0, .queries_max = 10, .body_bytes = 7, .body_bytes_max = 7};
  EXPECT_THAT(handler.HandleReady({}).body, HasSubstr("FAILED bodies: 7 bytes"));
}

// Clients that are sent elsewhere lose nothing, but would gain nothing either.
TEST_F(HealthHandlerTest, PointsThatForwardHasDroppedAreAWarning) {
  EXPECT_THAT(Send("GET /readyz").body, Not(HasSubstr("forward"))) << "it is off";
  int64_t dropped = 0;
  int64_t lag_s = 3;
  tsdb().stats().AddCount("forward.points", {{"type", "dropped"}}, [&dropped] { return dropped; });
  tsdb().stats().AddGauge("forward.lag", {}, [&lag_s] { return lag_s; });
  tsdb().stats().AddGauge("forward.spool_bytes", {}, [] { return 65; });
  EXPECT_THAT(Send("GET /readyz").body,
              HasSubstr("ok     forward: tsd.forward is 3 s late; its files have 65 bytes"));

  dropped = 7;
  for (const std::string path : {"/healthz", "/readyz", "/readyz?for=writes"}) {
    const HttpResponse response = Send("GET " + path);
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_THAT(response.body, HasSubstr("warn   forward: 7 points were dropped that"));
  }
  EXPECT_THAT(Send("GET /readyz?json").body,
              HasSubstr(R"({"name":"forward","ok":true,"warning":true,"message":"7 points)"));
}

TEST_F(HealthHandlerTest, AForwardThatIsLateOrSetsPointsAsideIsAWarning) {
  int64_t lag_s = kForwardLagS - 1;
  tsdb().stats().AddGauge("forward.lag", {}, [&lag_s] { return lag_s; });
  EXPECT_THAT(Send("GET /readyz").body, HasSubstr("ok     forward: tsd.forward is 599 s late"));
  lag_s = kForwardLagS;
  EXPECT_THAT(Send("GET /healthz").body, HasSubstr("warn   forward: tsd.forward is 600 s late"));
  EXPECT_EQ(Send("GET /readyz").status, 200);

  lag_s = 0;
  tsdb().stats().counter("forward.points", {{"type", "set_aside"}})->Add(2);
  EXPECT_THAT(Send("GET /readyz").body, HasSubstr("warn   forward: 2 points were set aside"));
  tsdb().stats().AddGauge("forward.unsynced", {}, [] { return 5; });
  EXPECT_THAT(Send("GET /readyz").body, HasSubstr("a power loss takes 5 points of tsd.forward"));
}

TEST_F(HealthHandlerTest, AFullStoreIsNotReady) {
  HealthHandler handler(
      [this] {
        StoreHealth health = tsdb().maintenance().Health();
        health.room = absl::UnavailableError("journal: 5 of 4 bytes are in use");
        return health;
      },
      {});
  const HttpResponse response = handler.HandleReady({});
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body,
              HasSubstr("FAILED room: points are refused: journal: 5 of 4 bytes are in use\n"));
}

TEST_F(HealthHandlerTest, AServerThatStopsIsNotReady) {
  HealthHandler handler([this] { return tsdb().maintenance().Health(); }, {});
  handler.SetStopping();
  EXPECT_THAT(handler.HandleReady({}).body, HasSubstr("FAILED server: it is stopping"));
  EXPECT_EQ(handler.HandleHealth({}).status, 200);
  ASSERT_OK(tsdb().Close());
  EXPECT_THAT(handler.HandleReady({}).body, HasSubstr("FAILED store: it is closed"));
}

}  // namespace
}  // namespace hourcell::health_handler_test
