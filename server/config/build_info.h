// Versions that this program was built from, and the models that come with it.
#pragma once

#include <string>

namespace vrp {

std::string Version();       // "0.1.0"
std::string GitCommit();     // of the build; "unknown" outside a repository
std::string ProgramName();   // "vrpd 0.1.0 (1a2b3c4)"
std::string TorchVersion();  // "2.11.0"; empty if built without LibTorch

// Returns the folder of the models that come with the program: ../share/vrp/models of an installed
// one, else the source tree's. It may be absent.
std::string ShippedModelsDirectory();

}  // namespace vrp
