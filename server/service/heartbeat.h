// What a stream of a job's events sends while nothing happens.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

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

// With the job's place in the queue, which `position` tells: 0 for none.
template <typename Response>
std::function<Response()> HeartbeatOf(const Clock& clock, std::function<int32_t()> position) {
  return [plain = HeartbeatOf<Response>(clock), position = std::move(position)] {
    Response message = plain();
    message.set_queue_position(position());
    return message;
  };
}

}  // namespace vrp
