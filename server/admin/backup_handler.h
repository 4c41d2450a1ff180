// /api/admin/backup: backups of the store, in the directory of tsd.storage.backup.directory. A
// request cannot choose the directory, so a client cannot write to other places.
//
//   POST   makes a backup, as a job (job_handler.h). The job's answer is {"id":<n>,"made_ms":<n>,
//          "files":<n>,"bytes":<n>,"copied_files":<n>,"copied_bytes":<n>,"ms":<n>}
//   GET    {"directory":"<path>","backups":[...]}, ascending, each as above without "ms"; with a
//          damaged manifest {"id":<n>,"error":"<message>"}
//
// 409: the setting is empty, or another backup job runs. The job's answer is 409 if the directory
// does not hold backups; 503 if another process makes a backup there, a disk is full, or the job
// was cancelled; otherwise 500 with the store's message.
// Thread-safe.

#pragma once

#include <string>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

HttpResponse HandleBackup(const HttpRequest& request,
                          const std::string& directory,
                          Tsdb* tsdb,
                          MonotonicClock* clock,
                          JobRegistry* jobs);

}  // namespace hourcell
