// ImportChunk: a few thousand lines of one file on their way into a store, and their results.
//
//   reader    Begin, AddLine
//   a worker  Parse: translates foreign lines, parses points, and distributes them among the
//             workers by series; histograms are the first worker's
//   workers   WritePiece, each its own piece
//   reader    counts and reports the errors in the order of lines
//
// Thread-compatible, except that threads may call WritePiece for different pieces at once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/point.h"
#include "codec/text/point_error.h"
#include "codec/text/point_text.h"
#include "engine/tsdb.h"
#include "server/cli/data/import/import_lines.h"
#include "server/cli/data/import/import_routes.h"
#include "server/cli/data/import/line_reader.h"
#include "server/cli/data/point_sink.h"
#include "server/histograms/histogram_codecs.h"
#include "server/histograms/sent_histogram.h"
#include "server/rollups/rollup_rules.h"

namespace hourcell {

// Rules for parsing lines.
struct ImportRules {
  PointLimits limits = {};
  bool skip_errors = false;  // skip bad lines and continue
  ForeignRules foreign = {};
  RollupRules rollups = {};                           // of lines of the command `rollup`
  HistogramCodecs histograms = {.has_any_id = true};  // of lines of the command `histogram`
};

class ImportChunk {
 public:
  struct BadLine {
    uint64_t number = 0;
    std::string_view text;  // of this chunk
    PointError error;
  };

  // Empties the chunk and keeps its memory. `file` counts the import's files from 1.
  void Begin(size_t file, const std::string& file_name);
  // Copies a line. REQUIRES: it follows the chunk's last line in the file.
  void AddLine(const Line& line);
  size_t size() const { return lines_.size(); }
  size_t bytes() const { return text_.size(); }
  // Bytes read of all files when the chunk became full, for the progress.
  void set_bytes_done(uint64_t bytes) { bytes_done_ = bytes; }

  // Parses the lines into points, up to the first bad line unless errors are skipped. If a series
  // is new to `routes`, makes one piece with all points in the order of lines, so that names get
  // UIDs in that order; else one piece for each of the `workers`.
  void Parse(const ImportRules& rules, size_t workers, const ImportRoutes& routes);

  // After Parse: write every piece once, each to a different sink.
  size_t pieces() const { return pieces_used_; }
  void WritePiece(size_t piece, PointSink* sink);
  // Adds the new series to `routes`. REQUIRES: has_new_series().
  void LearnRoutes(ImportRoutes* routes) const;
  bool has_new_series() const { return has_new_series_; }

  // The results, after all pieces are written. status() is the first failure of a sink.
  absl::Status status() const;
  uint64_t points_taken() const;
  uint64_t histograms_taken() const;
  // Lines that Parse has read.
  uint64_t lines_taken() const { return lines_taken_; }
  // Lines that do not parse, and refused points, in the order of lines.
  std::vector<BadLine> BadLines() const;
  bool has_bad_lines() const;

  size_t file() const { return file_; }
  const std::string& file_name() const { return file_name_; }
  uint64_t bytes_done() const { return bytes_done_; }

 private:
  struct LineRef {
    size_t begin = 0;  // in text_
    size_t size = 0;
    bool too_long = false;
    std::string_view fault = {};  // found by the reader
  };
  struct Fault {
    size_t line = 0;  // index into lines_
    PointError error;
  };
  struct Piece {
    std::vector<LinePoint> points;  // views into text_ or made_
    std::vector<uint32_t> lines;    // index into lines_ for each point
    std::vector<RefusedPoint> refused;
    absl::Status status;
  };
  // Histograms are written in the order of lines, after the points of their piece.
  struct Histograms {
    std::vector<SentHistogram> sent;
    std::vector<uint32_t> lines;
    std::vector<RefusedPoint> refused;
    size_t taken = 0;
  };

  std::string_view TextOf(size_t line) const {
    return std::string_view(text_).substr(lines_[line].begin, lines_[line].size);
  }
  // Units are parsed one by one: the lines, or the translator's lines.
  size_t units() const { return translator_ == nullptr ? lines_.size() : made_.size(); }
  size_t LineOf(size_t unit) const { return translator_ == nullptr ? unit : made_.unit(unit).line; }
  bool IsTooLong(size_t line) const;
  void Translate(const ImportRules& rules);
  // Parses a unit into `point`; returns its fault, or nullopt.
  std::optional<PointError> PointOf(size_t unit,
                                    const ImportRules& rules,
                                    PointText* parser,
                                    LinePoint* point);
  std::optional<PointError> ParseLine(std::string_view line,
                                      const ImportRules& rules,
                                      PointText* parser,
                                      LinePoint* point);
  // REQUIRES: IsRollupLine(line).
  std::optional<PointError> ParseRollup(std::string_view line,
                                        const ImportRules& rules,
                                        PointText* parser,
                                        LinePoint* point);
  absl::Status WriteHistograms(PointSink* sink);
  void Reset(size_t workers);
  bool MayGoOn(const ImportRules& rules) const { return rules.skip_errors || faults_.empty(); }
  // False if the unit is a histogram, which it keeps, or is bad, and has a fault then.
  bool ParseUnit(size_t unit, const ImportRules& rules, PointText* parser, LinePoint* point);
  // False at a new series, with part of the work done.
  bool ParseByWorker(const ImportRules& rules, const ImportRoutes& routes);

  size_t file_ = 0;
  std::string file_name_;
  uint64_t bytes_done_ = 0;
  uint64_t first_number_ = 0;  // of the first line, from 1
  std::string text_;           // all lines, without their ends
  std::vector<LineRef> lines_;
  std::unique_ptr<LineTranslator> translator_;  // null: lines are import lines
  ImportLines made_;                            // the translator's lines

  std::deque<std::string> names_;  // of quoted names and of levels; points borrow them

  uint64_t lines_taken_ = 0;
  std::vector<Fault> faults_;
  bool has_new_series_ = false;
  size_t pieces_used_ = 0;
  std::vector<Piece> pieces_;
  Histograms histograms_;
};

}  // namespace hourcell
