// Writes certificates for tests.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace vrp::test {

// Writes a self-signed certificate and its key to `path` in PEM form, with mode 0600. The
// certificate is valid from now for `valid`.
void WriteSelfSignedPair(const std::string& path, absl::Duration valid = absl::Hours(1));

}  // namespace vrp::test
