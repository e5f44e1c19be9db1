// A certificate for daemons of tests.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace vrp::test {

// A file with a certificate that is valid so long from now on, signed by itself, and its key in PEM
// form; mode 0600.
void WriteSelfSignedPair(const std::string& path, absl::Duration valid = absl::Hours(1));

}  // namespace vrp::test
