#include "core/model/policy/inputs_json.h"

#include "core/base/text.h"
#include "core/model/policy/network_inputs.h"

namespace vrp {

absl::StatusOr<std::vector<std::string>> ReadInputs(const nlohmann::json& sizes,
                                                    std::string_view architecture) {
  std::vector<std::string> inputs;
  const auto found = sizes.find(kInputsKey);
  if (found == sizes.end()) return inputs;
  bool typed = found->is_array() && !found->empty();
  for (const nlohmann::json& input : *found) {
    typed = typed && input.is_string();
    if (typed) inputs.push_back(input.get<std::string>());
  }
  const std::string wanted = typed ? WantedInputs(architecture, inputs) : "a list of names";
  if (wanted.empty()) return inputs;
  return absl::InvalidArgumentError(
      Concat(kInputsKey, ": got ", Quoted(found->dump()), ", wanted ", wanted));
}

}  // namespace vrp
