// Conversions between numbers and text, independent of the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vrp {

// Returns the shortest text that reads back to `value`: "42", "0.1", "1e+22"; "inf", "nan".
std::string FormatNumber(double value);

// Parses all of `text` as a finite decimal number ("-3", "+2.5", "1e5"). Returns nullopt for
// anything else: "inf", "nan", hex, a value beyond double's range, trailing characters.
std::optional<double> ParseNumber(std::string_view text);
std::optional<int64_t> ParseInteger(std::string_view text);

}  // namespace vrp
