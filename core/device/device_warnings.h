// Warnings of the libraries behind a device. No torch in this header.
#pragma once

#include <functional>
#include <string_view>

namespace vrp {

inline constexpr int kMaxDeviceWarnings = 1000;  // distinct texts; later ones are dropped
// Reports a warning, each text once per process. Thread-safe.
void WarnOfDevice(std::string_view text);

// Sets the callback for warnings, called one at a time in the thread that warns. Null: writes a
// line to standard error. Thread-safe.
void SetDeviceWarningListener(std::function<void(std::string_view)> listener);

}  // namespace vrp
