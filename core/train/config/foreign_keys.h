// Configuration keys of PyTorch trainers, with the keys that they have here.
#pragma once

#include <span>
#include <string_view>

namespace vrp {

struct ForeignKey {
  std::string_view names;  // between blanks, in lower case with '_'
  // "use KEY", "not configurable: " and the reason, or "not a configuration key: " and the remedy.
  std::string_view hint;
};

// Returns all of them.
std::span<const ForeignKey> ForeignKeys();

// Returns the hint for the unknown key `path` by its last part, in whatever section it stands:
// "training.use_amp", "use-amp". Empty: nothing is known of it.
std::string_view ForeignKeyHint(std::string_view path);

}  // namespace vrp
