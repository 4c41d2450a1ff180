#include "server/admin/job_registry.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>

#include "server/http/http_error.h"
#include "tests/support/status_matchers.h"

namespace hourcell::job_registry_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

// A gate that a job waits for, so that the test decides when the job ends.
class Gate {
 public:
  void WaitUntilOpen() {
    MutexLock lock(&mutex_);
    is_reached_ = true;
    changed_.NotifyAll();
    while (!is_open_)
      changed_.Wait(&mutex_);
  }
  void WaitUntilReached() {
    MutexLock lock(&mutex_);
    while (!is_reached_)
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
  bool is_reached_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
};

class JobRegistryTest : public testing::Test {
 protected:
  using Work = std::function<HttpResponse(JobWatch*)>;

  static HttpResponse Body(std::string body) {
    HttpResponse response;
    response.body = std::move(body);
    return response;
  }
  static JobSpec Spec(Work work, std::string_view kind = "compact", std::string key = "") {
    return {.kind = kind, .group = "store", .key = std::move(key), .work = std::move(work)};
  }
  // Ends at once.
  static Work Quick(const std::string& body = "{}") {
    return [body](JobWatch*) { return Body(body); };
  }
  Work Gated() {
    return [this](JobWatch*) {
      gate_.WaitUntilOpen();
      return Body("{}");
    };
  }

  ManualClock clock_{1'000'000};
  Gate gate_;
  JobRegistry jobs_{&clock_};
};

TEST_F(JobRegistryTest, AJobRunsAndItsAnswerStays) {
  const auto begun = jobs_.Start(Spec(Gated()));
  ASSERT_OK(begun);
  EXPECT_EQ(begun->id, 1U);
  gate_.WaitUntilReached();
  EXPECT_EQ(jobs_.Find(1)->state, JobState::kRunning);
  clock_.Advance(42);
  gate_.Open();

  const auto ended = jobs_.Wait(1);
  clock_.Advance(1000);

  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->state, JobState::kDone);
  std::string json;
  AppendJob(*jobs_.Find(1), &json);
  EXPECT_EQ(json, R"({"id":1,"kind":"compact","state":"done","started_ms":1000000,"ms":42,)"
                  R"("phase":"","done":0,"total":0,"unit":"","status":200,"answer":{}})");
  EXPECT_FALSE(jobs_.Find(2).has_value());
  EXPECT_FALSE(jobs_.Wait(2).has_value());
}

TEST_F(JobRegistryTest, OfAGroupOneRunsAtATime) {
  ASSERT_OK(jobs_.Start(Spec(Gated())));

  EXPECT_THAT(jobs_.Start(Spec(Quick(), "flush")),
              StatusIs(StatusCode::kUnavailable, HasSubstr("job 1 (compact) is under way")));
  JobSpec other = Spec(Quick("[7]"), "backup");
  other.group = "backup";
  const auto beside = jobs_.Start(std::move(other));
  ASSERT_OK(beside);
  EXPECT_EQ(jobs_.Wait(beside->id)->answer->body, "[7]");  // while the first still runs
  EXPECT_EQ(jobs_.Find(1)->state, JobState::kRunning);

  gate_.Open();
  jobs_.Wait(1);
  EXPECT_OK(jobs_.Start(Spec(Quick(), "flush")));
}

// A client that got no answer to its first request sends it again.
TEST_F(JobRegistryTest, AKeyFindsTheJobWhetherItRunsOrHasEnded) {
  int runs = 0;
  const Work work = [&](JobWatch*) {
    ++runs;
    gate_.WaitUntilOpen();
    return Body("{}");
  };
  EXPECT_EQ(jobs_.Start(Spec(work, "compact", "k"))->id, 1U);
  EXPECT_EQ(jobs_.Start(Spec(work, "compact", "k"))->id, 1U);
  gate_.Open();
  jobs_.Wait(1);
  const auto again = jobs_.Start(Spec(work, "compact", "k"));

  ASSERT_OK(again);
  EXPECT_EQ(again->id, 1U);
  EXPECT_EQ(again->state, JobState::kDone);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(jobs_.Start(Spec(work, "flush", "k"))->id, 2U);  // of another kind
  jobs_.Wait(2);
  EXPECT_EQ(runs, 2);
}

