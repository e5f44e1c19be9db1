#include "core/kernels/optimiser/device_optimiser.h"

namespace vrp {

void OptimiseOnCpu(const OptimiserTask& task) {
  const SerialGroup group;
  double lanes[kNormLanes];
  for (int64_t block = 0; block < NormBlocks(task.size); ++block) {
    SumSquares(group, task, block, lanes);
  }
  DecideStep(group, task, lanes);
  for (int32_t piece = 0; piece < task.piece_count; ++piece) UpdatePieceOf(group, task, piece);
}

}  // namespace vrp
