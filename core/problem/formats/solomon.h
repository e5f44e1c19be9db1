// Solomon's and Gehring and Homberger's files: a name, the table VEHICLE, the table CUSTOMER.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

inline constexpr std::string_view kSolomonFormat = "Solomon's format";  // in errors

// Reads a VRPTW whose distances are cut to one decimal (Metric::kDimacs).
absl::StatusOr<Instance> ParseSolomon(std::string_view text, std::string_view name);

// Writes a VRPTW. Returns kUnimplemented if the tables have no place for a value; fields that they
// have no column for are left out, so the caller compares what is read back.
absl::StatusOr<std::string> WriteSolomon(const InstanceData& data);

}  // namespace vrp
