// Numbers as Prometheus prints them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell::promql {

// A value in a response and a label of count_values: the shortest decimal that reads back as
// `value`, never with an exponent; "NaN", "+Inf", "-Inf".
std::string NumberText(double value);
void AppendNumber(double value, std::string* out);

// A number in an expression, as Go's %v prints it: 1e+06, 0.001.
std::string LiteralText(double value);

// Unix milliseconds as seconds with at most three decimals: 1435781430.781.
void AppendSeconds(int64_t ms, std::string* out);

// A duration: 90000 -> "1m30s"; 0 -> "0s".
std::string DurationText(int64_t ms);

// Go's strconv.ParseFloat of a whole text, as for the label `le`. False: not a number.
bool ParseNumber(std::string_view text, double* value);

}  // namespace hourcell::promql
