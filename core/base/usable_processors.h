// How many processors this process may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vrp {

// Returns the number of processors that the process may use at a time: those of its affinity, or
// fewer if a control group limits its share of time, as containers do. At least 1.
int32_t UsableProcessors();

// Returns the limit of the control groups of `membership`, the text of /proc/self/cgroup, whose
// files are below `root` (/sys/fs/cgroup), rounded up; nullopt without a limit. Reads versions 1
// and 2. A limit of a parent counts too.
std::optional<int32_t> ProcessorLimit(const std::string& membership, const std::string& root);

}  // namespace vrp
