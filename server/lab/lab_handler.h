// The design lab over HTTP: simulations and the layout benchmark, as jobs (job_handler.h).
//
//   GET  /api/admin/simulate   what there is to choose from (lab_choices.h)
//   POST /api/admin/simulate   begins a simulation (simulate_request.h); its answer is
//                              {"simulations":[..]} (simulate_run.h)
//   POST /api/admin/layouts    begins a run of the layout benchmark (layouts_request.h); its answer
//                              is {"cases":[..]}, as report.json of `hourcell bench layouts`
//
// One of them runs at a time, on a thread of its own. Both are answered at once unless the request
// has ?wait. 400: what the parsers refuse; 413: a limit was met. Thread-safe.

#pragma once

#include "codec/base/clock.h"
#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

// Both borrowed, for as long as the jobs run.
HttpResponse HandleSimulate(const HttpRequest& request, Clock* clock, JobRegistry* jobs);
HttpResponse HandleLayouts(const HttpRequest& request, JobRegistry* jobs);

}  // namespace hourcell
