// One measurement as a JSON line, with what a reader must know to trust it: commit, processor,
// threads, load, spread.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace vrp {

// CPU seconds of this process, all threads.
double ProcessCpuSeconds();

// Of the calling thread.
double ThreadCpuSeconds();

double Median(std::vector<double> values);

// Prints `line` with device, threads, load1, peak_mem_mib, cpu_flags and commit added, and flushes.
void PrintMeasurement(nlohmann::ordered_json line, int threads);

}  // namespace vrp
