#include "core/model/input_features.h"

#include "core/model/network_batch.h"
#include "core/model/pointer_layout.h"

namespace vrp {

std::vector<std::string> InputFeatures(std::string_view architecture) {
  if (architecture != "ptrnet") return {kNodeFeatureNames.begin(), kNodeFeatureNames.end()};
  std::vector<std::string> features(kPointerInputNames.begin(), kPointerInputNames.end());
  features.emplace_back("is_visited");
  return features;
}

}  // namespace vrp
