// Reports of simulations as text: region-helper's classic one, a table for people, CSV and JSON for
// programs, and several designs side by side. Keys are printed as HBase's shell prints them. Pure.

#pragma once

#include <span>
#include <string>

#include "bench/lab/simulate/report/prediction.h"
#include "bench/lab/simulate/simulation.h"

namespace hourcell {

// ClassicReport (region_report.h) of the puts ever to each region's keys.
std::string ClassicText(const SimulationResult& result);

struct TableTextOptions {
  size_t regions_max = 40;    // lines of regions; the busiest and largest if there are more
  size_t incidents_max = 20;  // lines of the timeline, from its beginning
};

// What was simulated, totals, a line a region, predictions.
std::string TableText(const SimulationResult& result, const TableTextOptions& options = {});

// Splits, merges, stalls and splits that could not be, a line each.
std::string TimelineText(const SimulationResult& result, size_t incidents_max);

// A line a region under a line of names. Texts are quoted as RFC 4180 has it.
std::string CsvText(const SimulationResult& result);

// An array with an object for each result: design, totals, regions, timeline, curve, heat,
// predictions. Bytes, milliseconds. Keys are there as bytes and, where they are known, in words.
std::string JsonText(std::span<const SimulationResult> results);

// Side by side, one design after the other.
std::string CompareText(std::span<const SimulationResult> results);

}  // namespace hourcell
