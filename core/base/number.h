// Converts between numbers and text, independently of the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vrp {

// Returns the shortest text that ParseNumber would read as `value`, such as "42", "0.1" or "1e+22";
// also "inf" and "nan".
std::string FormatNumber(double value);

// Parses all of `text` as a finite decimal number ("-3", "+2.5", "1e5"). Returns nullopt for other
// text, such as "inf", "nan", hex, a value beyond double's range, or trailing characters.
std::optional<double> ParseNumber(std::string_view text);
// Parses all of `text` as a decimal int64 ("-3", "+2"). Returns nullopt for other text.
std::optional<int64_t> ParseInteger(std::string_view text);

}  // namespace vrp
