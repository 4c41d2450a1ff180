#include "server/inputs/prometheus/prom_write_handler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "codec/limits.h"
#include "server/text/ascii.h"

// A message may be malformed in its last byte, and then nothing may be stored. A message whose
// points fit one batch is parsed once, and stored after its end. A longer one is first parsed to
// its end, before its first batch is stored.

namespace hourcell {
namespace {

constexpr std::string_view kContentType = "application/x-protobuf";
constexpr std::string_view kProto1 = "prometheus.WriteRequest";
constexpr std::string_view kProto2 = "io.prometheus.write.v2.Request";

// Prometheus has samples with the time 0, which a store does not accept.
constexpr std::string_view kTimeZero =
    "bad timestamp=0: expected 1 to 4294967295999 ms, got 0 ms; the other samples are stored";

bool HasTimeZero(const PromSeries& series) {
  return std::ranges::any_of(series.samples, [](const PromSample& each) { return each.ms == 0; });
}

// All NaNs but the stale marker are one.
Value StoredValue(double value) {
  if (std::bit_cast<uint64_t>(value) == Value::kStaleMarkerBits) return Value::StaleMarker();
  return std::isnan(value) ? Value::NotANumber() : Value::Float(value);
}

// A word of a header, without surrounding blanks and quotes.
std::string_view Stripped(std::string_view text) {
  constexpr std::string_view kAround = " \t\"";
  const size_t begin = text.find_first_not_of(kAround);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kAround) - begin + 1);
}

// The message that a Content-Type names; nullopt if unknown. Clients of version 1 may omit it.
std::optional<PromWriteVersion> VersionOf(std::string_view header) {
  if (Stripped(header).empty()) return PromWriteVersion::k1;
  size_t end = std::min(header.find(';'), header.size());
  if (LowerCase(Stripped(header.substr(0, end))) != kContentType) return std::nullopt;
  std::string_view proto = kProto1;
  while (end < header.size()) {
    header.remove_prefix(end + 1);
    end = std::min(header.find(';'), header.size());
    const std::string_view parameter = Stripped(header.substr(0, end));
    if (LowerCase(parameter).starts_with("proto=")) proto = Stripped(parameter.substr(6));
  }
  if (proto == kProto1) return PromWriteVersion::k1;
  return proto == kProto2 ? std::optional(PromWriteVersion::k2) : std::nullopt;
}

HttpResponse TextAnswer(int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=UTF-8";
  response.body = std::move(text);
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse PromAnswer(const InputWriter& writer) {
  if (writer.must_wait()) return AnswerWhereItMayWait();
  if (writer.status() != 204) return TextAnswer(writer.status(), writer.FaultText("series"));
  HttpResponse response;
  response.status = 204;
  return response;
}

// The fault of a malformed body; "" if well-formed, or if the work ended first.
std::string FaultOf(std::string_view body, PromWriteVersion version, BodyWork* work) {
  PromWriteRequest request(body, version);
  while ((work == nullptr || work->Step()) && request.Next(/*wants_text=*/false)) {
  }
  return request.error();
}

// True if the body budget has room for version 2's symbol table, which grows by doubling.
bool HasRoomForSymbols(const HttpRequest& request, PromWriteVersion version) {
  RequestBodyBudget::Hold* const memory = request.memory;
  const bool counts = version == PromWriteVersion::k2 && memory != nullptr;
  if (!counts || request.body.size() <= kSmallBodyBytesMax) return true;
  const size_t symbols = std::min(request.body.size() / 2, kPromSymbolsMax);
  return memory->Grow(memory->bytes() + 2 * symbols * sizeof(std::string_view));
}

void AddWritten(size_t samples, size_t histograms, size_t exemplars, HttpResponse* response) {
  constexpr std::string_view kWritten = "X-Prometheus-Remote-Write-{}-Written";
  response->headers.emplace_back(fmt::format(kWritten, "Samples"), std::to_string(samples));
  response->headers.emplace_back(fmt::format(kWritten, "Histograms"), std::to_string(histograms));
  response->headers.emplace_back(fmt::format(kWritten, "Exemplars"), std::to_string(exemplars));
}

std::optional<HttpResponse> RefuseType(std::string_view type) {
  if (VersionOf(type).has_value()) return std::nullopt;
  return TextAnswer(415, fmt::format("Content-Type: expected {} with proto={} or {}, got {}",
                                     kContentType, kProto1, kProto2, QuoteForMessage(type)));
}

}  // namespace

PromWriteHandler::PromWriteHandler(Parts parts, InputSettings settings)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      writer_(parts_.tsdb, parts_.append),
      counters_(&parts_.tsdb->stats(), "prometheus"),
      histograms_(counters_.Dropped("histogram")),
      exemplars_(counters_.Dropped("exemplar")) {}

HttpResponse PromWriteHandler::Write(const HttpRequest& request, BodyWork* work) const {
  const std::string_view type = request.header("content-type");
  if (auto refusal = RefuseType(type)) return *std::move(refusal);
  return Store(request, *VersionOf(type), work);
}

std::optional<HttpResponse> PromWriteHandler::RefuseHead(const HttpRequest& head) {
  if (auto refusal = RefuseType(head.header("content-type"))) return refusal;
  const std::string_view encoding = head.header("content-encoding");
  if (encoding.empty() || EqualsIgnoringCase(encoding, "snappy")) return std::nullopt;
  return TextAnswer(
      415, fmt::format("Content-Encoding: expected snappy, got {}", QuoteForMessage(encoding)));
}

