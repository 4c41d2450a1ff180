#include "server/admin/fsck_handler.h"

#include <string>
#include <thread>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::fsck_handler_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class FsckHandlerTest : public ApiTest {
 protected:
  std::string AnswerWhenDone() {
    while (true) {
      const HttpResponse answer = Send("GET /api/admin/fsck");
      EXPECT_EQ(answer.status, 200);
      if (answer.body.find("\"running\"") == answer.body.npos) return answer.body;
      std::this_thread::yield();
    }
  }
};

TEST_F(FsckHandlerTest, BeginsACheckAndTellsWhatItFound) {
  Put({"m", "host=a", kStartS, 1});
  ASSERT_OK(tsdb().maintenance().Seal());
  EXPECT_EQ(Send("GET /api/admin/fsck").status, 404);
  const HttpResponse begun = Send("POST /api/admin/fsck");
  EXPECT_EQ(begun.status, 202);
  EXPECT_THAT(begun.body, StartsWith(R"({"id":1,"kind":"fsck","state":")"));
  const std::string done = AnswerWhenDone();
  EXPECT_THAT(done, StartsWith(R"({"id":1,"kind":"fsck","state":"done")"));
  EXPECT_THAT(done, HasSubstr(R"("status":200,"answer":{"rows":1,"points":1,)"));
  EXPECT_THAT(done, HasSubstr(R"("faults":{},"examples":[]}})"));
}

TEST_F(FsckHandlerTest, FindingsAreKeptAsManyAsAskedFor) {
  for (int i = 0; i < 3; ++i)
    Put({"m", "host=h" + std::to_string(i), kStartS, 1});
  ASSERT_OK(tsdb().maintenance().Seal());
  ASSERT_OK(tsdb().names().DeleteUid(UidKind::kMetric, "m"));
  const std::string done = Send("POST /api/admin/fsck?wait&examples=2").body;
  EXPECT_THAT(done, HasSubstr(R"("faults":{"name":3})"));
  EXPECT_THAT(done, HasSubstr(R"("fault":"name","text":"row 000001)"));
  EXPECT_EQ(done.find("\"fault\":\"name\"", done.rfind("\"fault\":\"name\"") + 1), done.npos);
  for (const char* examples : {"x", "-1", "10001", ""}) {
    const HttpResponse refused = Send(std::string("POST /api/admin/fsck?examples=") + examples);
    EXPECT_EQ(refused.status, 400) << examples;
  }
}

TEST_F(FsckHandlerTest, DeleteEndsWhatIsUnderWay) {
  Put({"m", "host=a", kStartS, 1});
  EXPECT_EQ(Send("DELETE /api/admin/fsck").status, 404);
  Send("POST /api/admin/fsck");
  EXPECT_EQ(Send("DELETE /api/admin/fsck").status, 200);
  // It may have been done before.
  EXPECT_THAT(AnswerWhenDone(), testing::ContainsRegex("\"state\":\"(done|cancelled)\""));
  EXPECT_EQ(Send("PUT /api/admin/fsck").status, 405);
}

}  // namespace
}  // namespace hourcell::fsck_handler_test
