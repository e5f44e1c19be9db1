// The daemon's side of a training by several processes: what rank 0 calls.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/train/run/training_result.h"
#include "worker/worker.pb.h"

namespace vrp {

// A server for the first rank of one training, on a unix socket in a private folder. The folder
// also holds the token, without which calls are refused. Thread-safe.
class WorkerHost {
 public:
  // Serves `training`. Returns the errors of the file system and of the socket.
  static absl::StatusOr<std::unique_ptr<WorkerHost>> Create(worker::Training training);
  // Ends all calls and removes the folder.
  ~WorkerHost();
  WorkerHost(const WorkerHost&) = delete;
  WorkerHost& operator=(const WorkerHost&) = delete;

  const std::string& address() const;     // unix:PATH
  const std::string& token_file() const;  // path

  // Blocks for up to `timeout` until there are events or an outcome. Returns the events since the
  // last call, in their order.
  std::vector<worker::Event> TakeEvents(absl::Duration timeout);
  // Returns how the training ended, if rank 0 has said so.
  std::optional<worker::Outcome> outcome() const;
  // Returns the time of the last call, or of Create.
  absl::Time last_call() const;
  // Tells rank 0 what to do from its next report on. Orders stay.
  void Order(bool cancel, bool end_early);

  // Asks for a live model in `directory`. Returns the answer, or nullopt if there is none within
  // `timeout`; then calls with the same directory go on waiting. Rank 0 goes on with its steps
  // after EndLive.
  std::optional<absl::StatusOr<TrainingResult>> AskLive(const std::string& directory,
                                                        absl::Duration timeout);
  // Ends what AskLive began. `published`: the outcome of the publication.
  void EndLive(const absl::Status& published);

 private:
  class Server;
  explicit WorkerHost(std::unique_ptr<Server> server);

  const std::unique_ptr<Server> server_;
};

}  // namespace vrp
