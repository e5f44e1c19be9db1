// Prints one measurement as a JSON line with its context: commit, CPU, threads, load, peak memory.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace vrp {

// Returns the CPU seconds of all threads of this process.
double ProcessCpuSeconds();

// Returns the CPU seconds of the calling thread.
double ThreadCpuSeconds();

double Median(std::vector<double> values);

// Adds device, threads, load1, peak_mem_mib, cpu_flags and commit to `line`, prints it and flushes.
void PrintMeasurement(nlohmann::ordered_json line, int threads);

}  // namespace vrp
