// Builds the daemon from its options and runs it. This header does not need gRPC.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/device/device.h"
#include "core/model/policy/policy.h"
#include "core/train/run/trainer.h"
#include "server/config/vrpd_options.h"

namespace vrp {

// The running daemon. Thread-safe after Create.
class Daemon {
 public:
  struct Options {
    VrpdOptions vrpd;
    PolicyLoader policy_loader;
    Trainer* trainer = nullptr;    // outlives the daemon
    const Clock* clock = nullptr;  // outlives the daemon
    // The machine's devices, the CPU first. Tests emulate GPUs. Empty: ListDevices().
    std::vector<DeviceInfo> devices = {};
    // Called at the first loss of a GPU. From then on, the daemon is not ready and its training
    // service does not serve. Use it instead of SetDeviceLossListener, which the daemon itself
    // calls. Optional.
    std::function<void(const absl::Status&)> on_device_loss = nullptr;
    // Called once after vrpd.exit_when_idle_s without calls and jobs, from the daemon's thread,
    // which must not destroy the daemon. Optional.
    std::function<void()> on_idle = nullptr;
    // Limit of a phase of the start; the watchdog logs longer phases.
    absl::Duration start_limit = absl::Minutes(1);
    absl::Duration heartbeat_interval = absl::Seconds(10);
    // Time without a message after which the daemon aborts an upload.
    absl::Duration upload_timeout = absl::Minutes(1);
    // Time for calls in flight when the daemon ends.
    absl::Duration drain_timeout = absl::Seconds(5);
    // Time for the handshake of a connection.
    absl::Duration handshake_timeout = absl::Seconds(10);
  };

  // Creates the state folder (mode 0700), opens jobs and models, and listens. Returns
  // kInvalidArgument for a malformed device. Returns kFailedPrecondition if the device does not
  // exist or another daemon uses the folder, and kUnavailable if the address cannot be bound.
  // Returns other errors for unusable folders, and for wrong TLS or token files.
  static absl::StatusOr<std::unique_ptr<Daemon>> Create(Options options);

  // Stops accepting connections and ends streams with UNAVAILABLE. Calls in flight, and new calls
  // on open connections, have `drain_timeout` to finish; then the daemon cancels them. Running
  // searches return their best plan earlier. Stops running jobs, which the next start continues;
  // training jobs write a checkpoint first. Blocks until all have ended.
  ~Daemon();

  // Reloads the TLS files and the token file. Logs the errors of wrong files and keeps using their
  // previous content.
  void Reload();

  // Returns the address for clients, such as "127.0.0.1:50051" or "unix:/path".
  const std::string& address() const;
  // Returns the address of /metrics, such as "127.0.0.1:9464"; empty without metrics_listen.
  std::string metrics_address() const;
  // Returns a URL such as "http://127.0.0.1:9464/metrics", or with https; empty without
  // metrics_listen.
  std::string metrics_url() const;
  // Returns a URL such as "http://127.0.0.1:8080", or with https; empty without http_listen.
  std::string http_url() const;

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace vrp
