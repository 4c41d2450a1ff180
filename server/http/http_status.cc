#include "server/http/http_status.h"

#include "codec/base/check.h"
#include "server/http/http_error.h"

namespace hourcell {
namespace {

using Code = absl::StatusCode;

constexpr int kInternalError = 500;

struct StatusRow {
  Code code;
  int status;
  const char* why;  // documentation only
};

constexpr StatusRow kStatuses[] = {
    {Code::kCancelled, 503, "it was ended by somebody, or the server stops; it can be done again"},
    {Code::kUnknown, 500, "nobody foresaw it"},
    {Code::kInvalidArgument, 400, "the client must send something else"},
    {Code::kDeadlineExceeded, 503, "there was no time for it now"},
    {Code::kNotFound, 404, "the client named what does not exist"},
    {Code::kAlreadyExists, 409, "it does not fit what the store holds"},
    {Code::kPermissionDenied, 403, "the store's owner does not want it (StoreObserver)"},
    {Code::kUnauthenticated, 401, "the client must say who it is"},
    {Code::kResourceExhausted, 503, "memory, disk or the backlog is full: it drains"},
    {Code::kFailedPrecondition, 503, "the store is closed: the server stops"},
    {Code::kAborted, 503, "another one came in between"},
    {Code::kOutOfRange, 400, "the client must send something else"},
    {Code::kUnimplemented, 501, "the server cannot do it"},
    {Code::kInternal, 500, "a defect of the server"},
    {Code::kUnavailable, 503, "the store is away for now, or busy"},
    {Code::kDataLoss, 500, "the store is damaged"},
};

struct StatusException {
  Failed what;
  StatusRow row;
};

constexpr StatusException kExceptions[] = {
    {Failed::kQuery, {Code::kNotFound, 400, "OpenTSDB answers so for a name it does not know"}},
    {Failed::kQuery, {Code::kUnimplemented, 400, "OpenTSDB answers so for an unknown function"}},
    {Failed::kQuery, {Code::kResourceExhausted, 413, "OpenTSDB's answer to tsd.query.limits"}},
    {Failed::kQuery, {Code::kDeadlineExceeded, 413, "OpenTSDB's answer to tsd.query.timeout"}},
    {Failed::kBody, {Code::kUnimplemented, 415, "a Content-Encoding that is not known"}},
    {Failed::kBody, {Code::kResourceExhausted, 413, "more than tsd.http.request.max_body"}},
    {Failed::kChange, {Code::kFailedPrecondition, 409, "it does not fit the state of the store"}},
    {Failed::kBackup, {Code::kFailedPrecondition, 409, "the directory holds something else"}},
    {Failed::kBackup, {Code::kInvalidArgument, 409, "a setting names the directory, no client"}},
};

}  // namespace

int HttpStatusOf(Failed what, absl::StatusCode code) {
  HOURCELL_CHECK(code != Code::kOk);
  for (const StatusException& exception : kExceptions) {
    if (exception.what == what && exception.row.code == code) return exception.row.status;
  }
  for (const StatusRow& row : kStatuses) {
    if (row.code == code) return row.status;
  }
  return kInternalError;
}

HttpResponse FailureResponse(Failed what, const absl::Status& error) {
  HOURCELL_DCHECK(!error.ok());
  return HttpError(HttpStatusOf(what, error.code()), error);
}

HttpResponse WorkFailure(Failed what, std::string_view ended, const absl::Status& error) {
  const int status = HttpStatusOf(what, error.code());
  if (status < kInternalError) return FailureResponse(what, error);
  std::string_view message = "Storage exception";
  if (absl::IsCancelled(error)) {
    message = ended;
  } else if (status != kInternalError) {
    message = "Storage is not available";
  }
  return HttpError(status, message,
                   std::string_view(error.message().data(), error.message().size()));
}

}  // namespace hourcell
