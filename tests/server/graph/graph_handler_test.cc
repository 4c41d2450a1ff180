#include "server/graph/graph_handler.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/server/api_fixture.h"

namespace hourcell::graph_handler_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

// The side of a PNG that begins so far into its header.
uint64_t SideAt(const std::string& png, size_t at) {
  constexpr size_t kHeaderAt = 16;
  return LoadBigEndian(png.data() + kHeaderAt + at, 4);
}

TEST(PictureOfTest, IsWhatTheClientLikesMost) {
  EXPECT_EQ(PictureOf("image/png"), PictureForm::kPng);
  EXPECT_EQ(PictureOf("image/svg+xml"), PictureForm::kSvg);
  EXPECT_EQ(PictureOf("IMAGE/PNG ; q=0.5 , image/svg+xml;q=0.6"), PictureForm::kSvg);
  EXPECT_EQ(PictureOf("image/png;q=0.5,application/json;q=0.4"), PictureForm::kPng);
  // What a browser asks for the source of an <img>.
  EXPECT_EQ(PictureOf("image/avif,image/webp,image/svg+xml,image/*;q=0.8,*/*;q=0.5"),
            PictureForm::kSvg);
}

TEST(PictureOfTest, IsNoneUnlessOneIsNamed) {
  for (const std::string_view accept :
       {"", "*/*", "application/json", "image/*", "image/jpeg", "image/png;q=0", "image/png;q=x",
        "application/json, image/png",
        // What a browser asks for when a person opens a link.
        "text/html,application/xhtml+xml,image/png,image/svg+xml,*/*;q=0.8"}) {
    EXPECT_EQ(PictureOf(accept), std::nullopt) << accept;
  }
}

class GraphHandlerTest : public ApiTest {
 protected:
  GraphHandlerTest() { options().extra_name_chars = "<>&\"'() "; }
  void SetUp() override {
    Put(OwnedPoint("m", "host=a", kStartS, 1));
    Put(OwnedPoint("m", "host=a", kStartS + 600, 30));
    Put(OwnedPoint("m", "host=b", kStartS + 600, 20));
  }

  HttpResponse Page(const std::string& params) {
    return Send("GET /q?start=1356998400&end=1356999600&" + params);
  }
  HttpResponse Api(const std::string& params, const std::string& accept) {
    return Send("GET /api/query?start=1356998400&end=1356999600&" + params, "",
                {{"accept", accept}});
  }
};

TEST_F(GraphHandlerTest, DrawsAPngOfTheSizeThatIsAsked) {
  const HttpResponse response = Page("m=sum:m{host=*}&png&wxh=400x200");

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "image/png");
  EXPECT_THAT(response.body, StartsWith(kPngSignature));
  EXPECT_EQ(SideAt(response.body, 0), 400u);
  EXPECT_EQ(SideAt(response.body, 4), 200u);
  EXPECT_EQ(Header(response, "Cache-Control"), "max-age=86400");
}

TEST_F(GraphHandlerTest, DrawsAnSvgWithTitlesAndNames) {
  const HttpResponse response =
      Page("m=sum:m{host=*}&svg&title=Load+%26+more&ylabel=per+second&yformat=%25.1f+x");

  EXPECT_EQ(response.content_type, "image/svg+xml");
  EXPECT_THAT(response.body, StartsWith("<svg "));
  EXPECT_THAT(response.body, HasSubstr(">Load &amp; more</text>"));
  EXPECT_THAT(response.body, HasSubstr(">per second</text>"));
  EXPECT_THAT(response.body, HasSubstr(">m{host=a}</text>"));
  EXPECT_THAT(response.body, HasSubstr(">30.0 x</text>"));
  EXPECT_THAT(response.body, HasSubstr(">00:10:00</text>"));
  EXPECT_THAT(response.body, HasSubstr("class=\"line\""));
}

