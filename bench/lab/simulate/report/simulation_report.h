// Reports of simulations as text: region-helper's classic report, a readable table, CSV and JSON
// for programs, and a comparison of designs. Keys are printed as in HBase's shell. Pure.

#pragma once

#include <span>
#include <string>

#include "bench/lab/simulate/report/prediction.h"
#include "bench/lab/simulate/simulation.h"

namespace hourcell {

// ClassicReport (region_report.h) of all puts to each region's keys.
std::string ClassicText(const SimulationResult& result);

struct TableTextOptions {
  size_t regions_max = 40;    // lines of regions; the busiest and largest if there are more
  size_t incidents_max = 20;  // lines of the timeline, from its beginning
};

// The input of the simulation, totals, a line per region, predictions.
std::string TableText(const SimulationResult& result, const TableTextOptions& options = {});

// Splits, merges, stalls and failed splits, a line each.
std::string TimelineText(const SimulationResult& result, size_t incidents_max);

// A line per region under a line of names. Texts are quoted as in RFC 4180.
std::string CsvText(const SimulationResult& result);

// An array with an object for each result: design, totals, regions, timeline, curve, heat,
// predictions. Bytes, milliseconds. Keys are bytes and, if they are known, words.
std::string JsonText(std::span<const SimulationResult> results);

// A comparison of the designs.
std::string CompareText(std::span<const SimulationResult> results);

}  // namespace hourcell
