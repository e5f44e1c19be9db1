#include "server/support/restart.h"

#include <linux/close_range.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace vrp {
namespace {

void Execute(char** arguments) {
  // Uses the program's own path, because ps and pkill would know /proc/self/exe as "exe".
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) execv(program.c_str(), arguments);
  execv("/proc/self/exe", arguments);
}

}  // namespace

void DisableOpenMpSpinning(char** arguments) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr && std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("GOMP_SPINCOUNT", "0", 0);
  Execute(arguments);
}

void RestartProgram(char** arguments) {
  // Libraries may have opened files without CLOEXEC. Descriptors 0 to 2 stay open for the log.
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  Execute(arguments);
}

}  // namespace vrp
