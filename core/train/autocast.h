// Automatic mixed precision for a scope. Needs torch.
#pragma once

#include <ATen/autocast_mode.h>

namespace vrp {

// bf16 autocast on `device` while it lives, where `on`.
class AutocastScope {
 public:
  AutocastScope(at::DeviceType device, bool on)
      : device_(device), on_(on), was_on_(at::autocast::is_autocast_enabled(device)) {
    if (!on_) return;
    at::autocast::set_autocast_dtype(device_, at::kBFloat16);
    at::autocast::set_autocast_enabled(device_, true);
  }
  ~AutocastScope() {
    if (!on_) return;
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, was_on_);
  }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  const at::DeviceType device_;
  const bool on_;
  const bool was_on_;
};

}  // namespace vrp
