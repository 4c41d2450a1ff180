// /api/admin/undo: deletes of points and other changes that can be undone (tsd.storage.undo).
// Thread-safe.
//
//   GET                    the changes that can be undone, and the deletes whose points are still
//                          stored: UndoListJson
//   POST ?id=<n>           undoes a change: the points of a delete are back, the TTL before is in
//                          force, or a UID has its old name. A job; answers as GET
//   POST ?id=<n>&forget    removes the points of a delete from disk now, or ends the time of
//                          another change: it cannot be undone any more. A job; answers as GET
//
// 400: no id; 404: no such change, or its time is over; 409: the points of the delete are being
// removed, the TTL or the name was changed since, or another UID has the old name.

#pragma once

#include <cstdint>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/admin/job_registry.h"
#include "server/http/http_message.h"
#include "server/text/deletion_text.h"

namespace hourcell {

// `group`: of the job (JobSpec).
HttpResponse HandleUndo(const HttpRequest& request,
                        Tsdb* tsdb,
                        std::string_view group,
                        JobRegistry* jobs);

// The changes of the store; errors of the engine.
absl::StatusOr<UndoList> ListUndo(Tsdb* tsdb);

// Undoes the change with that id, or forgets it. Errors as the engine's functions for its kind;
// kNotFound: none has the id.
absl::Status EndChange(uint64_t id, bool forget, Tsdb* tsdb);

}  // namespace hourcell
