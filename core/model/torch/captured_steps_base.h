// The base of all captured steps: a stream with graphs, the optimiser, and reports. Needs torch.
#pragma once

#include <ATen/ops/stack.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/device/step_stream.h"
#include "core/model/policy/batch_parts.h"
#include "core/model/policy/captured_steps.h"
#include "core/model/policy/engine_options.h"
#include "core/model/torch/device_optimiser.h"
#include "core/model/torch/network.h"
#include "core/model/torch/parameters.h"
#include "core/model/torch/precision.h"
#include "core/model/torch/step_batch.h"
#include "core/model/torch/step_reports.h"

namespace vrp {

// The objects that captured steps use. They must outlive the CapturedSteps. The parameters are
// float32, and their gradient is tracked.
struct CapturedStepsParts {
  const TorchNetwork* network = nullptr;
  FlatParameters* host = nullptr;
  TorchParameters* parameters = nullptr;
  const TorchParameters* baseline = nullptr;  // null without one
  const LossScaler* scaler = nullptr;         // null: losses are not scaled
  EngineOptions options;                      // with the precision of training
};

// Largest number of padded widths of batches, and of padded lengths of labels. Each combination has
// its own graph. Computation grows linearly with the length and quadratically with the width.
inline constexpr int32_t kMaxPaddedWidths = 8;
// Multiples to which widths (in nodes) and lengths (in choices) are padded.
inline constexpr int32_t kNodesMultiple = 16;
inline constexpr int32_t kLengthMultiple = 8;
// Rounds `count` up to one of at most kMaxPaddedWidths values: equally spaced multiples of
// `multiple`, and finally `limit`.
int32_t PaddedTo(int32_t count, int32_t limit, int32_t multiple);
// Largest number of captures that are kept, one for each combination of width, length and number of
// trajectories. The least recently used one is dropped.
inline constexpr size_t kMaxCaptures = 128;

class CapturedStepsBase : public CapturedSteps {
 public:
  ~CapturedStepsBase() override;

  absl::Status Load(const CapturedStepsState& state) override;
  absl::Status WaitForReportSlot() override;
  std::vector<CapturedStepReport> TakeReports() override { return reports_.Take(); }
  absl::Status Save(CapturedStepsState& state) override;
  int64_t batch_bytes() const override { return MovesBatches() ? batch().bytes() : 0; }
  int64_t matrix_bytes() const override { return MovesBatches() ? batch().matrix_bytes() : 0; }

 protected:
  CapturedStepsBase(const CapturedStepsRequest& request, const CapturedStepsParts& parts,
                    std::unique_ptr<StepStream> stream);

  // The work of one step. Steps of one kind do the same and can share a graph.
  struct StepWork {
    int kind = 0;
    const NetworkBatch* batch = nullptr;      // null: the device draws it
    const StepLabels* labels = nullptr;       // null without labels
    absl::FunctionRef<absl::Status()> first;  // replaces `work` before anything is captured
    std::function<absl::Status()> work;
    bool alone = false;  // whether no graph may replace `first`
  };
  // Starts a step: waits for a slot for its report, uploads its batch and launches its work.
  absl::Status StartStep(const StepWork& step);
  // Returns the memory of the current step's instances.
  const StepBatch& batch() const { return current_->batch; }
  int32_t trajectories() const { return current_->trajectories; }  // of each instance
  StepBatch& batch() { return current_->batch; }

  // Applies the gradient and writes the report. `row` need not have loss, norm and applied.
  absl::Status Finish(const at::Tensor& loss, StepReports::Row row);
  // Returns the stream on which a step's work is enqueued.
  StepStream* stream() const { return stream_.get(); }
  // Returns the instances of part `part`, which the network processes together.
  InstanceRange Part(int32_t part) const {
    return PartOf(request_.instances, request_.parts, part);
  }
  // Returns the sum [] of a column over the parts. A single part needs no launch.
  template <typename Sums>
  static at::Tensor Sum(const std::vector<Sums>& parts, at::Tensor Sums::*column) {
    return parts.size() == 1 ? parts.front().*column : Column(parts, column).sum();
  }
  // Returns the maximum [] of a column over the parts. A single part needs no launch.
  template <typename Sums>
  static at::Tensor Largest(const std::vector<Sums>& parts, at::Tensor Sums::*column) {
    return parts.size() == 1 ? parts.front().*column : Column(parts, column).max();
  }
  // Returns the loss, scaled for the backward pass.
  at::Tensor Scaled(const at::Tensor& loss) const {
    return parts_.scaler == nullptr ? loss : parts_.scaler->Scale(loss);
  }

  // LoadOwn loads and SaveOwn saves the state that a kind of steps keeps on the device. Both are
  // called once the stream is idle.
  virtual void LoadOwn(const CapturedStepsState&) {}
  virtual void SaveOwn(CapturedStepsState&) const {}

  const CapturedStepsRequest request_;
  const CapturedStepsParts parts_;
  const at::Device device_;
  DeviceOptimiser optimiser_;

 private:
  // The memory and graph for batches of one width, with labels of one length and one number of
  // trajectories.
  struct StepCapture {
    StepCapture(const StepBatchShape& shape, at::Device device, int32_t number)
        : batch(shape, device), trajectories(number) {}

    StepBatch batch;
    const int32_t trajectories;
    int64_t used = 0;             // number of the last step that used this capture
    std::optional<int> prepared;  // kind of the last step that ran without a graph, or of the graph
    std::unique_ptr<StepGraph> graph;
  };
  // Returns the column's values, [parts].
  template <typename Sums>
  static at::Tensor Column(const std::vector<Sums>& parts, at::Tensor Sums::*column) {
    std::vector<at::Tensor> values;
    for (const Sums& part : parts) values.push_back(part.*column);
    return at::stack(values);
  }
  bool MovesBatches() const {
    return current_ != nullptr && !device_.is_cpu() && !request_.drawn.has_value();
  }
  // Sets current_ to the capture for batches of up to `nodes` nodes.
  absl::Status Use(int32_t nodes, const StepLabels* labels, int32_t trajectories);
  // Drops the least recently used capture, after the stream is idle.
  absl::Status DropOldest();
  absl::Status Launch(const StepWork& step);
  // Runs a step without a graph. If memory runs out, drops all graphs and retries.
  absl::Status RunFirst(const StepWork& step);
  // Drops all graphs once the stream is idle. Returns whether there were any.
  absl::StatusOr<bool> DropGraphs();

  const std::unique_ptr<StepStream> stream_;
  StepReports reports_;
  int64_t steps_ = 0;  // number of started steps
  // Captures by width, length and number of trajectories.
  std::map<std::tuple<int32_t, int32_t, int32_t>, StepCapture> captures_;
  StepCapture* current_ = nullptr;
};

}  // namespace vrp
