#include "server/http/static_file.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "server/http/http_target.h"
#include "tests/support/temp_dir.h"

namespace hourcell::static_file_test {
namespace {

class StaticFileTest : public testing::Test {
 protected:
  StaticFileTest() {
    std::filesystem::create_directories(dir_.file("root/sub"));
    Write("root/a.js", "let a;");
    Write("root/sub/b b.css", "b {}");
    Write("secret", "secret");
  }

  void Write(std::string_view name, std::string_view bytes) {
    std::ofstream(dir_.file(std::string(name))) << bytes;
  }

  HttpResponse Get(std::string_view target) {
    HttpRequest request;
    request.method = "GET";
    request.target = target;
    HOURCELL_CHECK(ParseTarget(&request).ok());
    return AnswerStaticFile(request, root_);
  }

  TempDir dir_;
  std::string root_ = dir_.file("root");
};

TEST_F(StaticFileTest, ServesTheFilesOfTheDirectory) {
  const HttpResponse script = Get("/s/a.js");
  EXPECT_EQ(script.status, 200);
  EXPECT_EQ(script.body, "let a;");
  EXPECT_EQ(script.content_type, "text/javascript");
  EXPECT_EQ(Get("/s/sub/b%20b.css").body, "b {}") << "the path is decoded";
  EXPECT_EQ(Get("/S//a.js").body, "let a;");
}

TEST_F(StaticFileTest, ClientsMayKeepAFileUnlessTheySayNot) {
  const auto cache_control = [](const HttpResponse& response) {
    return response.headers[0].second;
  };
  EXPECT_EQ(cache_control(Get("/s/a.js")), "max-age=31536000");
  EXPECT_EQ(cache_control(Get("/s/a.js?nocache")), "max-age=0");
}

TEST_F(StaticFileTest, NoPathLeadsOutOfTheDirectory) {
  std::filesystem::create_symlink(dir_.file("secret"), dir_.file("root/link"));
  std::filesystem::create_symlink(dir_.file("root/a.js"), dir_.file("root/inside"));
  std::filesystem::create_directory(dir_.file("root2"));
  std::filesystem::create_symlink(dir_.file("root2"), dir_.file("root/sibling"));
  Write("root2/c", "c");

  EXPECT_EQ(Get("/s/../secret").status, 400);
  EXPECT_EQ(Get("/s/%2e%2e/secret").status, 400);
  EXPECT_EQ(Get("/s/%252e%252e/secret").status, 404) << "decoded once";
  EXPECT_EQ(Get("/s/a.js%00").status, 400);
  EXPECT_EQ(Get("/s/" + dir_.file("secret")).status, 404);
  EXPECT_EQ(Get("/s/link").status, 404);
  EXPECT_EQ(Get("/s/sibling/c").status, 404);
  EXPECT_EQ(Get("/s/inside").body, "let a;");
}

TEST_F(StaticFileTest, WhatIsNoFileIsNotFound) {
  EXPECT_EQ(Get("/s").status, 400);
  for (const std::string_view target : {"/s/", "/s/sub", "/s/nosuch", "/s/a.js/x"})
    EXPECT_EQ(Get(target).status, 404) << target;
  root_ = dir_.file("nosuch");
  EXPECT_EQ(Get("/s/a.js").status, 404);
  root_.clear();
  EXPECT_EQ(Get("/s/a.js").status, 404);
}

TEST_F(StaticFileTest, AFileThatIsTooLongIsRefused) {
  std::filesystem::resize_file(dir_.file("root/a.js"), kStaticFileBytesMax + 1);
  EXPECT_EQ(Get("/s/a.js").status, 413);
}

}  // namespace
}  // namespace hourcell::static_file_test
