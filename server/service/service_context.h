// Holds the parts that the gRPC services share.
#pragma once

#include <cstdint>

#include "core/base/clock.h"
#include "server/support/drain.h"
#include "server/support/message_budget.h"
#include "server/support/stream_tracker.h"
#include "server/support/work_pool.h"
#include "vrp/v1/options.pb.h"

namespace vrp {

// References to the objects that the services share. All of them outlive the services.
struct ServiceContext {
  WorkPool& solve_pool;
  WorkPool& batch_pool;
  WorkPool& quick_pool;
  StreamTracker& streams;
  MessageBudget& messages;  // budget for the memory of requests
  const Clock& clock;
  const Drain& drain;
  // Minimum number of requests that BatchSolve reads ahead, so that a GPU can batch them.
  int32_t read_ahead = 0;

  // Returns the pool that handles requests of a work class.
  WorkPool& PoolFor(v1::WorkClass work) const {
    switch (work) {
      case v1::WORK_CLASS_SOLVE:
        return solve_pool;
      case v1::WORK_CLASS_BATCH:
        return batch_pool;
      default:
        return quick_pool;
    }
  }
};

}  // namespace vrp
