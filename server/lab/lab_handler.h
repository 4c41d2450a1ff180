// The design lab over HTTP: simulations and the layout benchmark, as jobs (job_handler.h).
//
//   GET  /api/admin/simulate   the choices (lab_choices.h); with ?store also the store's fleet and
//                              example keys (store_fleet.h)
//   POST /api/admin/simulate   begins a simulation (simulate_request.h); its answer is
//                              {"simulations":[..]} (simulate_run.h)
//   POST /api/admin/layouts    begins a run of the layout benchmark (layouts_request.h); its answer
//                              is {"cases":[..]}, as report.json of `hourcell bench layouts`
//
// One job of either kind runs at a time, on a separate thread. Both POSTs are answered at once
// unless the request has ?wait. 400: an invalid request; 413: a limit was exceeded. Thread-safe.

#pragma once

#include "codec/base/clock.h"
#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

class Tsdb;

// Pointers are borrowed while the jobs run.
HttpResponse HandleSimulate(const HttpRequest& request,
                            Tsdb* tsdb,
                            Clock* clock,
                            JobRegistry* jobs);
HttpResponse HandleLayouts(const HttpRequest& request, JobRegistry* jobs);

}  // namespace hourcell
