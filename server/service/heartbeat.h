// What a stream of a job's events sends while nothing happens.
#pragma once

#include <functional>

#include "core/base/clock.h"
#include "server/convert/time_convert.h"

namespace vrp {

// An event without a sequence number. `clock` outlives it.
template <typename Response>
std::function<Response()> HeartbeatOf(const Clock& clock) {
  return [&clock] {
    Response message;
    *message.mutable_time() = ToProto(clock.Now());
    return message;
  };
}

}  // namespace vrp
