// Provides the built-in training configurations, which are the files of configs/.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace vrp::client {

// A built-in training configuration.
struct Preset {
  absl::string_view name;  // file name without ".yaml"
  absl::string_view yaml;  // content of the file

  std::string FileName() const;
  // Returns a line of the file's first comment, without the full stop: the trained model (line 1),
  // or its size and duration (line 2).
  std::string Description() const;
  std::string SizeAndTime() const;
};

// Name of the default preset of `train`: the smallest one whose model is useful.
inline constexpr absl::string_view kDefaultPreset = "ptrnet_tiny";

// Returns all presets, sorted by name.
std::span<const Preset> Presets();
// Returns the architectures that the presets train, sorted: the values of their key `model`.
std::vector<std::string> PresetArchitectures();

// Returns the preset `name`, in which '-' may replace '_'. Returns kInvalidArgument listing all
// presets if there is none.
absl::StatusOr<Preset> FindPreset(absl::string_view name);

}  // namespace vrp::client
