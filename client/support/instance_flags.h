// The flags of the commands that read instances from files.
#pragma once

#include <istream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vrp/v1/instance.pb.h"

namespace CLI {
class App;
}

namespace vrp::client {

struct InstanceFlags {
  std::string format = "auto";
  std::string objective = {};  // empty: the file's own, as for `metric`
  std::string metric = {};

  bool any_override() const { return !objective.empty() || !metric.empty(); }
};

// Adds --format, --objective and --metric. `formats` are the words that --format accepts.
void AddInstanceOptions(CLI::App& command, InstanceFlags& flags, const std::string& formats);

// Returns an InstanceFile without name and content. Returns kInvalidArgument naming a flag that has
// an unknown word.
absl::StatusOr<v1::InstanceFile> EmptyInstanceFile(const InstanceFlags& flags);

// Reads the only instance at `path`; "-" means `standard_input`.
absl::StatusOr<v1::InstanceFile> ReadInstanceFile(const std::string& path,
                                                  const InstanceFlags& flags,
                                                  std::istream& standard_input);

}  // namespace vrp::client
