// Parses the command line of vrpd.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/vrpd_options.h"

namespace vrp {

// A text that vrpd prints before it exits: --help, --version, --new-token, --print-options.
struct PrintAndExit {
  std::string text;
};

// The values of --restore, which creates a state folder from a backup and exits.
struct RestoreRequest {
  std::string archive;
  std::string state_dir;
};

// The values of --forget-jobs, which moves the remains of a lost job database aside and exits.
struct ForgetRequest {
  std::string state_dir;
};

using CommandLine = std::variant<VrpdOptions, PrintAndExit, RestoreRequest, ForgetRequest>;

// Parses `arguments`, without the program's name, and reads the file of --config. Flags override
// the file. --version prints `version`. Returns kInvalidArgument naming the first wrong flag, every
// wrong key of the file, or the first option that Merge refuses. Also returns the error of ReadFile
// for the file.
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments,
                                             const std::string& version);

}  // namespace vrp
