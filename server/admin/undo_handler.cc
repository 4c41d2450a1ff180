#include "server/admin/undo_handler.h"

#include <string>

#include "codec/base/status_macros.h"
#include "server/admin/job_handler.h"
#include "server/http/http_error.h"
#include "server/http/http_status.h"

namespace hourcell {
namespace {

HttpResponse UndoResponse(Tsdb* tsdb) {
  const absl::StatusOr<UndoList> list = ListUndo(tsdb);
  if (!list.ok()) return FailureResponse(Failed::kChange, list.status());
  HttpResponse response;
  response.body = UndoListJson(*list);
  return response;
}

HttpResponse EndChangeAndList(uint64_t id, bool forget, Tsdb* tsdb) {
  const absl::Status done = EndChange(id, forget, tsdb);
  if (!done.ok()) return FailureResponse(Failed::kChange, done);
  return UndoResponse(tsdb);
}

}  // namespace

HttpResponse HandleUndo(const HttpRequest& request,
                        Tsdb* tsdb,
                        std::string_view group,
                        JobRegistry* jobs) {
  if (request.method != "POST") return UndoResponse(tsdb);
  const std::string* const text = request.param("id");
  if (text == nullptr) return HttpError(400, "Missing parameter <code>id</code>");
  const absl::StatusOr<uint64_t> id = ParseDeletionId(*text);
  if (!id.ok()) return HttpError(400, id.status());
  const bool forget = request.has_param("forget");
  return StartJob(request,
                  {.kind = "undo",
                   .group = group,
                   .work = [id = *id, forget, tsdb](
                               JobWatch* /*watch*/) { return EndChangeAndList(id, forget, tsdb); }},
                  jobs);
}

absl::StatusOr<UndoList> ListUndo(Tsdb* tsdb) {
  UndoList list;
  HOURCELL_ASSIGN_OR_RETURN(list.deletions, tsdb->points().Deletions());
  HOURCELL_ASSIGN_OR_RETURN(list.ttls, tsdb->retention().ShortenedTtls());
  HOURCELL_ASSIGN_OR_RETURN(list.renames, tsdb->names().Renames());
  return list;
}

// Ids are of one counter, so at most one kind of change has an id.
absl::Status EndChange(uint64_t id, bool forget, Tsdb* tsdb) {
  const absl::Status of_delete = forget ? tsdb->points().Forget(id) : tsdb->points().Undo(id);
  if (!absl::IsNotFound(of_delete)) return of_delete;
  const absl::Status of_ttl =
      forget ? tsdb->retention().ForgetTtl(id) : tsdb->retention().UndoTtl(id);
  if (!absl::IsNotFound(of_ttl)) return of_ttl;
  return forget ? tsdb->names().ForgetRename(id) : tsdb->names().UndoRename(id);
}

}  // namespace hourcell
