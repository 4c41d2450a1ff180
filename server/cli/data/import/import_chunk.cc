#include "server/cli/data/import/import_chunk.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "codec/text/put_line.h"
#include "server/histograms/histogram_line.h"
#include "server/rollups/rollup_line.h"

namespace hourcell {
namespace {

// Number of lines parsed before their workers are looked up. They fit in the processor's cache.
constexpr size_t kRoutesAtOnce = 64;

// Histograms that are written at once, so that a write of the storage is bounded.
constexpr size_t kHistogramsAtOnce = 1000;

PointError TooLong(std::string_view line, const ImportRules& rules) {
  const bool is_point = rules.foreign.format == ImportFormat::kOpenTsdb && !IsHistogramLine(line);
  return {.text = fmt::format("line longer than {} bytes",
                              is_point ? kLineBytesMax : LineBytesMaxOf(rules.foreign.format))};
}

}  // namespace

void ImportChunk::Begin(size_t file, const std::string& file_name) {
  file_ = file;
  file_name_ = file_name;
  text_.clear();
  lines_.clear();
  lines_taken_ = 0;
  faults_.clear();
  has_new_series_ = false;
  pieces_used_ = 0;
}

void ImportChunk::AddLine(const Line& line) {
  HOURCELL_DCHECK(lines_.empty() || line.number >= first_number_ + lines_.size());
  if (lines_.empty()) first_number_ = line.number;
  lines_.push_back({.begin = text_.size(),
                    .size = line.text.size(),
                    .too_long = line.too_long,
                    .fault = line.fault});
  text_.append(line.text);
}

void ImportChunk::Parse(const ImportRules& rules, size_t workers, const ImportRoutes& routes) {
  Translate(rules);
  Reset(workers);
  has_new_series_ = false;
  pieces_used_ = workers;
  if (workers > 1 && ParseByWorker(rules, routes)) return;
  has_new_series_ = workers > 1;
  Reset(workers);
  pieces_used_ = 1;
  PointText parser;
  LinePoint point;
  for (size_t i = 0; i < units() && MayGoOn(rules); ++i) {
    if (!ParseUnit(i, rules, &parser, &point)) continue;
    pieces_[0].points.push_back(point);
    pieces_[0].lines.push_back(static_cast<uint32_t>(LineOf(i)));
  }
  if (MayGoOn(rules)) lines_taken_ = lines_.size();
}

// Only histograms may be as long as the reader allows.
bool ImportChunk::IsTooLong(size_t line) const {
  return lines_[line].too_long ||
         (lines_[line].size > kLineBytesMax && !IsHistogramLine(TextOf(line)));
}

void ImportChunk::Translate(const ImportRules& rules) {
  if (rules.foreign.format == ImportFormat::kOpenTsdb) return;
  if (translator_ == nullptr) translator_ = MakeLineTranslator(rules.foreign);
  made_.Clear();
  for (size_t i = 0; i < lines_.size(); ++i) {
    made_.BeginLine(static_cast<uint32_t>(i));
    if (lines_[i].too_long) {
      made_.AddFault(TooLong(TextOf(i), rules));
    } else if (!lines_[i].fault.empty()) {
      made_.AddFault({.text = std::string(lines_[i].fault)});
    } else {
      translator_->Translate(TextOf(i), &made_);
    }
  }
}

void ImportChunk::Reset(size_t workers) {
  lines_taken_ = 0;
  faults_.clear();
  names_.clear();
  pieces_.resize(workers);
  for (Piece& piece : pieces_) {
    piece.points.clear();
    piece.lines.clear();
    piece.refused.clear();
    piece.status = absl::OkStatus();
  }
  histograms_.sent.clear();
  histograms_.lines.clear();
  histograms_.refused.clear();
  histograms_.taken = 0;
}

bool ImportChunk::ParseByWorker(const ImportRules& rules, const ImportRoutes& routes) {
  PointText parser;
  std::array<LinePoint, kRoutesAtOnce> points;
  std::array<uint32_t, kRoutesAtOnce> lines;
  std::array<uint8_t, kRoutesAtOnce> workers;
  size_t i = 0;
  while (i < units() && MayGoOn(rules)) {
    size_t count = 0;
    for (; i < units() && count < kRoutesAtOnce && MayGoOn(rules); ++i) {
      if (!ParseUnit(i, rules, &parser, &points[count])) continue;
      lines[count++] = static_cast<uint32_t>(LineOf(i));
    }
    if (!routes.FindAll(std::span(points).first(count), workers)) return false;
    for (size_t k = 0; k < count; ++k) {
      Piece& piece = pieces_[workers[k]];
      piece.points.push_back(points[k]);
      piece.lines.push_back(lines[k]);
    }
  }
  if (MayGoOn(rules)) lines_taken_ = lines_.size();
  return true;
}

bool ImportChunk::ParseUnit(size_t unit,
                            const ImportRules& rules,
                            PointText* parser,
                            LinePoint* point) {
  const size_t line = LineOf(unit);
  lines_taken_ = line + 1;
  if (translator_ == nullptr && !IsTooLong(line) && IsHistogramLine(TextOf(line))) {
    const std::string_view text = TextOf(line);
    const Parsed<SentHistogram> histogram = ParseHistogramLine(
        rules.histograms, text.substr(text.find(' ') + 1), PointSyntax::kImport, rules.limits);
    if (histogram.ok()) {
      histograms_.sent.push_back(*histogram);
      histograms_.lines.push_back(static_cast<uint32_t>(line));
    } else {
      faults_.push_back({.line = line, .error = histogram.error()});
    }
    return false;
  }
  std::optional<PointError> error = PointOf(unit, rules, parser, point);
  if (!error.has_value()) return true;
  faults_.push_back({.line = line, .error = *std::move(error)});
  return false;
}

std::optional<PointError> ImportChunk::PointOf(size_t unit,
                                               const ImportRules& rules,
                                               PointText* parser,
                                               LinePoint* point) {
  if (translator_ == nullptr) {
    if (IsTooLong(unit)) return TooLong(TextOf(unit), rules);
    return ParseLine(TextOf(unit), rules, parser, point);
  }
  const ImportLines::Unit& made = made_.unit(unit);
  if (made.fault.has_value()) return made_.FaultOf(made);
  return ParseLine(made_.TextOf(made), rules, parser, point);
}

std::optional<PointError> ImportChunk::ParseLine(std::string_view line,
                                                 const ImportRules& rules,
                                                 PointText* parser,
                                                 LinePoint* point) {
  if (translator_ == nullptr && IsRollupLine(line)) return ParseRollup(line, rules, parser, point);
  if (HasQuotedName(line)) {
    return ParseQuotedLine(line, rules.limits, parser, &names_.emplace_back(), point);
  }
  return ParsePointLine(line, PointSyntax::kImport, rules.limits, parser, point);
}

std::optional<PointError> ImportChunk::ParseRollup(std::string_view line,
                                                   const ImportRules& rules,
                                                   PointText* parser,
                                                   LinePoint* point) {
  HOURCELL_DCHECK(IsRollupLine(line));
  line.remove_prefix(line.find(' ') + 1);
  RollupTarget target;
  if (auto fault = ParseRollupWords(line, PointSyntax::kImport, rules.limits, parser, &target)) {
    return fault;
  }
  const Parsed<LinePoint> level =
      LevelLineOf(rules.rollups, target, parser->point(), &names_.emplace_back());
  if (!level.ok()) return level.error();
  *point = *level;
  return std::nullopt;
}

void ImportChunk::WritePiece(size_t piece, PointSink* sink) {
  Piece& here = pieces_[piece];
  if (!here.points.empty()) here.status = sink->Write(here.points, &here.refused);
  if (piece == 0 && here.status.ok()) here.status = WriteHistograms(sink);
}

absl::Status ImportChunk::WriteHistograms(PointSink* sink) {
  const std::span<const SentHistogram> all(histograms_.sent);
  for (size_t begin = 0; begin < all.size(); begin += kHistogramsAtOnce) {
    const HistogramPoints some(all.subspan(begin, std::min(kHistogramsAtOnce, all.size() - begin)));
    std::vector<RefusedPoint> refused;
    HOURCELL_RETURN_IF_ERROR(sink->WriteHistograms(some.points(), &refused));
    histograms_.taken += some.points().size() - refused.size();
    for (RefusedPoint& one : refused) {
      one.index += begin;
      histograms_.refused.push_back(std::move(one));
    }
  }
  return absl::OkStatus();
}

void ImportChunk::LearnRoutes(ImportRoutes* routes) const {
  HOURCELL_DCHECK(has_new_series());
  routes->Learn(pieces_[0].points);
}

absl::Status ImportChunk::status() const {
  for (size_t i = 0; i < pieces_used_; ++i) {
    if (!pieces_[i].status.ok()) return pieces_[i].status;
  }
  return absl::OkStatus();
}

uint64_t ImportChunk::points_taken() const {
  uint64_t taken = 0;
  for (size_t i = 0; i < pieces_used_; ++i) {
    const Piece& piece = pieces_[i];
    if (piece.status.ok()) taken += piece.points.size() - piece.refused.size();
  }
  return taken;
}

uint64_t ImportChunk::histograms_taken() const {
  return histograms_.taken;
}

bool ImportChunk::has_bad_lines() const {
  return !faults_.empty() || !histograms_.refused.empty() ||
         std::any_of(pieces_.begin(), pieces_.begin() + static_cast<ptrdiff_t>(pieces_used_),
                     [](const Piece& piece) { return !piece.refused.empty(); });
}

std::vector<ImportChunk::BadLine> ImportChunk::BadLines() const {
  std::vector<BadLine> bad;
  const auto add = [&](size_t line, const PointError& error) {
    bad.push_back({.number = first_number_ + line, .text = TextOf(line), .error = error});
  };
  for (const Fault& fault : faults_)
    add(fault.line, fault.error);
  for (size_t i = 0; i < pieces_used_; ++i) {
    for (const RefusedPoint& point : pieces_[i].refused)
      add(pieces_[i].lines[point.index], point.error);
  }
  for (const RefusedPoint& histogram : histograms_.refused)
    add(histograms_.lines[histogram.index], histogram.error);
  std::ranges::sort(bad, {}, &BadLine::number);
  return bad;
}

}  // namespace hourcell
