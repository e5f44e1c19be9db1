// Builds the messages of an idle stream of job events.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "core/base/clock.h"
#include "server/convert/time_convert.h"

namespace vrp {

// Returns a function that builds events without a sequence number. `clock` outlives the function.
template <typename Response>
std::function<Response()> HeartbeatOf(const Clock& clock) {
  return [&clock] {
    Response message;
    *message.mutable_time() = ToProto(clock.Now());
    return message;
  };
}

// Returns a function that also sets the queue position that `position` returns; 0 means not queued.
template <typename Response>
std::function<Response()> HeartbeatOf(const Clock& clock, std::function<int32_t()> position) {
  return [plain = HeartbeatOf<Response>(clock), position = std::move(position)] {
    Response message = plain();
    message.set_queue_position(position());
    return message;
  };
}

}  // namespace vrp