TEST_F(GraphHandlerTest, NoNameIsMarkup) {
  Put(OwnedPoint("m", "host=<script>alert(1)</script>", kStartS, 3));

  const HttpResponse response = Page("m=sum:m{host=*}&svg&title=<script>");

  EXPECT_THAT(response.body, HasSubstr("host=&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(response.body, Not(HasSubstr("<script")));
}

TEST_F(GraphHandlerTest, ApiDrawsWhatTheHeaderAcceptAsks) {
  const HttpResponse png = Api("m=sum:m&wxh=300x300", "image/png");
  EXPECT_THAT(png.body, StartsWith(kPngSignature));
  EXPECT_EQ(Header(png, "Vary"), "Accept");
  EXPECT_THAT(Api("m=sum:m", "image/svg+xml").body, StartsWith("<svg "));
  EXPECT_THAT(Api("m=sum:m", "*/*").body, StartsWith("[{\"metric\""));
}

TEST_F(GraphHandlerTest, ApiDrawsAJsonQuery) {
  const HttpResponse response =
      Send("POST /api/query?title=posted",
           R"({"start":1356998400,"end":1356999600,"queries":[{"aggregator":"sum","metric":"m"}]})",
           {{"content-type", "application/json"}, {"accept", "image/svg+xml"}});
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr(">posted</text>"));
}

TEST_F(GraphHandlerTest, HasTheSecondAxisOfTheQueriesThatAskForIt) {
  const HttpResponse response =
      Page("m=sum:m{host=a}&o=&m=sum:m{host=b}&o=axis+x1y2&svg&y2label=right&y2range=[0:77]");
  EXPECT_THAT(response.body, HasSubstr(">right</text>"));
  EXPECT_THAT(response.body, HasSubstr("class=\"y2-label\""));
  EXPECT_EQ(Page("m=sum:m&o=&m=sum:m&o=axis+x1y2&svg").status, 400);  // one query, twice
}

TEST_F(GraphHandlerTest, SaysThatThereIsNothing) {
  EXPECT_THAT(Send("GET /q?start=10&end=20&svg&m=sum:m").body, HasSubstr(">No data</text>"));
  EXPECT_EQ(Send("GET /q?start=10&end=20&png&m=sum:m").status, 200);
}

TEST_F(GraphHandlerTest, HasAGroundThatMayBeTransparent) {
  EXPECT_THAT(Page("m=sum:m&svg").body, HasSubstr("class=\"background\""));
  EXPECT_THAT(Page("m=sum:m&svg&bgcolor=transparent").body, Not(HasSubstr("class=\"background\"")));
  EXPECT_THAT(Page("m=sum:m&svg&bgcolor=x102030").body, HasSubstr("#102030"));
  constexpr size_t kColorTypeAt = 25;
  EXPECT_EQ(Page("m=sum:m&png").body[kColorTypeAt], 2);
  EXPECT_EQ(Page("m=sum:m&png&bgcolor=transparent").body[kColorTypeAt], 6);
}

TEST_F(GraphHandlerTest, HeadIsAnsweredWithoutAFault) {
  const HttpResponse response = Send("HEAD /q?start=1356998400&m=sum:m&png");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "image/png");
}

TEST_F(GraphHandlerTest, ErrorsAreThoseOfTheEndpoint) {
  EXPECT_EQ(Page("m=sum:m&png&wxh=5x5").status, 400);
  EXPECT_THAT(Page("m=sum:m&png&wxh=5x5").body, HasSubstr("WIDTHxHEIGHT"));
  EXPECT_EQ(Page("m=sum:nosuch&png").status, 400);
  EXPECT_EQ(Page("m=sum:m&png&o=&o=").status, 400);
  const HttpResponse api = Api("m=sum:m&wxh=5x5", "image/png");
  EXPECT_EQ(api.status, 400);
  EXPECT_THAT(api.body, StartsWith("{\"error\":{\"code\":400,"));
  EXPECT_EQ(Api("m=sum:nosuch", "image/png").status, 400);
}

TEST_F(GraphHandlerTest, DeletesNothing) {
  const HttpResponse response =
      Send("POST /api/query",
           R"({"start":1356998400,"delete":true,"queries":[{"aggregator":"sum","metric":"m"}]})",
           {{"content-type", "application/json"}, {"accept", "image/png"}});
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("A graph deletes no points"));
}

TEST_F(GraphHandlerTest, IsListedAsAQuery) {
  Page("m=sum:m&png");
  EXPECT_THAT(Send("GET /api/stats/query").body, HasSubstr("\"metric\":\"m\""));
}

class GraphMemoryTest : public GraphHandlerTest {
 protected:
  GraphMemoryTest() { options().query_memory_bytes = 4 << 20; }
};

TEST_F(GraphMemoryTest, APictureCountsInTheMemoryOfQueries) {
  EXPECT_EQ(Page("m=sum:m&png&wxh=500x500").status, 200);
  EXPECT_EQ(Page("m=sum:m&png&wxh=4000x4000").status, 413);
  EXPECT_EQ(Page("m=sum:m&svg&wxh=4000x4000").status, 200);  // it has no pixels
}

}  // namespace
}  // namespace hourcell::graph_handler_test
