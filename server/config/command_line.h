// vrpd's command line.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/vrpd_options.h"

namespace vrp {

// --help, --version, --new-token: a text to print, and nothing else to do.
struct PrintAndExit {
  std::string text;
};

// `arguments` without the program's name. Reads the file that --config names; flags win over it.
// `version` is what --version prints. kInvalidArgument and kNotFound say what to mend.
absl::StatusOr<std::variant<VrpdOptions, PrintAndExit>> ParseCommandLine(
    const std::vector<std::string>& arguments, const std::string& version);

}  // namespace vrp
