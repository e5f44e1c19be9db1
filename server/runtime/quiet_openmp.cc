#include "server/runtime/quiet_openmp.h"

#include <unistd.h>

#include <cstdlib>

namespace vrp {

void KeepOpenMpQuiet(char** arguments) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr && std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("GOMP_SPINCOUNT", "0", 0);
  execv("/proc/self/exe", arguments);
}

}  // namespace vrp
