// Graphs drawn by the server: /q?...&png and ?...&svg, and /api/query with the header Accept:
// image/png or image/svg+xml. A graph is a query like any other: it is listed, limited, and
// cancelled with its client; only its answer is drawn and not printed. graph_look.h has the
// parameters of the picture.
//
// A picture has at most kGraphSeriesMax series and kGraphPointsMax points (graph_collector.h); with
// more the answer is 413. What it takes is counted in the memory of queries.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

enum class PictureForm : uint8_t { kPng, kSvg };

// The picture that an Accept header asks for: the type of image that it names, unless it likes JSON
// or a page as much, or anything at all better.
std::optional<PictureForm> PictureOf(std::string_view accept);

// Answers /api/query with a picture; errors are those of /api/query. Both are borrowed until the
// body is done. Thread-safe.
HttpResponse DrawQuery(const HttpRequest& request, const QueryService& service, PictureForm form);

// Answers /q with a picture; errors are pages.
HttpResponse DrawQueryPage(const HttpRequest& request,
                           const QueryService& service,
                           PictureForm form);

}  // namespace hourcell
