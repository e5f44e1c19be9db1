// Training configurations that are built in: the files of configs/.
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
  // Return the file's first and second comment line, without the full stop: what it trains; its
  // size and duration.
  std::string Trains() const;
  std::string Takes() const;
};

// The preset that `train` uses by default: the smallest whose model is useful.
inline constexpr absl::string_view kDefaultPreset = "ptrnet_tiny";

// Returns all presets, sorted by name.
std::span<const Preset> Presets();

// Returns the preset `name`; '-' may stand for '_'. kInvalidArgument lists them all.
absl::StatusOr<Preset> FindPreset(absl::string_view name);

}  // namespace vrp::client
