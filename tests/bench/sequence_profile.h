// The parts of a training step of the sequence transformer.
#pragma once

#include "core/base/isa.h"
#include "core/model/habits/sequence_transformer.h"
#include "tests/bench/sequence_case.h"

namespace vrp {

// Prints a line {"what": "sequence_profile"} with the milliseconds that each part of the forward
// and the backward pass takes for a batch, on one thread and a sequence at a time.
void MeasureSequenceProfile(Bf16 bf16, const SequenceTransformerOptions& network,
                            const SequenceCase& sizes);

}  // namespace vrp
