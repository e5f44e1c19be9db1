// What this program was built from.
#pragma once

#include <string>

namespace vrp {

std::string Version();       // "0.1.0"
std::string GitCommit();     // of the build; "unknown" outside a repository
std::string ProgramName();   // "vrpd 0.1.0 (1a2b3c4)"
std::string TorchVersion();  // "2.11.0"; empty: built without

// Models that come with the program: ../share/vrp/models of an installed one, the source tree's
// else; the folder may be absent.
std::string ShippedModelsDirectory();

}  // namespace vrp
