#include "server/admin/undo_handler.h"

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "server/admin/job_handler.h"
#include "server/http/http_error.h"
#include "server/http/http_status.h"
#include "server/text/deletion_text.h"

namespace hourcell {
namespace {

HttpResponse ListDeletions(Tsdb* tsdb) {
  const absl::StatusOr<std::vector<Deletion>> deletions = tsdb->points().Deletions();
  if (!deletions.ok()) return FailureResponse(Failed::kChange, deletions.status());
  HttpResponse response;
  response.body = DeletionsJson(*deletions);
  return response;
}

HttpResponse EndDelete(uint64_t id, bool forget, Tsdb* tsdb) {
  const absl::Status done = forget ? tsdb->points().Forget(id) : tsdb->points().Undo(id);
  if (!done.ok()) return FailureResponse(Failed::kChange, done);
  return ListDeletions(tsdb);
}

}  // namespace

HttpResponse HandleUndo(const HttpRequest& request,
                        Tsdb* tsdb,
                        std::string_view group,
                        JobRegistry* jobs) {
  if (request.method != "POST") return ListDeletions(tsdb);
  const std::string* const text = request.param("id");
  if (text == nullptr) return HttpError(400, "Missing parameter <code>id</code>");
  const absl::StatusOr<uint64_t> id = ParseDeletionId(*text);
  if (!id.ok()) return HttpError(400, id.status());
  const bool forget = request.has_param("forget");
  return StartJob(request,
                  {.kind = "undo",
                   .group = group,
                   .work = [id = *id, forget,
                            tsdb](JobWatch* /*watch*/) { return EndDelete(id, forget, tsdb); }},
                  jobs);
}

}  // namespace hourcell
