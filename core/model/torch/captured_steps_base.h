// What all kinds of whole steps have in common: a stream with graphs that are recorded once, the
// optimiser's memory, and reports. Needs torch.
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
#include "core/model/policy/engine_options.h"
#include "core/model/policy/captured_steps.h"
#include "core/model/torch/device_optimiser.h"
#include "core/model/torch/network.h"
#include "core/model/torch/parameters.h"
#include "core/model/torch/precision.h"
#include "core/model/torch/step_batch.h"
#include "core/model/torch/step_reports.h"

namespace vrp {

// What steps work on; all outlive them. The parameters are float32, their gradient is tracked.
struct CapturedStepsParts {
  const TorchNetwork* network = nullptr;
  FlatParameters* host = nullptr;
  TorchParameters* parameters = nullptr;
  const TorchParameters* baseline = nullptr;  // null: there is none
  const LossScaler* scaler = nullptr;         // null: losses are not scaled
  EngineOptions options;                      // with the precision to train in
};

// Batches of instances of up to N nodes are padded to one of so many widths at most, and labels of
// up to T choices to one of so many lengths, a graph each: what is computed grows with the width,
// to its square, and with the length.
inline constexpr int32_t kMaxPaddedWidths = 8;
inline constexpr int32_t kNodesMultiple = 16;
inline constexpr int32_t kLengthMultiple = 8;
// `count` rounded up to the next of kMaxPaddedWidths numbers, multiples of `multiple`, the last of which
// is `most`.
int32_t PaddedTo(int32_t count, int32_t most, int32_t multiple);
// Graphs that are kept, where batches also differ in their number of trajectories; the one that was
// not used for the longest goes.
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

  // A step's work, put into the current stream. Graphs are of a kind: its steps do the same.
  struct StepWork {
    int kind = 0;
    const NetworkBatch* batch = nullptr;      // null: the device draws it
    const StepLabels* labels = nullptr;       // null: it has none
    absl::FunctionRef<absl::Status()> first;  // instead of `work` where nothing is recorded yet
    std::function<absl::Status()> work;
    bool alone = false;  // nothing recorded does instead of `first`
  };
  absl::Status Take(const StepWork& step);
  // The instances of the step that is taken; of the last one.
  const StepBatch& batch() const { return current_->batch; }
  int32_t trajectories() const { return current_->trajectories; }  // of each of them
  StepBatch& batch() { return current_->batch; }

  // What becomes of the gradient. `row` without loss, norm and applied.
  absl::Status Finish(const at::Tensor& loss, StepReports::Row row);
  // What a step's work is put into.
  StepStream* stream() const { return stream_.get(); }
  // Those that go through the network at once, one after the other.
  InstanceRange Part(int32_t part) const {
    return PartOf(request_.instances, request_.parts, part);
  }
  // Of what each part came to, [] each; where there is one part, nothing is launched for it.
  template <typename Sums>
  static at::Tensor Sum(const std::vector<Sums>& parts, at::Tensor Sums::*column) {
    return parts.size() == 1 ? parts.front().*column : Column(parts, column).sum();
  }
  template <typename Sums>
  static at::Tensor Largest(const std::vector<Sums>& parts, at::Tensor Sums::*column) {
    return parts.size() == 1 ? parts.front().*column : Column(parts, column).max();
  }
  // As the losses are for backward passes.
  at::Tensor Scaled(const at::Tensor& loss) const {
    return parts_.scaler == nullptr ? loss : parts_.scaler->Scale(loss);
  }

  // Of what kinds of steps keep on the device besides. The stream has been waited for.
  virtual void LoadOwn(const CapturedStepsState&) {}
  virtual void SaveOwn(CapturedStepsState&) const {}

  const CapturedStepsRequest request_;
  const CapturedStepsParts parts_;
  const at::Device device_;
  DeviceOptimiser optimiser_;

 private:
  // Of batches of a width, with labels of a length.
  struct Recording {
    Recording(const StepBatchShape& shape, at::Device device, int32_t number)
        : batch(shape, device), trajectories(number) {}

    StepBatch batch;
    const int32_t trajectories;
    int64_t used = 0;             // the last step
    std::optional<int> prepared;  // kind of the last step that ran by itself, or of the graph
    std::unique_ptr<StepGraph> graph;
  };
  // [parts]
  template <typename Sums>
  static at::Tensor Column(const std::vector<Sums>& parts, at::Tensor Sums::*column) {
    std::vector<at::Tensor> values;
    for (const Sums& part : parts) values.push_back(part.*column);
    return at::stack(values);
  }
  bool MovesBatches() const {
    return current_ != nullptr && !device_.is_cpu() && !request_.drawn.has_value();
  }
  // Becomes current_, for batches of up to `nodes` nodes.
  absl::Status Use(int32_t nodes, const StepLabels* labels, int32_t trajectories);
  // Waits for what uses it.
  absl::Status DropOldest();
  absl::Status Launch(const StepWork& step);
  // By itself. Graphs hold memory that it cannot have: where it finds none, they go.
  absl::Status RunFirst(const StepWork& step);
  // Waits, where there is one. False: there was none.
  absl::StatusOr<bool> DropGraphs();

  const std::unique_ptr<StepStream> stream_;
  StepReports reports_;
  int64_t steps_ = 0;  // begun
  // By width, length and trajectories.
  std::map<std::tuple<int32_t, int32_t, int32_t>, Recording> recordings_;
  Recording* current_ = nullptr;
};

}  // namespace vrp
