#include "server/telemetry/process_figures.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace vrp {
namespace {

// Reads the fields of /proc/self/stat that follow the program's name, which may contain blanks and
// brackets.
void ReadStat(ProcessFigures& figures) {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return;
  std::istringstream fields(line.substr(name_end + 1));
  constexpr int kSkipped = 11;  // fields from state (3) to cmajflt (13)
  std::string skipped;
  for (int i = 0; i < kSkipped; ++i) fields >> skipped;
  int64_t user = 0, system = 0, children_user = 0, children_system = 0, priority = 0, nice = 0;
  fields >> user >> system >> children_user >> children_system >> priority >> nice;
  fields >> figures.threads;
  figures.cpu_seconds =
      static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

ProcessFigures ReadProcessFigures() {
  ProcessFigures figures;
  ReadStat(figures);
  std::ifstream memory("/proc/self/statm");
  int64_t size = 0, resident = 0;
  if (memory >> size >> resident) figures.resident_bytes = resident * sysconf(_SC_PAGESIZE);
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error)) {
    ++figures.open_files;
  }
  return figures;
}

}  // namespace vrp
