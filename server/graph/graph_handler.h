// Graphs drawn by the server: /q?...&png and /q?...&svg, and /api/query with the header Accept:
// image/png or image/svg+xml. A graph is a query like any other: it is listed, limited, and
// cancelled with its client; only its response is a picture. graph_look.h has the parameters of the
// picture.
//
// A picture has at most kGraphSeriesMax series and kGraphPointsMax points (graph_collector.h); with
// more the response is 413. Its memory counts as memory of queries.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

enum class PictureForm : uint8_t { kPng, kSvg };

// The picture that an Accept header prefers: PNG or SVG, the one of higher quality. Empty if it
// accepts neither, or JSON or a page with at least the same quality.
std::optional<PictureForm> PictureOf(std::string_view accept);

// Answers /api/query with a picture; errors are as from /api/query. Both are borrowed until the
// body is done. Thread-safe.
HttpResponse DrawQuery(const HttpRequest& request, const QueryService& service, PictureForm form);

// Answers /q with a picture; errors are pages.
HttpResponse DrawQueryPage(const HttpRequest& request,
                           const QueryService& service,
                           PictureForm form);

}  // namespace hourcell
