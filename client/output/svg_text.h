// Builds SVG documents.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace vrp::client {

// Colours of lines. They are dark enough on white, and neighbours are distinct with most kinds of
// colour blindness.
inline constexpr std::array<const char*, 12> kSvgColours = {
    "#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#17becf",
    "#8c564b", "#e377c2", "#556b2f", "#00008b", "#b8860b", "#7f7f7f"};

// Returns the text with the characters of XML escaped and control characters removed.
std::string SvgEscaped(std::string_view text);
// Returns at most `max_length` bytes of the text, with "..." where it was cut.
std::string SvgShortened(const std::string& text, size_t max_length);
// Returns the beginning of a document with a white background. It ends with "</svg>".
std::string SvgHeader(double width, double height, std::string_view title);

}  // namespace vrp::client
