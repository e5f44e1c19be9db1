// A certificate for daemons of tests.
#pragma once

#include <string>

namespace vrp::test {

// A file with a certificate of an hour, signed by itself, and its key in PEM form; mode 0600.
void WriteSelfSignedPair(const std::string& path);

}  // namespace vrp::test
