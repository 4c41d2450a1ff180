// /api/admin/backup: backups of the store, in the directory of tsd.storage.backup.directory. No
// request names a directory: a client must not be able to write where it likes.
//
//   POST   makes one, as a job (job_handler.h), of which the answer is {"id":<n>,"made_ms":<n>,
//          "files":<n>,"bytes":<n>,"copied_files":<n>,"copied_bytes":<n>,"ms":<n>}
//   GET    {"directory":"<path>","backups":[...]}, ascending, each as above without its ms; of one
//          whose manifest is damaged {"id":<n>,"error":"<what>"}
//
// 409: there is no such setting, or another one is being made. Of the job's answer: 409: the
// directory is none of backups; 503: another process makes one there, a disk is full, or the job
// was ended; 500: with the store's words.
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
                          Clock* clock,
                          JobRegistry* jobs);

}  // namespace hourcell
