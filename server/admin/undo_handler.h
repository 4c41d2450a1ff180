// /api/admin/undo: deletes of points that can be undone (tsd.storage.undo). Thread-safe.
//
//   GET                    the deletes whose points are still stored: DeletionsJson
//   POST ?id=<n>           undoes a delete: its points are back. A job; answers as GET
//   POST ?id=<n>&forget    removes the points of a delete from disk now: it cannot be undone any
//                          more. A job; answers as GET
//
// 400: no id; 404: no such delete, or its time is over; 409: its points are being removed.

#pragma once

#include <string_view>

#include "engine/tsdb.h"
#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

// `group`: of the job (JobSpec).
HttpResponse HandleUndo(const HttpRequest& request,
                        Tsdb* tsdb,
                        std::string_view group,
                        JobRegistry* jobs);

}  // namespace hourcell
