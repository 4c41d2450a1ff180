#include "server/inputs/otlp/otlp_handler.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"
#include "server/inputs/otlp/otlp_json.h"
#include "server/inputs/otlp/otlp_protobuf.h"

// A body may be malformed in its last byte, and then nothing may be stored. A body whose points fit
// one batch is parsed once, and stored after its end. A longer one is first parsed to its end,
// before its first batch is stored.

namespace hourcell {
namespace {

constexpr std::string_view kProtobufType = "application/x-protobuf";
constexpr std::string_view kJsonType = "application/json";

// The media type of a Content-Type header, in lower case, without parameters.
std::string MediaType(std::string_view header) {
  header = header.substr(0, header.find(';'));
  while (header.ends_with(' ') || header.ends_with('\t'))
    header.remove_suffix(1);
  return LowerCase(header);
}

absl::Status ReadBody(std::string_view body, bool is_json, OtlpSink* sink) {
  return is_json ? ReadOtlpJson(body, sink) : ReadOtlpProtobuf(body, sink);
}

// Parses a body only for its faults.
class NoSink : public OtlpSink {
 public:
  explicit NoSink(BodyWork* work) : work_(work) {}
  bool Step() override { return work_ == nullptr || work_->Step(); }
  void TakeResource(const OtlpAttributes& /*attributes*/) override {}
  bool TakePoint(const OtlpMetric& /*metric*/, const OtlpPoint& /*point*/) override {
    return Step();
  }

 private:
  BodyWork* const work_;
};

// Maps an HTTP status to google.rpc.Code.
int32_t RpcCode(int status) {
  switch (status) {
    case 400:
      return 3;  // INVALID_ARGUMENT
    case 403:
      return 7;  // PERMISSION_DENIED
    case 503:
      return 14;  // UNAVAILABLE
    default:
      return 13;  // INTERNAL
  }
}

// A google.rpc.Status.
HttpResponse OtlpError(int status, const std::string& text, bool is_json) {
  HttpResponse response;
  response.status = status;
  response.content_type = is_json ? kJsonType : kProtobufType;
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  if (is_json) {
    JsonWriter json(&response.body);
    json.OpenObject();
    json.Field("code", RpcCode(status));
    json.Field("message", text);
    json.CloseObject();
  } else {
    protozero::pbf_writer message(response.body);
    message.add_int32(1, RpcCode(status));
    message.add_string(2, text);
  }
  return response;
}

// An ExportMetricsServiceResponse; empty if no data points are refused.
std::string ResponseBody(size_t refused, const std::string& text, bool is_json) {
  std::string body;
  if (is_json) {
    JsonWriter json(&body);
    json.OpenObject();
    if (refused > 0) {
      json.Key("partialSuccess");
      json.OpenObject();
      json.Field("rejectedDataPoints", std::to_string(refused));
      json.Field("errorMessage", text);
      json.CloseObject();
    }
    json.CloseObject();
  } else if (refused > 0) {
    protozero::pbf_writer message(body);
    protozero::pbf_writer partial(message, 1);
    partial.add_int64(1, static_cast<int64_t>(refused));
    partial.add_string(2, text);
  }
  return body;
}

HttpResponse OtlpAnswer(const InputWriter& writer, bool is_json) {
  if (writer.must_wait()) return AnswerWhereItMayWait();
  const int status = writer.status();
  const bool is_partial = status == 400 && writer.items_wrong() > 0;
  const std::string text = status == 204 ? "" : writer.FaultText("data point");
  if (status != 204 && !is_partial) return OtlpError(status, text, is_json);
  HttpResponse response;
  response.content_type = is_json ? kJsonType : kProtobufType;
  response.body = ResponseBody(writer.items_wrong(), text, is_json);
  return response;
}

}  // namespace

OtlpHandler::OtlpHandler(Parts parts, InputSettings settings)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      writer_(parts_.tsdb, parts_.append),
      counters_(&parts_.tsdb->stats(), "otlp"),
      no_value_(counters_.Dropped("no_value")),
      not_finite_(counters_.Dropped("not_finite")),
      attributes_(counters_.Dropped("attribute")),
      exemplars_(counters_.Dropped("exemplar")) {}

HttpResponse OtlpHandler::Write(const HttpRequest& request, BodyWork* work) const {
  const std::string type = MediaType(request.header("content-type"));
  const bool is_json = type == kJsonType;
  if (!is_json && type != kProtobufType) {
    return OtlpError(415,
                     fmt::format("Content-Type: expected {} or {}, got {}", kProtobufType,
                                 kJsonType, QuoteForMessage(type)),
                     /*is_json=*/true);
  }
  return Store(request, is_json, work);
}

HttpResponse OtlpHandler::RefuseBody(const absl::Status& fault, bool is_json) const {
  writer_.CountRefused(PointErrorKind::kIllegalArgument, 1);
  counters_.refused()->Add(1);
  return OtlpError(400, fmt::format("body: {}; nothing of it is stored", MessageOf(fault)),
                   is_json);
}

HttpResponse OtlpHandler::Store(const HttpRequest& request, bool is_json, BodyWork* work) const {
  absl::Status whole;
  const auto may_store = [&] {
    NoSink nothing(work);
    whole = ReadBody(request.body, is_json, &nothing);
    return whole.ok();
  };
  InputWriter out(&writer_, request.may_wait, may_store, work);
  out.KeepItemsWhole();
  out.LimitNewSeries(request.new_series_limit());
  NewMetadata news(parts_.metadata, parts_.names);
  OtlpSeries series(parts_.names, &settings_, &out, &news);
  const absl::Status read = ReadBody(request.body, is_json, &series);
  if (out.may_not_store()) return RefuseBody(whole, is_json);
  if (!read.ok()) return RefuseBody(read, is_json);
  if (news.has_any() && !request.may_wait) return AnswerWhereItMayWait();
  out.Finish();
  if (!out.must_wait()) {
    if (news.has_any()) news.Store();
    news.CountDropped();
    CountDropped(series.dropped());
    counters_.Count(out);
  }
  return OtlpAnswer(out, is_json);
}

void OtlpHandler::CountDropped(const OtlpDropped& dropped) const {
  no_value_->Add(dropped.no_value);
  not_finite_->Add(dropped.not_finite);
  attributes_->Add(dropped.attributes);
  exemplars_->Add(dropped.exemplars);
}

}  // namespace hourcell
