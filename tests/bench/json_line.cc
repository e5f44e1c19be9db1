#include "tests/bench/json_line.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace vrp {
namespace {

// Returns the CPU flags that decide which products run. Measurements without these flags cannot be
// compared.
std::string CpuFlags() {
  std::ifstream file("/proc/cpuinfo");
  std::string found;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == "avx2" || word == "avx512f" || word == "avx512_bf16" || word == "amx_bf16") {
        found += (found.empty() ? "" : " ") + word;
      }
    }
    break;
  }
  return found;
}

}  // namespace

double ProcessCpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + time.tv_usec * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double ThreadCpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void PrintMeasurement(nlohmann::ordered_json line, int threads) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  double load = 0;
  getloadavg(&load, 1);
  const char* commit = std::getenv("VRP_BENCH_COMMIT");
  line["device"] = "cpu";
  line["threads"] = threads;
  line["load1"] = load;
  line["peak_mem_mib"] = static_cast<double>(usage.ru_maxrss) / 1024;
  line["cpu_flags"] = CpuFlags();
  line["commit"] = commit == nullptr ? "" : commit;
  std::cout << line.dump() << std::endl;
}

}  // namespace vrp
