#include "core/model/policy/engine_workers.h"

namespace vrp {

std::vector<InstanceRange> CutIntoGroups(const GroupOptions& options,
                                         absl::FunctionRef<int64_t(int32_t)> rows_before) {
  const int64_t rows = rows_before(options.instances);
  const int64_t min_groups = (rows + options.max_rows - 1) / options.max_rows;
  const int64_t groups = (min_groups + options.threads - 1) / options.threads * options.threads;
  const int32_t max_instances = options.max_active_instances > 0
                                    ? std::max(1, options.max_active_instances / options.threads)
                                    : std::max(1, options.instances);
  std::vector<InstanceRange> ranges;
  int32_t first = 0;
  for (int64_t g = 1; g <= groups; ++g) {
    int32_t end = first;
    while (end < options.instances && rows_before(end) * groups < rows * g) ++end;
    while (end - first > max_instances) {
      ranges.push_back({.first = first, .count = max_instances});
      first += max_instances;
    }
    if (end > first) ranges.push_back({.first = first, .count = end - first});
    first = end;
  }
  return ranges;
}

void ForEachWorker(CpuPool* pool, int64_t count, absl::FunctionRef<void(int64_t)> body) {
  if (pool == nullptr || count == 1) {
    body(0);
  } else {
    pool->ParallelFor(count, body);
  }
}

}  // namespace vrp
