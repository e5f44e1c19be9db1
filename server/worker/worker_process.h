// The program that starts the ranks of a training, and its output.
#pragma once

#include <sys/types.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/open_file.h"

namespace vrp {

// A child process, which dies with the thread that started it. Used only by that thread.
class WorkerProcess {
 public:
  // Starts the program `arguments[0]`, searched for on PATH, without any open file of this process
  // but its standard output and error. Its environment is this process's with `variables`
  // ("NAME=value") before it. Returns kUnavailable if the system cannot start it.
  static absl::StatusOr<std::unique_ptr<WorkerProcess>> Start(
      const std::vector<std::string>& arguments, const std::vector<std::string>& variables);
  // Ends the process by Stop.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Returns "exit code 3" or "signal 9" once the process has ended.
  std::optional<std::string> Ended();
  // Returns the last lines of its output so far.
  std::string LastLines();
  // Asks the process to end (SIGTERM) and kills it after `grace`.
  void Stop(absl::Duration grace);

 private:
  WorkerProcess(pid_t pid, OpenFile output) : pid_(pid), output_(std::move(output)) {}
  void ReadOutput();

  const pid_t pid_;
  const OpenFile output_;
  std::string unfinished_;  // the output after its last line's end
  std::deque<std::string> lines_;
  std::optional<std::string> ended_;
};

// Returns the path of `program` on PATH, or nullopt. A name with a slash is its own path.
std::optional<std::string> FindProgram(const std::string& program);

}  // namespace vrp
