// What a request for a route takes. A route that is not known here takes admin: what is added is
// closed until somebody opens it.
//
// Pure; thread-safe.

#pragma once

#include "server/access/access_rights.h"
#include "server/http/http_router.h"

namespace hourcell {

// `method` is what the request stands for (EffectiveMethod). None: whoever may do anything at all.
AccessRights RightsFor(const Route& route, HttpMethod method);

// Whether a request for it changes something: what needs more than the right to read, but for GETs
// that only tell of the server. A put is not among them: what it may be sent by is OpenTSDB's.
bool Changes(const Route& route, HttpMethod method);

}  // namespace hourcell
