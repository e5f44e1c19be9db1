// Warnings of the libraries behind a device. This header does not include torch.
#pragma once

#include <functional>
#include <string_view>

namespace vrp {

inline constexpr int kMaxDeviceWarnings = 1000;  // distinct texts; later ones are dropped
// Reports a warning. Reports each text only once per process. Thread-safe.
void ReportDeviceWarning(std::string_view text);

// Sets the callback for warnings, called one at a time in the thread that warns. The callback must
// not call functions of this header, which would deadlock. With null, warnings are written to
// standard error, one line each. Thread-safe.
void SetDeviceWarningListener(std::function<void(std::string_view)> listener);

}  // namespace vrp
