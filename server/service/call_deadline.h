// Returns the deadline of a call.
#pragma once

#include <grpc/support/time.h>

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "grpcpp/server_context.h"

namespace vrp {

// Returns the deadline on SteadyNow's clock, or the infinite future if there is none. Uses gRPC's
// clock, because the system clock may be set during a call.
inline absl::Time DeadlineOf(const grpc::ServerContextBase& context) {
  const gpr_timespec deadline = context.raw_deadline();
  const gpr_clock_type clock = deadline.clock_type;
  if (gpr_time_cmp(deadline, gpr_inf_future(clock)) == 0) return absl::InfiniteFuture();
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(clock));
  return SteadyNow() + absl::Seconds(left.tv_sec) + absl::Nanoseconds(left.tv_nsec);
}

}  // namespace vrp
