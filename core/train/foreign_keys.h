// Names that PyTorch trainers use for what a training configuration says in its own words.
#pragma once

#include <span>
#include <string_view>

namespace vrp {

struct ForeignKey {
  std::string_view names;  // between blanks, in lower case with '_'
  std::string_view hint;   // "here it is KEY", or "there is nothing to set: " and the reason
};

// Every one that is known here.
std::span<const ForeignKey> ForeignKeys();

// Returns the hint for the unknown key `path` by its last part, in whatever section it stands:
// "training.use_amp", "use-amp". Empty: nothing is known of it.
std::string_view ForeignKeyHint(std::string_view path);

}  // namespace vrp