TEST_F(JobRegistryTest, AFailureIsKeptWithItsStatus) {
  jobs_.Start(Spec([](JobWatch*) { return HttpError(503, "a disk is full"); })).IgnoreError();
  const auto failed = jobs_.Wait(1);
  jobs_.Start(Spec([](JobWatch*) -> HttpResponse { throw std::runtime_error("secret"); }))
      .IgnoreError();
  const auto thrown = jobs_.Wait(2);

  EXPECT_EQ(failed->state, JobState::kFailed);
  std::string json;
  AppendJob(*failed, &json);
  EXPECT_THAT(json, HasSubstr(R"("state":"failed")"));
  EXPECT_THAT(json, HasSubstr(R"("status":503,"answer":{"error":{"code":503,)"));
  EXPECT_EQ(thrown->state, JobState::kFailed);
  EXPECT_EQ(thrown->answer->status, 500);
  EXPECT_THAT(thrown->answer->body, testing::Not(HasSubstr("secret")));
}

TEST_F(JobRegistryTest, ProgressIsShownWhileItRuns) {
  const auto report = [this](JobWatch* watch) {
    EXPECT_TRUE(watch->Report({.phase = "copy", .done = 3, .total = 10, .unit = "bytes"}));
    gate_.WaitUntilOpen();
    return Body("{}");
  };
  ASSERT_OK(jobs_.Start(Spec(report)));
  gate_.WaitUntilReached();
  std::string json;
  AppendJob(*jobs_.Find(1), &json);
  EXPECT_THAT(json, HasSubstr(R"("phase":"copy","done":3,"total":10,"unit":"bytes"})"));
  gate_.Open();
}

TEST_F(JobRegistryTest, AProbeIsAskedInsteadIfThereIsOne) {
  JobSpec spec = Spec(Gated());
  spec.probe = [] { return JobProgress{.phase = "cut", .done = 1, .total = 2, .unit = "regions"}; };
  ASSERT_OK(jobs_.Start(std::move(spec)));
  gate_.WaitUntilReached();

  EXPECT_EQ(jobs_.Find(1)->progress.phase, "cut");
  EXPECT_EQ(jobs_.List().at(0).progress.total, 2U);
  EXPECT_EQ(jobs_.LastOf("compact")->progress.done, 1U);
  gate_.Open();
}

TEST_F(JobRegistryTest, OfEachKindTheLastStay) {
  for (int i = 0; i < 5; ++i) {
    const auto job = jobs_.Start(Spec(Quick(), i == 0 ? "flush" : "compact"));
    ASSERT_OK(job);
    jobs_.Wait(job->id);
  }

  std::vector<uint64_t> ids;
  for (const JobView& job : jobs_.List())
    ids.push_back(job.id);
  EXPECT_THAT(ids, testing::ElementsAre(1, 4, 5));
  EXPECT_EQ(jobs_.LastOf("flush")->id, 1U);
  EXPECT_EQ(jobs_.LastOf("compact")->id, 5U);
  EXPECT_FALSE(jobs_.LastOf("backup").has_value());
}

HttpResponse UntilItIsEnded(JobWatch* watch) {
  while (watch->Report({}))
    std::this_thread::yield();
  return HttpError(503, "ended");
}

TEST_F(JobRegistryTest, AJobThatListensIsEnded) {
  ASSERT_OK(jobs_.Start(Spec(&UntilItIsEnded)));
  EXPECT_TRUE(jobs_.Cancel(1));

  EXPECT_EQ(jobs_.Wait(1)->state, JobState::kCancelled);
  EXPECT_FALSE(jobs_.Cancel(1));
  EXPECT_FALSE(jobs_.Cancel(2));
}

TEST_F(JobRegistryTest, AStopEndsThemAndBeginsNone) {
  ASSERT_OK(jobs_.Start(Spec(&UntilItIsEnded)));

  jobs_.Stop();

  EXPECT_EQ(jobs_.Find(1)->state, JobState::kCancelled);
  EXPECT_THAT(jobs_.Start(Spec(Quick())), StatusIs(StatusCode::kFailedPrecondition));
  jobs_.Stop();
}

// A job that cannot be cancelled runs to its end, and the stop waits for it.
TEST_F(JobRegistryTest, AStopWaitsForWhatCannotBeEnded) {
  ASSERT_OK(jobs_.Start(Spec(Gated())));
  gate_.WaitUntilReached();
  jobs_.CancelAll();
  std::thread opener([this] { gate_.Open(); });

  jobs_.Stop();

  EXPECT_EQ(jobs_.Find(1)->state, JobState::kDone);
  opener.join();
}

}  // namespace
}  // namespace hourcell::job_registry_test
