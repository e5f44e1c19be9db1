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

// --restore: make a state folder of a backup, and nothing else.
struct RestoreRequest {
  std::string archive;
  std::string state_dir;
};

// --forget-jobs: put the jobs aside, and nothing else.
struct ForgetRequest {
  std::string state_dir;
};

using CommandLine = std::variant<VrpdOptions, PrintAndExit, RestoreRequest, ForgetRequest>;

// `arguments` without the program's name. Reads the file that --config names; flags win over it.
// `version` is what --version prints. kInvalidArgument and kNotFound say what to mend.
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments,
                                             const std::string& version);

}  // namespace vrp
