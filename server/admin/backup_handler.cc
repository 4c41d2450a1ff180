#include "server/admin/backup_handler.h"

#include <memory>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"
#include "engine/backup_admin.h"
#include "engine/backup_set.h"
#include "server/admin/job_handler.h"
#include "server/http/http_error.h"
#include "server/http/http_status.h"

namespace hourcell {
namespace {

constexpr std::string_view kBackupKind = "backup";

HttpResponse BackupFailure(const absl::Status& status) {
  return WorkFailure(Failed::kBackup, "The backup was stopped", status);
}

void AddFields(const BackupManifest& manifest, JsonWriter* json) {
  json->Field("id", manifest.id);
  json->Field("made_ms", manifest.made_ms);
  json->Field("files", manifest.files.size());
  json->Field("bytes", manifest.bytes());
  json->Field("copied_files", manifest.copied_files);
  json->Field("copied_bytes", manifest.copied_bytes);
}

HttpResponse Make(const std::string& directory,
                  Tsdb* tsdb,
                  MonotonicClock* clock,
                  JobWatch* watch) {
  const int64_t start_ms = clock->MonotonicMs();
  const auto progress = [watch](uint64_t done, uint64_t total) {
    return watch->Report({.phase = "copy", .done = done, .total = total, .unit = "bytes"});
  };
  const absl::StatusOr<BackupManifest> made =
      tsdb->maintenance().backups()->Make(directory, progress);
  if (!made.ok()) return BackupFailure(made.status());
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenObject();
  AddFields(*made, &json);
  json.Field("ms", clock->MonotonicMs() - start_ms);
  json.CloseObject();
  return response;
}

HttpResponse ListBackups(const std::string& directory) {
  const absl::StatusOr<std::unique_ptr<BackupSet>> set =
      BackupSet::Open(directory, BackupSet::Use::kRead);
  if (!set.ok() && !absl::IsNotFound(set.status())) return BackupFailure(set.status());
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Field("directory", directory);
  json.Key("backups");
  json.OpenArray();
  for (const uint64_t id : set.ok() ? (*set)->ids() : std::vector<uint64_t>()) {
    json.OpenObject();
    if (const absl::StatusOr<BackupManifest> manifest = (*set)->Read(id); manifest.ok()) {
      AddFields(*manifest, &json);
    } else {
      json.Field("id", id);
      json.Field("error", MessageOf(manifest.status()));
    }
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
  return response;
}

}  // namespace

HttpResponse HandleBackup(const HttpRequest& request,
                          const std::string& directory,
                          Tsdb* tsdb,
                          MonotonicClock* clock,
                          JobRegistry* jobs) {
  if (directory.empty()) {
    return HttpError(409, "No directory of backups",
                     "the setting tsd.storage.backup.directory is empty; expected a directory");
  }
  if (request.method != "POST") return ListBackups(directory);
  return StartJob(request,
                  {.kind = kBackupKind,
                   .group = kBackupKind,
                   .work = [directory, tsdb, clock](
                               JobWatch* watch) { return Make(directory, tsdb, clock, watch); }},
                  jobs);
}

}  // namespace hourcell
