#include "core/model/torch/checkpoint.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <utility>

namespace vrp {
namespace {

using Body = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

// The state of autocast for a device type at construction.
class AutocastState {
 public:
  explicit AutocastState(at::DeviceType device)
      : device_(device),
        on_(at::autocast::is_autocast_enabled(device)),
        type_(at::autocast::get_autocast_dtype(device)) {}

  at::DeviceType device() const { return device_; }
  void Apply() const {
    at::autocast::set_autocast_dtype(device_, type_);
    at::autocast::set_autocast_enabled(device_, on_);
  }

 private:
  at::DeviceType device_;
  bool on_;  // whether autocast is enabled
  at::ScalarType type_;
};

// A scope in which autocast has an earlier state. The end of the scope restores the previous state
// and clears autocast's cache, which would otherwise keep weights rounded before their update.
class AutocastGuard {
 public:
  explicit AutocastGuard(const AutocastState& state) : outside_(state.device()) { state.Apply(); }
  ~AutocastGuard() {
    at::autocast::clear_cache();
    outside_.Apply();
  }
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  const AutocastState outside_;
};

class CheckpointBody : public torch::CustomClassHolder {
 public:
  CheckpointBody(Body compute, AutocastState autocast)
      : compute_(std::move(compute)), autocast_(autocast) {}

  at::Tensor Compute(const std::vector<at::Tensor>& inputs) const { return compute_(inputs); }
  const AutocastState& autocast() const { return autocast_; }

 private:
  const Body compute_;
  const AutocastState autocast_;
};

class CheckpointFunction : public torch::autograd::Function<CheckpointFunction> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context,
                            const c10::intrusive_ptr<CheckpointBody>& body, at::TensorList inputs) {
    context->saved_data["body"] = c10::IValue::make_capsule(body);
    context->save_for_backward(inputs.vec());
    return body->Compute(inputs.vec());
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto body =
        c10::static_intrusive_pointer_cast<CheckpointBody>(context->saved_data["body"].toCapsule());
    std::vector<at::Tensor> inputs;
    for (const at::Tensor& saved : context->get_saved_variables()) {
      inputs.push_back(saved.detach().set_requires_grad(saved.requires_grad()));
    }
    at::Tensor output;
    {
      const at::AutoGradMode with_gradients(true);
      const AutocastGuard autocast(body->autocast());
      output = body->Compute(inputs);
    }
    output.backward(gradients[0]);
    torch::autograd::variable_list result = {at::Tensor()};  // `body` has no gradient
    for (const at::Tensor& input : inputs) result.push_back(input.grad());
    return result;
  }
};

}  // namespace

at::Tensor Checkpointed(Body body, std::vector<at::Tensor> inputs) {
  const AutocastState autocast(inputs[0].device().type());
  return CheckpointFunction::apply(c10::make_intrusive<CheckpointBody>(std::move(body), autocast),
                                   at::TensorList(inputs));
}

}  // namespace vrp
