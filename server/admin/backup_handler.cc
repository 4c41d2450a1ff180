#include "server/admin/backup_handler.h"

#include <memory>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "engine/backup_admin.h"
#include "engine/backup_set.h"
#include "server/admin/job_handler.h"
#include "server/http/http_error.h"
#include "server/http/http_status.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kBackupKind = "backup";

HttpResponse BackupFailure(const absl::Status& status) {
  return WorkFailure(Failed::kBackup, "The backup was stopped", status);
}

// Without the brace at its end.
std::string ToJson(const BackupManifest& manifest) {
  return fmt::format(
      R"({{"id":{},"made_ms":{},"files":{},"bytes":{},"copied_files":{},"copied_bytes":{})",
      manifest.id, manifest.made_ms, manifest.files.size(), manifest.bytes(), manifest.copied_files,
      manifest.copied_bytes);
}

HttpResponse Make(const std::string& directory, Tsdb* tsdb, Clock* clock, JobWatch* watch) {
  const int64_t start_ms = clock->MonotonicMs();
  const auto progress = [watch](uint64_t done, uint64_t total) {
    return watch->Report({.phase = "copy", .done = done, .total = total, .unit = "bytes"});
  };
  const absl::StatusOr<BackupManifest> made = tsdb->backups()->Make(directory, progress);
  if (!made.ok()) return BackupFailure(made.status());
  HttpResponse response;
  response.body = fmt::format("{},\"ms\":{}}}", ToJson(*made), clock->MonotonicMs() - start_ms);
  return response;
}

HttpResponse ListBackups(const std::string& directory) {
  HttpResponse response;
  response.body = "{\"directory\":";
  AppendJsonString(directory, &response.body);
  response.body += ",\"backups\":[";
  const absl::StatusOr<std::unique_ptr<BackupSet>> set =
      BackupSet::Open(directory, BackupSet::Use::kRead);
  if (!set.ok() && !absl::IsNotFound(set.status())) return BackupFailure(set.status());
  if (set.ok()) {
    std::string_view comma;
    for (const uint64_t id : (*set)->ids()) {
      response.body += comma;
      comma = ",";
      const absl::StatusOr<BackupManifest> manifest = (*set)->Read(id);
      if (manifest.ok()) {
        response.body += ToJson(*manifest) + "}";
        continue;
      }
      response.body += fmt::format("{{\"id\":{},\"error\":", id);
      const absl::Status& status = manifest.status();
      AppendJsonString({status.message().data(), status.message().size()}, &response.body);
      response.body += '}';
    }
  }
  response.body += "]}";
  return response;
}

}  // namespace

HttpResponse HandleBackup(const HttpRequest& request,
                          const std::string& directory,
                          Tsdb* tsdb,
                          Clock* clock,
                          JobRegistry* jobs) {
  if (directory.empty()) {
    return HttpError(409, "No directory of backups",
                     "the setting tsd.storage.backup.directory is empty; want a directory");
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
