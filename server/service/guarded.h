// Converts exceptions of the standard library to errors, so that they do not end the daemon.
#pragma once

#include <exception>
#include <new>

#include "absl/status/status.h"
#include "core/base/text.h"
#include "server/convert/status_convert.h"

namespace vrp {

// Returns `work()`, or an error if `work` throws.
template <typename Work>
auto CallGuarded(Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return WithReason(
        absl::ResourceExhaustedError("not enough memory for this request; make it smaller"),
        "OUT_OF_MEMORY");
  } catch (const std::exception& error) {
    return absl::InternalError(
        Concat("unexpected exception: ", error.what(), "; report it with the request id"));
  }
}

}  // namespace vrp
