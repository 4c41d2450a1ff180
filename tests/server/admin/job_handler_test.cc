#include "server/admin/job_handler.h"

#include <string>
#include <thread>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::job_handler_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class JobHandlerTest : public ApiTest {
 protected:
  std::string AnswerWhenDone(const std::string& target) {
    while (true) {
      const HttpResponse answer = Send("GET " + target);
      EXPECT_EQ(answer.status, 200);
      if (answer.body.find("\"running\"") == answer.body.npos) return answer.body;
      std::this_thread::yield();
    }
  }
};

TEST_F(JobHandlerTest, AnAsyncPostIsAnsweredAtOnceAndTheJobFoundByItsId) {
  Put({"m", "host=a", kStartS, 1});

  const HttpResponse begun = Send("POST /api/admin/flush?async");

  EXPECT_EQ(begun.status, 202);
  EXPECT_EQ(Header(begun, "Location"), "/api/admin/jobs?id=1");
  EXPECT_THAT(begun.body, StartsWith(R"({"id":1,"kind":"flush","state":")"));
  const std::string done = AnswerWhenDone(Header(begun, "Location"));
  EXPECT_THAT(done, HasSubstr(R"("state":"done")"));
  EXPECT_THAT(done, HasSubstr(R"("status":200,"answer":{"sealed":1,"ms":0}})"));
  EXPECT_EQ(Send("GET /api/admin/jobs").body, R"({"jobs":[)" + done + "]}");
}

TEST_F(JobHandlerTest, APostIsAnsweredAtTheEndUnlessItSaysOtherwise) {
  EXPECT_EQ(Send("POST /api/admin/flush").body, R"({"sealed":0,"ms":0})");

  HttpRequest request;
  request.headers = {{"prefer", "respond-async"}};
  JobRegistry jobs(&clock_);
  const auto work = [](JobWatch*) { return HttpResponse(); };
  EXPECT_EQ(StartJob(request, {.kind = "seal", .group = "store", .work = work}, &jobs).status, 202);
}

TEST_F(JobHandlerTest, TheSameKeyIsTheSameJob) {
  Send("POST /api/admin/flush?key=a");
  AnswerWhenDone("/api/admin/jobs?id=1");

  EXPECT_THAT(Send("POST /api/admin/flush?async&key=a").body,
              StartsWith(R"({"id":1,"kind":"flush","state":"done")"));
  EXPECT_EQ(Send("POST /api/admin/flush?key=a").body, R"({"sealed":0,"ms":0})");
  EXPECT_THAT(Send("POST /api/admin/flush?async&key=b").body, StartsWith(R"({"id":2,)"));
  EXPECT_EQ(Send("POST /api/admin/flush?key=").status, 400);
  EXPECT_EQ(Send("POST /api/admin/flush?key=" + std::string(65, 'k')).status, 400);
}

TEST_F(JobHandlerTest, ASecondStartNamesTheOneThatRuns) {
  JobRegistry jobs(&clock_);
  HttpResponse second;
  const HttpResponse first =
      StartJob({},
               {.kind = "flush",
                .group = "store",
                .work =
                    [&](JobWatch*) {
                      second = StartJob({},
                                        {.kind = "seal",
                                         .group = "store",
                                         .work = [](JobWatch*) { return HttpResponse(); }},
                                        &jobs, JobReply::kAtOnce);
                      return HttpResponse();
                    }},
               &jobs, JobReply::kAtOnce);
  jobs.Wait(1);
  jobs.Stop();

  EXPECT_EQ(first.status, 202);
  EXPECT_EQ(second.status, 409);
  EXPECT_THAT(second.body, HasSubstr("job 1 (flush) is under way, see /api/admin/jobs?id=1"));
  const HttpResponse late = StartJob(
      {}, {.kind = "seal", .group = "store", .work = [](JobWatch*) { return HttpResponse(); }},
      &jobs);
  EXPECT_EQ(late.status, 503);
  EXPECT_EQ(Header(late, "Retry-After"), "1");
}

// `server/README.md` is true: invalid requests are refused without a job.
TEST_F(JobHandlerTest, ABodyThatMakesNoSenseBeginsNone) {
  for (const char* const change : {"split", "merge", "rolling"})
    EXPECT_EQ(Send(std::string("POST /api/admin/regions/") + change, "{").status, 400) << change;
  EXPECT_EQ(Send("GET /api/admin/jobs").body, R"({"jobs":[]})");
}

TEST_F(JobHandlerTest, AFailedJobSaysWhy) {
  Send("POST /api/admin/regions/split", R"({"region":2,"at":"k"})");

  const std::string failed = AnswerWhenDone("/api/admin/jobs?id=1");

  EXPECT_THAT(failed, HasSubstr(R"("kind":"split","state":"failed")"));
  EXPECT_THAT(failed, HasSubstr(R"("status":404,"answer":{"error":{"code":404,)"));
}

TEST_F(JobHandlerTest, JobsThatAreNoneAreToldApart) {
  EXPECT_EQ(Send("GET /api/admin/jobs?id=1").status, 404);
  EXPECT_EQ(Send("GET /api/admin/jobs?id=x").status, 400);
  EXPECT_EQ(Send("DELETE /api/admin/jobs?id=1").status, 404);
  EXPECT_EQ(Send("DELETE /api/admin/jobs").status, 400);
  EXPECT_EQ(Send("POST /api/admin/jobs").status, 405);
}

TEST_F(JobHandlerTest, DeleteOfOneThatHasEndedChangesNothing) {
  Send("POST /api/admin/seal?wait");

  EXPECT_THAT(Send("DELETE /api/admin/jobs?id=1").body, HasSubstr(R"("state":"done")"));
}

}  // namespace
}  // namespace hourcell::job_handler_test
