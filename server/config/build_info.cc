#include "server/config/build_info.h"

#include <filesystem>
#include <system_error>

#include "vrp_git_commit.h"

namespace vrp {

std::string Version() { return VRP_VERSION; }
std::string GitCommit() { return VRP_GIT_COMMIT; }
std::string ProgramName() { return "vrpd " VRP_VERSION " (" VRP_GIT_COMMIT ")"; }
std::string TorchVersion() { return VRP_TORCH_VERSION; }

std::string ShippedModelsDirectory() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path installed =
      program.parent_path().parent_path() / "share" / "vrp" / "models";
  return std::filesystem::is_directory(installed, error) ? installed.string()
                                                         : VRP_SHIPPED_MODELS_DIR;
}

}  // namespace vrp
