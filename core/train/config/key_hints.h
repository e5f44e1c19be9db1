// Suggestions for unknown keys.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace vrp {

// Returns the text to append to "unknown key". For a name of PyTorch trainers (foreign_keys.h) it
// is "; use training.amp". Otherwise it suggests the keys of `known` with the same name in another
// section. Otherwise it suggests the nearest key: "; did you mean training.epochs?". Returns "" if
// no key is near. Keys are `section.key`, `key`, or `section.`, which is never suggested.
std::string KeyHint(std::string_view path, const std::set<std::string>& known);

}  // namespace vrp
