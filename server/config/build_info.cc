#include "server/config/build_info.h"

#include "vrp_git_commit.h"

namespace vrp {

std::string Version() { return VRP_VERSION; }
std::string GitCommit() { return VRP_GIT_COMMIT; }
std::string TorchVersion() { return VRP_TORCH_VERSION; }
std::string ShippedModelsDirectory() { return VRP_SHIPPED_MODELS_DIR; }

}  // namespace vrp
