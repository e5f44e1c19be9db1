// The assembled daemon, from its options to the port that serves. This header does not need gRPC.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/model/policy/policy.h"
#include "core/train/run/trainer.h"
#include "server/config/vrpd_options.h"

namespace vrp {

// Thread-safe after Create.
class Daemon {
 public:
  struct Options {
    VrpdOptions vrpd;
    PolicyLoader policy_loader;
    Trainer* trainer = nullptr;    // outlives the daemon
    const Clock* clock = nullptr;  // outlives the daemon
    // Called at the first loss of a GPU. From then on the daemon is not ready and its training
    // service not serving. The daemon itself uses SetDeviceLossListener. Optional.
    std::function<void(const absl::Status&)> on_device_loss = nullptr;
    absl::Duration start_limit =
        absl::Minutes(1);  // of a start phase; the watchdog logs longer ones
    absl::Duration heartbeat = absl::Seconds(10);
    absl::Duration silence = absl::Minutes(1);     // of an upload before it is aborted
    absl::Duration drain = absl::Seconds(5);       // time for calls in flight at the end
    absl::Duration handshake = absl::Seconds(10);  // time for the handshake of a connection
  };

  // Creates the state folder (mode 0700), opens jobs and models, and listens. kInvalidArgument: the
  // device or a folder is wrong; kFailedPrecondition: another daemon uses the folder; kUnavailable:
  // the address cannot be bound. Other errors: a file of TLS or tokens is wrong.
  static absl::StatusOr<std::unique_ptr<Daemon>> Create(Options options);

  // Stops accepting connections and ends streams with UNAVAILABLE. Calls in flight, and new ones on
  // open connections, get `drain` to finish and are then cancelled; running searches return their
  // best plan before. Stops running jobs at their last checkpoint. Blocks until all has ended.
  ~Daemon();

  // Reloads the files of TLS and tokens. Logs the errors of wrong files, whose previous content
  // stays in use.
  void Reload();

  // Returns the address for clients: "127.0.0.1:50051", "unix:/path".
  const std::string& address() const;
  // Returns the address of /metrics: "127.0.0.1:9464"; empty without HTTP.
  std::string metrics_address() const;
  // Returns "http://127.0.0.1:9464/metrics", or https; empty without HTTP.
  std::string metrics_url() const;

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace vrp
