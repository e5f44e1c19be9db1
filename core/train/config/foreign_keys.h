// Configuration keys of PyTorch trainers and our keys for the same settings.
#pragma once

#include <span>
#include <string_view>

namespace vrp {

// The names that other trainers give to one setting, and our hint.
struct ForeignKey {
  std::string_view names;  // separated by spaces, in lower case with '_'
  // "use KEY", "not configurable: " and the reason, or "not a configuration key: " and the remedy.
  std::string_view hint;
};

// Returns the table of all foreign keys.
std::span<const ForeignKey> ForeignKeys();

// Returns the hint for the unknown key `path`, such as "training.use_amp" or "use-amp". Only the
// last part of `path` counts, in any section. Returns "" if the table does not have the key.
std::string_view ForeignKeyHint(std::string_view path);

}  // namespace vrp
