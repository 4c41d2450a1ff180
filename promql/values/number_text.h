// Numbers as Prometheus prints them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell::promql {

// A scalar in a response and a label of count_values: the shortest decimal that reads back as
// `value`, never with an exponent; "NaN", "+Inf", "-Inf".
std::string NumberText(double value);
void AppendNumber(double value, std::string* out);

// A value of a vector or matrix in a response: the same, but with an exponent below 1e-6 and from
// 1e21 on: 1.2e-07.
void AppendPointValue(double value, std::string* out);

// A number in an expression, as Go's %v prints it: 1e+06, 0.001.
std::string LiteralText(double value);

// The time of a point in a response: Unix milliseconds as seconds, with three decimals unless they
// are whole: 1435781430.780, 1435781430.
void AppendSeconds(int64_t ms, std::string* out);

// Go's strconv.ParseFloat of a whole text, as for the label `le`. False: not a number, or too large
// for a double.
bool ParseNumber(std::string_view text, double* value);

}  // namespace hourcell::promql
