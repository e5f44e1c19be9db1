#include "core/model/pointer_network/pointer_layout.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/kernels/routing/pointer_observation.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/policy/network_inputs.h"

namespace vrp {

ParameterLayout PointerLayout(const PointerNetworkOptions& options) {
  const int64_t hidden = options.hidden;
  std::vector<ParameterShape> shapes;
  const auto add = [&shapes](std::string name, std::vector<int64_t> shape, int64_t in) {
    shapes.push_back({.name = std::move(name),
                      .shape = std::move(shape),
                      .bound = 1 / std::sqrt(static_cast<double>(in))});
  };
  const auto lstm = [&](const char* name) {
    for (int32_t layer = 0; layer < options.layers; ++layer) {
      add(Concat(name, ".weight_ih_l", layer), {4 * hidden, hidden}, hidden);
      add(Concat(name, ".weight_hh_l", layer), {4 * hidden, hidden}, hidden);
      add(Concat(name, ".bias_ih_l", layer), {4 * hidden}, hidden);
      add(Concat(name, ".bias_hh_l", layer), {4 * hidden}, hidden);
    }
  };
  const int64_t inputs = InputsOf(PointerArchitecture(), options.inputs).width();
  add("embed.weight", {hidden, inputs}, inputs);
  add("embed.bias", {hidden}, inputs);
  lstm("encoder");
  const int64_t states = int64_t{2} * options.layers * hidden;
  add("start.weight", {states, hidden}, hidden);
  add("start.bias", {states}, hidden);
  add("context.weight", {hidden, kPointerContext}, kPointerContext);
  lstm("decoder");
  for (const char* name : {"glimpse.query", "glimpse.key", "glimpse.value", "glimpse.out"}) {
    add(Concat(name, ".weight"), {hidden, hidden}, hidden);
  }
  add("glimpse.dynamic.weight", {kPointerHeads, kPointerDynamic}, kPointerDynamic);
  add("pointer.query.weight", {hidden, hidden}, hidden);
  add("pointer.key.weight", {hidden, hidden}, hidden);
  add("pointer.dynamic.weight", {kPointerDynamic, hidden}, hidden);
  add("pointer.dynamic.bias", {kPointerDynamic}, hidden);
  return ParameterLayout(std::move(shapes));
}

}  // namespace vrp
