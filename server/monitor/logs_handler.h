// /logs: the newest lines of the server's log, newest first, as OpenTSDB prints them:
//
//   1356998400<TAB>WARN<TAB>hc-sealer<TAB>hourcell<TAB>journal: ...
//
// ?json prints an array of these texts. ?level=WARN leaves out the lines below a level: ALL, TRACE,
// DEBUG, INFO, WARN, ERROR or OFF, in any case. OpenTSDB changes the levels of the log then; here
// no request can.
//
// Pure; thread-safe.

#pragma once

#include <vector>

#include "server/http/http_message.h"
#include "server/log/log.h"

namespace hourcell {

// `lines`: newest first.
HttpResponse HandleLogs(const HttpRequest& request, const std::vector<LogLine>& lines);

}  // namespace hourcell
