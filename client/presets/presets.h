// The built-in training configurations: the files of configs/.
#pragma once

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace vrp::client {

struct Preset {
  absl::string_view name;  // of the file, without ".yaml"
  absl::string_view yaml;  // the whole file

  std::string FileName() const;
  // Return the file's first comment line (the trained model) and the second (size and duration),
  // without the full stop.
  std::string Trains() const;
  std::string Takes() const;
};

// Default of `train`: the smallest preset whose model is useful.
inline constexpr absl::string_view kDefaultPreset = "ptrnet_tiny";

// Returns all presets, sorted by name.
std::span<const Preset> Presets();

// Returns the preset `name`; '-' may stand for '_'. kInvalidArgument lists them all.
absl::StatusOr<Preset> FindPreset(absl::string_view name);

}  // namespace vrp::client
