// CSV and JSON of simulation_report.h.

#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bench/lab/simulate/report/append_text.h"
#include "bench/lab/simulate/report/simulation_report.h"
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

std::string JsonQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<uint8_t>(c) < 0x20) {
      AppendText(&quoted, "\\u{:04x}", static_cast<uint8_t>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// Writes objects and arrays with commas where they belong.
class JsonWriter {
 public:
  explicit JsonWriter(std::string* out) : out_(*out) {}

  void Open(char bracket) {
    Separate();
    out_ += bracket;
    is_first_ = true;
  }
  void Close(char bracket) {
    out_ += bracket;
    is_first_ = false;
  }
  void Name(std::string_view name) {
    Separate();
    AppendText(&out_, "\"{}\":", name);
    is_first_ = true;
  }
  void Text(std::string_view name, std::string_view text) {
    Name(name);
    out_ += JsonQuoted(text);
    is_first_ = false;
  }
  void Key(std::string_view name, std::string_view key) { Text(name, ToStringBinary(key)); }
  void Count(std::string_view name, uint64_t count) {
    Name(name);
    AppendText(&out_, "{}", count);
    is_first_ = false;
  }
  void Real(std::string_view name, double real) {
    Name(name);
    AppendText(&out_, "{:.6g}", std::isfinite(real) ? real : 0.0);
    is_first_ = false;
  }
  void Item(double real) {
    Separate();
    AppendText(&out_, "{:.6g}", real);
  }
  void Item(std::string_view text) {
    Separate();
    out_ += JsonQuoted(text);
  }

 private:
  void Separate() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
  }

  std::string& out_;
  bool is_first_ = true;
};

void AppendDesign(const SimulationResult& result, JsonWriter* json) {
  json->Name("design");
  json->Open('{');
  json->Text("name", result.design.name);
  json->Text("layout", result.design.layout);
  json->Text("fields", result.layout_fields);
  json->Text("distributor", result.design.distributor);
  json->Text("presplit", result.design.presplit);
  json->Text("policy", SplitPolicyName(result.design.settings.regions.split.policy));
  json->Count("seed", result.design.settings.seed);
  json->Close('}');
}

void AppendTotals(const SimulationResult& result, JsonWriter* json) {
  const TableTotals& totals = result.totals;
  json->Name("totals");
  json->Open('{');
  json->Count("puts", totals.puts);
  json->Count("steps", result.steps);
  json->Count("start_ms", result.start_ms);
  json->Count("end_ms", result.end_ms);
  json->Count("regions", result.regions.size());
  json->Count("empty_regions", result.empty_regions());
  json->Real("max_over_mean", result.max_over_mean());
  json->Real("gini", result.spread.gini);
  json->Real("relative_deviation", result.spread.relative_deviation);
  json->Real("hot_share_mean", result.windows.mean_hot_share());
  json->Real("hot_share_p99", result.windows.p99_hot_share());
  json->Count("written_bytes", totals.written_bytes);
  json->Count("flushes", totals.flushes);
  json->Count("flushed_bytes", totals.flushed_bytes);
  json->Count("lsm_compactions", totals.rewrites);
  json->Count("lsm_compaction_bytes", totals.rewritten_bytes);
  json->Real("write_amplification", result.write_amplification());
  json->Count("blocked_puts", totals.blocked);
  json->Count("stall_ms", totals.stall_ms);
  json->Count("expired_points", totals.expired.cells);
  json->Real("row_key_bytes", result.key_bytes);
  json->Count("scan_ranges", result.scan_ranges);
  json->Close('}');
}

void AppendRegion(const SimulatedRegion& region, JsonWriter* json) {
  json->Open('{');
  json->Count("id", region.info.id.value);
  json->Count("parent", region.info.parents.empty() ? 0 : region.info.parents[0].value);
  json->Key("start", region.info.range.start);
  json->Key("end", region.info.range.end);
  json->Count("puts", region.puts);
  json->Count("rows", region.rows);
  json->Count("cells", region.cells);
  json->Count("hbase_bytes", region.hbase_bytes);
  json->Count("hourcell_bytes", region.hourcell_bytes);
  json->Count("memory_bytes", region.memory_bytes);
  json->Count("file_bytes", region.file_bytes);
  json->Count("files", region.files);
  json->Count("flushes", region.flushes);
  json->Count("flushed_bytes", region.flushed_bytes);
  json->Count("lsm_compactions", region.rewrites);
  json->Count("lsm_compaction_bytes", region.rewritten_bytes);
  json->Count("threshold_bytes", region.threshold_bytes);
  json->Count("blocked_puts", region.blocked);
  json->Count("opened_ms", region.opened_ms);
  json->Real("parent_left_share", region.left_share);
  json->Real("hot_share", region.hot_share);
  json->Key("heaviest_row", region.heaviest_row);
  json->Real("heaviest_share", region.heaviest_share);
  json->Text("unsplittable", region.why_unsplittable);
  json->Close('}');
}

void AppendTimeline(const SimulationResult& result, JsonWriter* json) {
  json->Name("timeline");
  json->Open('[');
  for (const Incident& incident : result.timeline.incidents()) {
    json->Open('{');
    json->Count("time_ms", incident.time_ms);
    json->Text("kind", IncidentName(incident.kind));
    json->Count("region", incident.region.value);
    json->Key("key", incident.key);
    json->Real("left_share", incident.left_share);
    json->Count("bytes", incident.bytes);
    json->Count("duration_ms", incident.duration_ms);
    json->Count("regions", incident.regions);
    json->Text("cause", SplitCauseName(incident.cause));
    json->Text("reason", incident.reason);
    json->Close('}');
  }
  json->Close(']');
  json->Name("curve");
  json->Open('[');
  for (const CurvePoint& point : result.windows.curve()) {
    json->Open('{');
    json->Count("time_ms", point.time_ms);
    json->Count("regions", point.regions);
    json->Count("empty_regions", point.empty_regions);
    json->Count("memory_bytes", point.memory_bytes);
    json->Count("file_bytes", point.file_bytes);
    json->Count("files", point.files);
    json->Close('}');
  }
  json->Close(']');
}

void AppendHeat(const HeatMatrix& heat, JsonWriter* json) {
  json->Name("heat");
  json->Open('{');
  json->Count("start_ms", heat.start_ms);
  json->Count("step_ms", heat.step_ms);
  json->Count("steps", heat.steps);
  json->Name("row_starts");
  json->Open('[');
  for (const std::string& start : heat.row_starts)
    json->Item(ToStringBinary(start));
  json->Close(']');
  json->Name("puts");
  json->Open('[');
  for (const double puts : heat.puts)
    json->Item(puts);
  json->Close(']');
  json->Close('}');
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
  json.Open('[');
  for (const SimulationResult& result : results) {
    json.Open('{');
    AppendDesign(result, &json);
    AppendTotals(result, &json);
    json.Name("regions");
    json.Open('[');
    for (const SimulatedRegion& region : result.regions)
      AppendRegion(region, &json);
    json.Close(']');
    AppendTimeline(result, &json);
    AppendHeat(result.heat, &json);
    json.Name("predictions");
    json.Open('[');
    for (const Prediction& prediction : Predict(result)) {
      json.Open('{');
      json.Text("kind", PredictionName(prediction.kind));
      json.Text("level", prediction.is_warning ? "warning" : "advice");
      json.Text("text", prediction.text);
      json.Close('}');
    }
    json.Close(']');
    json.Close('}');
  }
  json.Close(']');
  text += '\n';
  return text;
}

}  // namespace hourcell