HttpResponse PromWriteHandler::RefuseBody(const std::string& fault,
                                          PromWriteVersion version) const {
  writer_.CountRefused(PointErrorKind::kIllegalArgument, 1);
  counters_.refused()->Add(1);
  HttpResponse response = TextAnswer(400, fmt::format("body: {}; nothing of it is stored", fault));
  if (version == PromWriteVersion::k2) AddWritten(0, 0, 0, &response);
  return response;
}

HttpResponse PromWriteHandler::Store(const HttpRequest& request,
                                     PromWriteVersion version,
                                     BodyWork* work) const {
  if (!HasRoomForSymbols(request, version))
    return TextAnswer(503, std::string(kNoRequestBodyBudget));
  std::string fault;  // of the body
  const auto may_store = [&] {
    fault = FaultOf(request.body, version, work);
    return fault.empty();
  };
  InputWriter out(&writer_, request.may_wait, may_store, work);
  out.LimitNewSeries(request.new_series_limit());
  PromWriteRequest series(request.body, version);
  Dropped dropped;
  NewMetadata news(parts_.metadata, parts_.names);
  while (out.HasRoom() && series.Next(out.wants_faults())) {
    if (!series.fault().empty()) {
      out.Refuse(series.number(), series.fault());
      continue;
    }
    AddSeries(series, &out, &dropped);
    if (series.series().metadata.has_value()) news.Add(*series.series().metadata);
    if (HasTimeZero(series.series()))
      out.Refuse(series.number(), std::string(out.wants_faults() ? kTimeZero : "?"));
  }
  if (out.may_not_store()) return RefuseBody(fault, version);
  if (!series.error().empty()) return RefuseBody(series.error(), version);
  for (const MetricMetadata& metadata : series.metadata())
    news.Add(metadata);
  if (news.has_any() && !request.may_wait) return AnswerWhereItMayWait();
  out.Finish();
  if (!out.must_wait()) {
    if (news.has_any()) news.Store();
    news.CountDropped();
    CountDropped(dropped);
    counters_.Count(out);
  }
  HttpResponse response = PromAnswer(out);
  if (version == PromWriteVersion::k2) AddWrittenOf(out, dropped, &response);
  return response;
}

void PromWriteHandler::AddWrittenOf(const InputWriter& out,
                                    const Dropped& dropped,
                                    HttpResponse* response) {
  // After a store failure the sender repeats the whole request.
  const bool is_done = response->status < 500;
  const size_t stale = std::min<size_t>(dropped.stale_histograms, out.written());
  AddWritten(out.written() - stale, out.histograms_written() + stale,
             is_done ? dropped.exemplars : 0, response);
}

void PromWriteHandler::AddSeries(const PromWriteRequest& request,
                                 InputWriter* out,
                                 Dropped* dropped) const {
  const PromSeries& series = request.series();
  PointBatch* const batch = out->batch();
  dropped->exemplars += series.exemplars;
  const bool has_refused = !series.histograms.empty() && !settings_.has_whole_histograms;
  if (has_refused) {
    const size_t histograms = series.histograms.size();
    dropped->histograms += histograms;
    out->Refuse(request.number(),
                !out->wants_faults()
                    ? std::string()
                    : fmt::format("expected classic histograms, which are series with the label "
                                  "le, got {} native histogram{}",
                                  histograms, histograms == 1 ? "" : "s"));
  }
  if (series.samples.empty() && (series.histograms.empty() || has_refused)) return;
  const std::string_view tags = WriteTags(series, batch);
  char* const begin = batch->Reserve(series.name.size() + kNameSuffixBytes);
  const std::string_view metric = batch->Keep(begin, parts_.names->Write(series.name, begin));
  const LinePoint names{.metric = metric, .tags = tags, .timestamp = {}, .value = {}};
  if (!has_refused) AddHistograms(request, names, out, dropped);
  AddSamples(request, names, out);
}

void PromWriteHandler::AddSamples(const PromWriteRequest& request,
                                  const LinePoint& names,
                                  InputWriter* out) const {
  for (const PromSample& sample : request.series().samples) {
    if (sample.ms == 0) continue;  // refused
    out->batch()->Add({.metric = names.metric,
                       .tags = names.tags,
                       .timestamp = TimestampOfMs(sample.ms),
                       .value = StoredValue(sample.value),
                       .may_be_special = true},
                      request.number());
  }
}

void PromWriteHandler::AddHistograms(const PromWriteRequest& request,
                                     const LinePoint& names,
                                     InputWriter* out,
                                     Dropped* dropped) const {
  for (const PromHistogram& native : request.series().histograms) {
    if (native.is_stale && native.ms > 0) {
      // The marker of numbers. It ends the series for PromQL.
      ++dropped->stale_histograms;
      out->batch()->Add({.metric = names.metric,
                         .tags = names.tags,
                         .timestamp = TimestampOfMs(native.ms),
                         .value = Value::StaleMarker(),
                         .may_be_special = true},
                        request.number());
    } else if (!native.fault.empty() || native.ms <= 0) {
      out->Refuse(request.number(),
                  !native.fault.empty()
                      ? native.fault
                      : fmt::format("native histogram: expected 1 to {} ms, got {} ms",
                                    kTimestampMsMax, native.ms));
    } else {
      LinePoint point = names;
      point.timestamp = TimestampOfMs(native.ms);
      out->AddHistogram(point, native.histogram, request.number());
    }
  }
}

std::string_view PromWriteHandler::WriteTags(const PromSeries& series, PointBatch* batch) const {
  if (series.labels.empty()) return settings_.default_tag;
  return KeepTags(*parts_.names, series.labels, batch);
}

void PromWriteHandler::CountDropped(const Dropped& dropped) const {
  histograms_->Add(dropped.histograms);
  exemplars_->Add(dropped.exemplars);
}

}  // namespace hourcell
