#include "server/api/web_page.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http/http_response.h"
#include "tests/server/http/http_decode.h"

namespace hourcell {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

HttpRequest Get(std::string_view path) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  return request;
}

std::string HeaderOf(const HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return {};
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

TEST(WebPageTest, NamesEachFileThatIsThere) {
  const HttpResponse page = AnswerWebPage(Get("/"));
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=UTF-8");
  EXPECT_EQ(HeaderOf(page, "Cache-Control"), "no-cache");
  ASSERT_THAT(EmbeddedWebFiles(), Not(SizeIs(1)));
  EXPECT_THAT(page.body, HasSubstr("\"./assets/")) << "relative, so that a path prefix is kept";
  EXPECT_THAT(page.body, Not(HasSubstr("\"/assets/")));
  std::string names = page.body;
  for (const WebFile& file : EmbeddedWebFiles().subspan(1)) {
    if (file.path.ends_with(".js")) names += file.bytes;
  }
  for (const WebFile& file : EmbeddedWebFiles().subspan(1))
    EXPECT_THAT(names, HasSubstr(BaseName(file.path)));
}

TEST(WebPageTest, AssetsMayBeKeptForEver) {
  for (const WebFile& file : EmbeddedWebFiles().subspan(1)) {
    const HttpResponse asset = AnswerWebPage(Get(file.path));
    EXPECT_EQ(asset.status, 200);
    EXPECT_EQ(asset.body, file.bytes);
    EXPECT_THAT(HeaderOf(asset, "Cache-Control"), HasSubstr("immutable"));
  }
}

TEST(WebPageTest, NothingMayBeLoadedFromElsewhereOrRunInline) {
  const HttpResponse page = AnswerWebPage(Get("/"));
  const std::string policy = HeaderOf(page, "Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("script-src 'self';"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(page.headers, Contains(Pair("Referrer-Policy", "no-referrer")));
}

TEST(WebPageTest, IsCompressedForThoseWhoTakeIt) {
  HttpRequest request = Get("/");
  request.headers = {{"accept-encoding", "gzip, br"}};
  const HttpResponse page = AnswerWebPage(request);
  EXPECT_EQ(HeaderOf(page, "Content-Encoding"), "gzip");
  EXPECT_EQ(Gunzip(page.body), AnswerWebPage(Get("/")).body);
  EXPECT_EQ(FormatResponse(request, page).body, page.body) << "not compressed twice";
}

TEST(WebPageTest, ScriptsAndStylesFitInto80Kilobytes) {
  size_t bytes = 0;
  for (const WebFile& file : EmbeddedWebFiles().subspan(1)) {
    HttpRequest request = Get(file.path);
    if (!file.path.ends_with(".js") && !file.path.ends_with(".css")) continue;
    request.headers = {{"accept-encoding", "gzip"}};
    bytes += AnswerWebPage(request).body.size();
  }
  EXPECT_LE(bytes, 80'000U);
}

TEST(WebPageTest, AClientThatHasItGetsNoBody) {
  HttpRequest request = Get("/");
  request.headers = {{"if-none-match", HeaderOf(AnswerWebPage(request), "ETag")}};
  const HttpResponse page = AnswerWebPage(request);
  EXPECT_EQ(page.status, 304);
  EXPECT_EQ(page.body, "");
}

TEST(WebPageTest, OtherPathsAreNotItsOwn) {
  for (const char* const path :
       {"//", "/assets", "/assets/", "/assets/nosuch.js", "/assets/../index.html"})
    EXPECT_EQ(AnswerWebPage(Get(path)).status, 404) << path;
}

}  // namespace
}  // namespace hourcell
