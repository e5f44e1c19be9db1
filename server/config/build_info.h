// Returns the versions of this program and its parts, and the folder of the models that come with
// it.
#pragma once

#include <string>

namespace vrp {

std::string Version();       // for example "0.1.0"
std::string GitCommit();     // commit of the build; "unknown" if built outside a repository
std::string ProgramName();   // for example "vrpd 0.1.0 (1a2b3c4)"
std::string TorchVersion();  // for example "2.11.0"; empty if built without LibTorch

// Returns the folder of the models that come with the program: ../share/vrp/models of an installed
// program, else the folder in the source tree. The folder may be absent.
std::string ShippedModelsDirectory();

}  // namespace vrp
