// Messages of an idle stream of job events.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "core/base/clock.h"
#include "server/convert/time_convert.h"

namespace vrp {

// Returns a function that makes events without a sequence number. `clock` outlives it.
template <typename Response>
std::function<Response()> HeartbeatOf(const Clock& clock) {
  return [&clock] {
    Response message;
    *message.mutable_time() = ToProto(clock.Now());
    return message;
  };
}

// Adds the job's queue position, for which it calls `position`; 0: not queued.
template <typename Response>
std::function<Response()> HeartbeatOf(const Clock& clock, std::function<int32_t()> position) {
  return [plain = HeartbeatOf<Response>(clock), position = std::move(position)] {
    Response message = plain();
    message.set_queue_position(position());
    return message;
  };
}

}  // namespace vrp
