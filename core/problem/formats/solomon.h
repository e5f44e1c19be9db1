// Reads and writes files of Solomon and of Gehring and Homberger: a name, the table VEHICLE, the
// table CUSTOMER.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

inline constexpr std::string_view kSolomonFormat = "Solomon's format";  // format name in errors

// Reads a VRPTW whose distances are rounded down to one decimal (Metric::kDimacs).
absl::StatusOr<Instance> ParseSolomon(std::string_view text, std::string_view name);

// Writes a VRPTW. Returns kUnimplemented if the tables cannot hold a value. Omits fields that have
// no column, so the caller must compare the instance that the text reads back to.
absl::StatusOr<std::string> WriteSolomon(const InstanceData& data);

}  // namespace vrp
