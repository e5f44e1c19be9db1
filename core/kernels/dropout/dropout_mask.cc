#include "core/kernels/dropout/dropout_mask.h"

namespace vrp {

void WriteMaskOnCpu(const DropoutMask& mask) {
  for (int64_t row = 0; row < mask.rows(); ++row) WriteMaskRow(SerialGroup(), mask, row);
}

}  // namespace vrp
