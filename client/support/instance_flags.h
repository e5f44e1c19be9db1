// The flags of the commands that read instances from files.
#pragma once

#include <istream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "vrp/v1/instance.pb.h"

namespace CLI {
class App;
}

namespace vrp::client {

// The values of the flags.
struct InstanceFlags {
  std::string format = "auto";
  std::string objective = {};  // empty: the file's own, as for `metric`
  std::string metric = {};
  std::string roads = {};  // name of a road network; empty: the file's own

  // Whether --objective or --metric is given.
  bool any_override() const { return !objective.empty() || !metric.empty(); }
};

// Adds --format, --objective, --metric and --roads. `formats` are the words that --format accepts.
void AddInstanceOptions(CLI::App& command, InstanceFlags& flags, const std::string& formats);

// Returns an InstanceFile without name and content. Returns kInvalidArgument naming a flag that has
// an unknown word.
absl::StatusOr<v1::InstanceFile> EmptyInstanceFile(const InstanceFlags& flags);

// Whether the file may name a road network, whose service may take minutes for a large instance.
bool MayNameRoads(const v1::InstanceFile& file);
// Time for a road network's service, besides the usual timeout of a call.
inline constexpr absl::Duration kRoadsTimeout = absl::Minutes(10);

// Reads the file at `path`, which must hold one instance; "-" means `standard_input`. Returns the
// errors of ReadInput and EmptyInstanceFile.
absl::StatusOr<v1::InstanceFile> ReadInstanceFile(const std::string& path,
                                                  const InstanceFlags& flags,
                                                  std::istream& standard_input);

}  // namespace vrp::client
