// Implements the RPCs of SweepService, without gRPC.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/jobs/sweep/sweep_manager.h"
#include "server/service/stream_source.h"
#include "server/service/training_files.h"
#include "vrp/v1/sweep_service.pb.h"

namespace vrp {

// A handler of the RPCs. Thread-safe. Methods block on the store, Create also on the check of all
// trials. See sweep_service.proto for the errors.
class SweepHandler {
 public:
  struct Options {
    SweepManager* sweeps = nullptr;       // outlives the handler
    std::string default_device = "auto";  // for specifications that name no device
    DataFolders data_folders;             // folders of the files that configurations may name
  };
  explicit SweepHandler(Options options) : options_(std::move(options)) {}

  absl::StatusOr<v1::Sweep> Create(const v1::CreateSweepRequest& request) const;
  absl::StatusOr<v1::Sweep> Get(const v1::GetSweepRequest& request) const;
  absl::StatusOr<v1::ListSweepsResponse> List(const v1::ListSweepsRequest& request) const;
  absl::StatusOr<v1::Sweep> Stop(const v1::StopSweepRequest& request) const;
  absl::StatusOr<v1::Sweep> Pause(const v1::PauseSweepRequest& request) const;
  absl::StatusOr<v1::Sweep> Resume(const v1::ResumeSweepRequest& request) const;
  absl::StatusOr<v1::DeleteSweepResponse> Delete(const v1::DeleteSweepRequest& request) const;
  absl::StatusOr<std::unique_ptr<StreamSource<v1::WatchSweepResponse>>> Watch(
      const v1::WatchSweepRequest& request) const;
  // Returns the queue position, or 0 if the sweep is not queued or does not exist.
  int32_t QueuePosition(const std::string& name) const;

 private:
  // Returns the message of a sweep with its trials.
  absl::StatusOr<v1::Sweep> ToMessage(const Job& job) const;
  // Applies the manager's `change` to a sweep and returns it.
  absl::StatusOr<v1::Sweep> Change(
      const std::string& name, absl::StatusOr<Job> (SweepManager::*change)(std::string_view)) const;

  const Options options_;
};

}  // namespace vrp
