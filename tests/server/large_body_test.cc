// Large bodies of points do not hold up the thread that reads connections, whatever is in them;
// they are listed while they are worked off, and cancelled. Over sockets.

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/mutex.h"
#include "engine/store_observer.h"
#include "server/http/http_response.h"
#include "server/http/request_body_budget.h"
#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"

namespace hourcell::large_body_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Holds every batch of points until it is opened.
class PutGate : public StoreObserver {
 public:
  absl::Status BeforePut(const PutBatch& /*batch*/) override {
    MutexLock lock(&mutex_);
    ++waiting_;
    changed_.NotifyAll();
    while (!is_open_)
      changed_.Wait(&mutex_);
    return absl::OkStatus();
  }

  void WaitForBatch() {
    MutexLock lock(&mutex_);
    while (waiting_ == 0)
      changed_.Wait(&mutex_);
  }

  void Open() {
    MutexLock lock(&mutex_);
    is_open_ = true;
    changed_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
};

class LargeBodyTest : public RunningServerTest {
 protected:
  // One thread reads all connections, and one works large bodies off.
  void SetUp() override {
    RunningServerTest::SetUp();
    ASSERT_OK(tsdb_->Close());
    Options options;
    options.path = dir_.file("gated");
    options.observers = {&gate_};
    tsdb_ = *Tsdb::Open(options);
    Set("tsd.network.worker_threads", "1");
    Start();
  }

  // A server that stops must not wait for the gate.
  void TearDown() override {
    gate_.Open();
    if (server_ != nullptr) server_->Stop();
  }

  static std::string Write(const std::string& body, std::string_view more = "") {
    return fmt::format(
        "POST /write?precision=s HTTP/1.1\r\nHost: localhost\r\n{}Content-Length: {}"
        "\r\n\r\n{}",
        more, body.size(), body);
  }

  // More than a batch of good lines: the first batch waits at the gate.
  static std::string GoodLines() {
    std::string lines;
    for (int i = 0; i < 20'000; ++i)
      lines += fmt::format("m,host=a v={} {}\n", i, kStartS + i);
    return lines;
  }

  static std::string BadLines(size_t bytes) {
    std::string lines;
    while (lines.size() < bytes)
      lines += "x\n";
    return lines;
  }

  // What /api/stats/query lists as running.
  std::string Running() {
    RawClient client(port());
    client.Send(Get("/api/stats/query"));
    client.ReadUntil("\"running\":");
    return client.ReadUntil("]");
  }

  PutGate gate_;
};

// Bodies that make no points wait for the thread of bodies as well: were one worked off by the
// thread that reads, its answer would come before that of a request which is sent after it.
TEST_F(LargeBodyTest, OthersAreAnsweredWhileLargeBodiesWait) {
  RawClient good(port());
  good.Send(Write(GoodLines()));
  gate_.WaitForBatch();
  const std::string zipped = Gzip(BadLines(size_t{1} << 20));
  ASSERT_LT(zipped.size(), kSmallBodyBytesMax) << "the size as sent does not tell";
  RawClient plain(port());
  RawClient packed(port());
  plain.Send(Write(BadLines(200'000)));
  packed.Send(Write(zipped, "Content-Encoding: gzip\r\n"));

  RawClient other(port());
  for (int i = 0; i < 20; ++i) {
    other.Send(Get("/api/version"));
    EXPECT_THAT(other.ReadUntil("}"), StartsWith("HTTP/1.1 200 "));
  }
  other.Send(Write("n,host=a v=1 1356998400\n"));  // waits at the gate, on the thread that reads

  gate_.Open();
  EXPECT_THAT(other.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 204 "));
  EXPECT_THAT(good.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 204 "));
  EXPECT_THAT(plain.ReadUntil("}"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("100000 lines refused")));
  EXPECT_THAT(packed.ReadUntil("}"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("524288 lines refused")));
}

TEST_F(LargeBodyTest, IsListedWhileItIsStored) {
  RawClient client(port());
  const std::string body = GoodLines();
  client.Send(Write(body));
  gate_.WaitForBatch();

  EXPECT_THAT(Running(),
              HasSubstr(fmt::format(R"("query":{{"type":"WRITE","path":"/write","bytes":{}}})",
                                    body.size())));

  gate_.Open();
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 204 "));
  EXPECT_THAT(Running(), Not(HasSubstr("WRITE")));
}

TEST_F(LargeBodyTest, StopsWhenItIsCancelled) {
  RawClient client(port());
  client.Send(Write(GoodLines()));
  gate_.WaitForBatch();

  RawClient admin(port());
  admin.Send(
      "DELETE /api/stats/query?id=1 HTTP/1.1\r\nHost: localhost\r\n"
      "X-Requested-With: a test\r\n\r\n");
  EXPECT_THAT(admin.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));

  gate_.Open();
  EXPECT_THAT(client.ReadUntil("}"), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("was cancelled"),
                                           HasSubstr("16384 points written")));
}

}  // namespace
}  // namespace hourcell::large_body_test
