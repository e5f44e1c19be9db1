// Text: joining it, and what may be shown to people and sent in messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace vrp {

// Debian builds Abseil with a string_view of its own, which is not std's.
inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view FromAbsl(absl::string_view text) { return {text.data(), text.size()}; }

template <typename T>
const T& ToAbsl(const T& other) {
  return other;
}

// absl::StrCat that takes std::string_view too.
template <typename... Parts>
std::string Concat(const Parts&... parts) {
  return absl::StrCat(ToAbsl(parts)...);
}

// `text` as it is where that can be printed, else with every odd byte as \xFF: fit for messages.
std::string Escaped(std::string_view text);

// Escaped, in double quotes; of a long text only the start.
std::string Quoted(std::string_view text);

// Valid UTF-8 (no overlong forms, no surrogates) without control characters. Empty text is.
bool IsPrintableUtf8(std::string_view text);

// Insertions, removals and replacements of one byte that make `b` of `a` (Levenshtein 1966).
size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace vrp
