// What the libraries behind a device warn of. No torch in this header.
#pragma once

#include <functional>
#include <string_view>

namespace vrp {

inline constexpr int kMostDeviceWarnings = 1000;  // that differ; no more are told
// Tells each text once a process, however often it is warned of. Thread-safe.
void WarnOfDevice(std::string_view text);

// Who is told, in the thread that met it, one text at a time; null: standard error, a line each.
// Thread-safe.
void SetDeviceWarningListener(std::function<void(std::string_view)> listener);

}  // namespace vrp
