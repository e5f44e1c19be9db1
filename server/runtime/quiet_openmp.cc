#include "server/runtime/quiet_openmp.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace vrp {

void KeepOpenMpQuiet(char** arguments) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr && std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("GOMP_SPINCOUNT", "0", 0);
  // By its own path: run as /proc/self/exe it would be "exe" to ps and pkill.
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) execv(program.c_str(), arguments);
  execv("/proc/self/exe", arguments);
}

}  // namespace vrp
