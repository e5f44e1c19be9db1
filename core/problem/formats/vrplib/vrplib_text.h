// Writes the text of a CVRPLIB file.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/problem/formats/vrplib/vrplib_form.h"

namespace vrp {

// Writes all keywords before the sections, as PyVRP's reader requires. Omits fields that have no
// section, so the caller must parse the text and compare the instances. Returns kUnimplemented for
// values that a section cannot hold.
absl::StatusOr<std::string> WriteVrplibText(const VrplibForm& form);

}  // namespace vrp
