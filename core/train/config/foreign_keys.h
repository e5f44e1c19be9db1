// Configuration keys of PyTorch trainers and our keys for the same settings.
#pragma once

#include <span>
#include <string_view>

namespace vrp {

// Names of one setting elsewhere.
struct ForeignKey {
  std::string_view names;  // separated by blanks, in lower case with '_'
  // "use KEY", "not configurable: " and the reason, or "not a configuration key: " and the remedy.
  std::string_view hint;
};

// Returns the table of all foreign keys.
std::span<const ForeignKey> ForeignKeys();

// Returns the hint for the unknown key `path` by its last part, in any section: "training.use_amp",
// "use-amp". Returns "" if the table does not have the key.
std::string_view ForeignKeyHint(std::string_view path);

}  // namespace vrp
