// CSV and JSON of simulation_report.h.

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "bench/lab/simulate/report/append_text.h"
#include "bench/lab/simulate/report/simulation_report.h"
#include "codec/base/json_writer.h"
#include "engine/regions/region_name.h"

namespace hourcell {
namespace {

// RFC 4180: quotes are doubled.
std::string CsvQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void AddReal(double real, JsonWriter* json) {
  AppendText(json->RawValue(), "{:.6g}", std::isfinite(real) ? real : 0.0);
}

void AddReal(std::string_view name, double real, JsonWriter* json) {
  json->Key(name);
  AddReal(real, json);
}

void AddRowKey(std::string_view name, std::string_view key, JsonWriter* json) {
  json->Field(name, ToStringBinary(key));
}

void AppendDesign(const SimulationResult& result, JsonWriter* json) {
  json->Key("design");
  json->OpenObject();
  json->Field("name", result.design.name);
  json->Field("layout", result.design.layout);
  json->Field("fields", result.layout_fields);
  json->Field("distributor", result.design.distributor);
  json->Field("presplit", result.design.presplit);
  json->Field("policy", SplitPolicyName(result.design.settings.regions.split.policy));
  json->Field("seed", result.design.settings.seed);
  json->CloseObject();
}

void AppendTotals(const SimulationResult& result, JsonWriter* json) {
  const TableTotals& totals = result.totals;
  json->Key("totals");
  json->OpenObject();
  json->Field("puts", totals.puts);
  json->Field("steps", result.steps);
  json->Field("start_ms", result.start_ms);
  json->Field("end_ms", result.end_ms);
  json->Field("regions", result.regions.size());
  json->Field("empty_regions", result.empty_regions());
  AddReal("max_over_mean", result.max_over_mean(), json);
  AddReal("gini", result.spread.gini, json);
  AddReal("relative_deviation", result.spread.relative_deviation, json);
  AddReal("hot_share_mean", result.windows.mean_hot_share(), json);
  AddReal("hot_share_p99", result.windows.p99_hot_share(), json);
  json->Field("written_bytes", totals.written_bytes);
  json->Field("flushes", totals.flushes);
  json->Field("flushed_bytes", totals.flushed_bytes);
  json->Field("lsm_compactions", totals.rewrites);
  json->Field("lsm_compaction_bytes", totals.rewritten_bytes);
  AddReal("write_amplification", result.write_amplification(), json);
  json->Field("blocked_puts", totals.blocked);
  json->Field("stall_ms", totals.stall_ms);
  json->Field("expired_points", totals.expired.cells);
  AddReal("row_key_bytes", result.key_bytes, json);
  json->Field("scan_ranges", result.scan_ranges);
  json->CloseObject();
}

void AppendRegion(const SimulatedRegion& region, const KeyWords& words, JsonWriter* json) {
  json->OpenObject();
  json->Field("id", region.info.id.value);
  json->Field("parent", region.info.parents.empty() ? 0 : region.info.parents[0].value);
  AddRowKey("start", region.info.range.start, json);
  json->Field("start_text", words.Of(region.info.range.start));
  AddRowKey("end", region.info.range.end, json);
  json->Field("puts", region.puts);
  json->Field("rows", region.rows);
  json->Field("cells", region.cells);
  json->Field("hbase_bytes", region.hbase_bytes);
  json->Field("hourcell_bytes", region.hourcell_bytes);
  json->Field("memory_bytes", region.memory_bytes);
  json->Field("file_bytes", region.file_bytes);
  json->Field("files", region.files);
  json->Field("flushes", region.flushes);
  json->Field("flushed_bytes", region.flushed_bytes);
  json->Field("lsm_compactions", region.rewrites);
  json->Field("lsm_compaction_bytes", region.rewritten_bytes);
  json->Field("threshold_bytes", region.threshold_bytes);
  json->Field("blocked_puts", region.blocked);
  json->Field("opened_ms", region.opened_ms);
  AddReal("parent_left_share", region.left_share, json);
  AddReal("hot_share", region.hot_share, json);
  AddRowKey("heaviest_row", region.heaviest_row, json);
  json->Field("heaviest_row_text", words.Of(region.heaviest_row));
  AddReal("heaviest_share", region.heaviest_share, json);
  json->Field("unsplittable", region.why_unsplittable);
  json->CloseObject();
}

void AppendTimeline(const SimulationResult& result, JsonWriter* json) {
  json->Key("timeline");
  json->OpenArray();
  for (const Incident& incident : result.timeline.incidents()) {
    json->OpenObject();
    json->Field("time_ms", incident.time_ms);
    json->Field("kind", IncidentName(incident.kind));
    json->Field("region", incident.region.value);
    AddRowKey("key", incident.key, json);
    json->Field("key_text", result.words.Of(incident.key));
    AddReal("left_share", incident.left_share, json);
    json->Field("bytes", incident.bytes);
    json->Field("duration_ms", incident.duration_ms);
    json->Field("regions", incident.regions);
    json->Field("cause", SplitCauseName(incident.cause));
    json->Field("reason", incident.reason);
    json->CloseObject();
  }
  json->CloseArray();
  json->Key("curve");
  json->OpenArray();
  for (const CurvePoint& point : result.windows.curve()) {
    json->OpenObject();
    json->Field("time_ms", point.time_ms);
    json->Field("regions", point.regions);
    json->Field("empty_regions", point.empty_regions);
    json->Field("memory_bytes", point.memory_bytes);
    json->Field("file_bytes", point.file_bytes);
    json->Field("files", point.files);
    json->CloseObject();
  }
  json->CloseArray();
}

void AppendHeat(const HeatMatrix& heat, const KeyWords& words, JsonWriter* json) {
  json->Key("heat");
  json->OpenObject();
  json->Field("start_ms", heat.start_ms);
  json->Field("step_ms", heat.step_ms);
  json->Field("steps", heat.steps);
  json->Key("row_starts");
  json->OpenArray();
  for (const std::string& start : heat.row_starts)
    json->Value(ToStringBinary(start));
  json->CloseArray();
  json->Key("row_texts");
  json->OpenArray();
  for (const std::string& start : heat.row_starts)
    json->Value(words.Of(start));
  json->CloseArray();
  json->Key("puts");
  json->OpenArray();
  for (const double puts : heat.puts)
    AddReal(puts, json);
  json->CloseArray();
  json->CloseObject();
}

}  // namespace

std::string CsvText(const SimulationResult& result) {
  std::string text =
      "id,parent,start,end,puts,rows,cells,hbase_bytes,hourcell_bytes,memory_bytes,file_bytes,"
      "files,flushes,flushed_bytes,lsm_compactions,lsm_compaction_bytes,threshold_bytes,"
      "blocked_puts,opened_ms,parent_left_share,hot_share,unsplittable\n";
  for (const SimulatedRegion& region : result.regions) {
    AppendText(&text, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6g},{:.6g},{}\n",
               region.info.id.value, region.info.parents.empty() ? 0 : region.info.parents[0].value,
               CsvQuoted(ToStringBinary(region.info.range.start)),
               CsvQuoted(ToStringBinary(region.info.range.end)), region.puts, region.rows,
               region.cells, region.hbase_bytes, region.hourcell_bytes, region.memory_bytes,
               region.file_bytes, region.files, region.flushes, region.flushed_bytes,
               region.rewrites, region.rewritten_bytes, region.threshold_bytes, region.blocked,
               region.opened_ms, region.left_share, region.hot_share,
               CsvQuoted(region.why_unsplittable));
  }
  return text;
}

std::string JsonText(std::span<const SimulationResult> results) {
  std::string text;
  JsonWriter json(&text);
  json.OpenArray();
  for (const SimulationResult& result : results) {
    json.OpenObject();
    AppendDesign(result, &json);
    AppendTotals(result, &json);
    json.Key("regions");
    json.OpenArray();
    for (const SimulatedRegion& region : result.regions)
      AppendRegion(region, result.words, &json);
    json.CloseArray();
    AppendTimeline(result, &json);
    AppendHeat(result.heat, result.words, &json);
    json.Key("predictions");
    json.OpenArray();
    for (const Prediction& prediction : Predict(result)) {
      json.OpenObject();
      json.Field("kind", PredictionName(prediction.kind));
      json.Field("level", prediction.is_warning ? "warning" : "advice");
      json.Field("text", prediction.text);
      json.CloseObject();
    }
    json.CloseArray();
    json.CloseObject();
  }
  json.CloseArray();
  text += '\n';
  return text;
}

}  // namespace hourcell
