// What the gRPC services work with.
#pragma once

#include <cstdint>

#include "core/base/clock.h"
#include "server/support/drain.h"
#include "server/support/message_budget.h"
#include "server/support/stream_hub.h"
#include "server/support/work_pool.h"

namespace vrp {

// All that is referred to outlives the services.
struct ServiceContext {
  WorkPool& solve_pool;  // for solving and EvaluateModel
  // For calls that may take long: publishing, loading, uploads, checks of a training's files.
  WorkPool& patient_pool;
  WorkPool& quick_pool;  // for all else
  StreamHub& streams;
  MessageBudget& messages;  // what requests may take in memory
  const Clock& clock;
  const Drain& drain;
  // Requests that BatchSolve reads ahead at least, for a GPU to work on together.
  int32_t read_ahead = 0;
};

}  // namespace vrp
