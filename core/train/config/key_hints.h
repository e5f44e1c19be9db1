// Suggestions for unknown keys.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace vrp {

// Returns the text to append to "unknown key". For a name of PyTorch trainers, the text is the hint
// of foreign_keys.h: "; use training.amp". If keys of `known` have the same name in another
// section, the text suggests these. Otherwise the text suggests the nearest key: "; did you mean
// training.epochs?". Returns "" if no key is near. Keys are `section.key`, `key`, or `section.`,
// which is never suggested.
std::string KeyHint(std::string_view path, const std::set<std::string>& known);

}  // namespace vrp
