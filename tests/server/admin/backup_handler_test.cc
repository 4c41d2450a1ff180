#include "server/admin/backup_handler.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "engine/backup_set.h"
#include "tests/server/api_fixture.h"

namespace hourcell::backup_handler_test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class BackupHandlerTest : public ApiTest {
 protected:
  void UseDirectory() {
    ASSERT_OK(config().Set("tsd.storage.backup.directory", backups_.file("b")));
  }
  TempDir backups_;
};

TEST_F(BackupHandlerTest, MakesBackupsAndListsThem) {
  UseDirectory();
  Put({"m", "host=a", kStartS, 1});
  EXPECT_THAT(Send("GET /api/admin/backup").body, HasSubstr("\"backups\":[]}"));

  const HttpResponse made = Send("POST /api/admin/backup?wait");
  EXPECT_EQ(made.status, 200);
  EXPECT_THAT(
      made.body,
      MatchesRegex("\\{\"id\":1,\"made_ms\":1357300800000,\"files\":[0-9]+,\"bytes\":[0-9]+,"
                   "\"copied_files\":[0-9]+,\"copied_bytes\":[0-9]+,\"ms\":0\\}"));
  EXPECT_EQ(Send("POST /api/admin/backup?wait").status, 200);
  const std::string list = Send("GET /api/admin/backup").body;
  EXPECT_THAT(list, HasSubstr("\"backups\":[{\"id\":1,"));
  EXPECT_THAT(list, HasSubstr(",{\"id\":2,"));

  std::ofstream(backups_.file("b/backups/000001")) << "x";
  EXPECT_THAT(Send("GET /api/admin/backup").body, HasSubstr("{\"id\":1,\"error\":\""));
}

TEST_F(BackupHandlerTest, WithoutADirectoryThereAreNone) {
  EXPECT_EQ(Send("POST /api/admin/backup?wait").status, 409);
  EXPECT_THAT(Send("GET /api/admin/backup").body, HasSubstr("tsd.storage.backup.directory"));
  EXPECT_EQ(Send("DELETE /api/admin/backup").status, 405);
}

TEST_F(BackupHandlerTest, ADirectoryInTheStoreIsRefused) {
  ASSERT_OK(config().Set("tsd.storage.backup.directory", directory_.file("b")));
  const HttpResponse made = Send("POST /api/admin/backup?wait");
  EXPECT_EQ(made.status, 409);
  EXPECT_THAT(made.body, HasSubstr("the directory is inside the store"));
}

TEST_F(BackupHandlerTest, OneAtATime) {
  UseDirectory();
  const auto set = BackupSet::Open(backups_.file("b"), BackupSet::Use::kWrite);
  ASSERT_OK(set);
  const HttpResponse made = Send("POST /api/admin/backup?wait");
  EXPECT_EQ(made.status, 503);
  EXPECT_EQ(Header(made, "Retry-After"), "1");
}

TEST_F(BackupHandlerTest, AReadOnlyServerMakesNone) {
  UseDirectory();
  ASSERT_OK(config().Set("tsd.mode", "ro"));
  EXPECT_EQ(Send("POST /api/admin/backup?wait").status, 404);
}

}  // namespace
}  // namespace hourcell::backup_handler_test
