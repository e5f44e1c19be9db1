// A hook that lets a watchdog notice work that hangs.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace vrp {

// Called when a phase ("model load") of an object ("models/a/versions/1") begins. The phase ends
// when the returned pointer is released. Thread-safe.
using WatchFn =
    std::function<std::shared_ptr<const void>(std::string_view phase, std::string_view object)>;

// Begins a phase and returns the pointer that ends it. Returns null if `watch` is null.
inline std::shared_ptr<const void> BeginWatch(const WatchFn& watch, std::string_view phase,
                                              std::string_view object) {
  return watch == nullptr ? nullptr : watch(phase, object);
}

}  // namespace vrp
