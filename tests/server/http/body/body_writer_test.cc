#include "server/http/body/body_writer.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::body_writer_test {
namespace {

TEST(BodyWriterTest, CompleteBodyPutsThePiecesTogether) {
  HttpResponse response;
  response.status = 201;
  response.produce = [](BodyWriter* body, HttpResponse*) {
    for (int i = 0; i < 5; ++i) {
      body->buffer().append(kBodyPieceBytes / 2, static_cast<char>('0' + i));
      EXPECT_OK(body->Offer());
    }
    EXPECT_TRUE(body->started());
    return true;
  };

  const HttpResponse whole = CompleteBody(std::move(response));

  std::string want;
  for (int i = 0; i < 5; ++i)
    want.append(kBodyPieceBytes / 2, static_cast<char>('0' + i));
  EXPECT_EQ(whole.status, 201);
  EXPECT_TRUE(whole.body == want);
  EXPECT_EQ(whole.produce, nullptr);
}

TEST(BodyWriterTest, CompleteBodyIsTheFailureIfThereIsOne) {
  HttpResponse response;
  response.produce = [](BodyWriter* body, HttpResponse* failure) {
    body->buffer() = "half of";
    failure->status = 413;
    failure->body = "too much";
    return false;
  };

  const HttpResponse whole = CompleteBody(std::move(response));

  EXPECT_EQ(whole.status, 413);
  EXPECT_EQ(whole.body, "too much");
}

TEST(BodyWriterTest, CompleteBodyLeavesAResponseThatHasItsBody) {
  HttpResponse response;
  response.body = "x";

  EXPECT_EQ(CompleteBody(response).body, "x");
}

}  // namespace
}  // namespace hourcell::body_writer_test
