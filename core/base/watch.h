// Work that somebody outside watches, lest it hang unnoticed.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace vrp {

// A phase ("model load") of something ("models/a/versions/1") begins; it ends when what is given
// goes. Thread-safe.
using WatchFn =
    std::function<std::shared_ptr<const void>(std::string_view phase, std::string_view of)>;

// Null: nobody watches.
inline std::shared_ptr<const void> BeginWatch(const WatchFn& watch, std::string_view phase,
                                              std::string_view of) {
  return watch == nullptr ? nullptr : watch(phase, of);
}

}  // namespace vrp
