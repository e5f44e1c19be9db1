// The folder of the answers to files of instances.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/batch/answer_file.h"

namespace vrp::client {

// A folder with the answers to each input under the input's name, and a ledger of the inputs and
// options. Only one program at a time may use it. Not thread-safe.
class AnswerFolder {
 public:
  // Opens the folder, or makes it, for the answers to `inputs` with `options`, a line of JSON.
  // Inputs may be added to a folder. Returns kInvalidArgument if two inputs have the same name, an
  // input is in the folder or has another size than when it was begun, and if the folder was begun
  // with other options or not by this class; kFailedPrecondition if another program uses the
  // folder.
  static absl::StatusOr<AnswerFolder> Open(const std::string& path,
                                           const std::vector<std::string>& inputs,
                                           const std::string& options);

  const std::string& path() const { return path_; }
  // Returns the answers to each input.
  std::vector<AnswerFile>& files() { return files_; }
  // Returns the sum of the inputs' sizes in bytes.
  int64_t input_bytes() const { return input_bytes_; }

 private:
  // An open file whose lock the process holds.
  struct Lock {
    explicit Lock(int descriptor_to_close) : descriptor(descriptor_to_close) {}
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    const int descriptor;
  };

  explicit AnswerFolder(std::string path) : path_(std::move(path)) {}
  absl::Status TakeLock();
  // Compares the inputs and options with the ledger, and writes the ledger.
  absl::Status Enter(const std::vector<std::string>& inputs, const std::string& options);

  std::string path_;
  std::unique_ptr<Lock> lock_;
  std::vector<AnswerFile> files_;
  int64_t input_bytes_ = 0;
};

}  // namespace vrp::client
