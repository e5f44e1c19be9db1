// The text of a CVRPLIB file.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/problem/formats/vrplib/vrplib_form.h"

namespace vrp {

// Writes the keywords before all sections, as PyVRP's reader wants them. Fields that the format has
// no section for are left out, so the caller compares what is read back. Returns kUnimplemented for
// values that a section cannot hold.
absl::StatusOr<std::string> WriteVrplibText(const VrplibForm& form);

}  // namespace vrp
