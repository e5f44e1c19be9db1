// Joins text, and makes text safe to show and to send in messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace vrp {

// Converts `text` to Abseil's own string_view, which differs from std's in Debian's build.
inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view FromAbsl(absl::string_view text) { return {text.data(), text.size()}; }

template <typename T>
const T& ToAbsl(const T& other) {
  return other;
}

// Concatenates the parts like absl::StrCat. Also accepts std::string_view.
template <typename... Parts>
std::string Concat(const Parts&... parts) {
  return absl::StrCat(ToAbsl(parts)...);
}

// Returns `text` unchanged if it is printable UTF-8. Otherwise escapes the text as in C, and every
// byte beyond ASCII as hex, such as \xFF.
std::string Escaped(std::string_view text);

// Returns the first 80 bytes of `text`, escaped, in double quotes. Marks longer text by "...".
std::string Quoted(std::string_view text);

// Whether `text` is valid UTF-8 (no overlong forms, no surrogates) without control characters.
// Returns true for empty text.
bool IsPrintableUtf8(std::string_view text);

// Returns the smallest number of insertions, removals and replacements of one byte that turn `a`
// into `b` (Levenshtein 1966).
size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace vrp
