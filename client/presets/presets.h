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
  // What it trains, and how large and long that is: the first two lines of the file, which are
  // comments, without the full stop.
  std::string Trains() const;
  std::string Takes() const;
};

// Trained where the user names none: the smallest that gives a model of use.
inline constexpr absl::string_view kDefaultPreset = "ptrnet_tiny";

// By name.
std::span<const Preset> Presets();

// Returns the preset `name`; '-' may stand for '_'. kInvalidArgument suggests the nearest one.
absl::StatusOr<Preset> FindPreset(absl::string_view name);

}  // namespace vrp::client
