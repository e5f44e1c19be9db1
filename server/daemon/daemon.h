// The assembled daemon: everything between its options and a port that serves. No gRPC in this
// header.
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
    // Told of the first loss of a GPU, as SetDeviceLossListener's, which the daemon takes for
    // itself: it is not ready then, its training not serving. Null: nobody.
    std::function<void(const absl::Status&)> on_device_loss = nullptr;
    absl::Duration start_limit = absl::Minutes(1);  // of a phase of the start: beyond it is told
    absl::Duration heartbeat = absl::Seconds(10);
    absl::Duration silence = absl::Minutes(1);     // of an upload, before it is given up
    absl::Duration drain = absl::Seconds(5);       // for calls under way at the end
    absl::Duration handshake = absl::Seconds(10);  // for a new connection to say something
  };

  // Creates the state folder (mode 0700), opens jobs and models, listens. kInvalidArgument: the
  // device or a folder is wrong; kFailedPrecondition: another daemon has the folder; kUnavailable:
  // the address cannot be listened on; others: a file of TLS or of tokens is wrong.
  static absl::StatusOr<std::unique_ptr<Daemon>> Create(Options options);

  // Nobody connects any more, and streams end (UNAVAILABLE). Calls under way, and those that come
  // meanwhile on a connection that there is, are given `drain` to end, then cancelled; searches are
  // told in time, and answer the best that they have. The running jobs are
  // stopped with what they have stored. Blocks until all of it is done.
  ~Daemon();

  // Reads the files of TLS and of tokens anew. Those that are wrong stay as they were; the log says
  // so.
  void Reload();

  // Where clients connect: "127.0.0.1:50051", "unix:/path".
  const std::string& address() const;
  // Where HTTP gives the metrics: "127.0.0.1:9464"; empty: nowhere.
  std::string metrics_address() const;
  std::string metrics_url() const;

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace vrp
