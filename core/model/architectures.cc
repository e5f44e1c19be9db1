#include "core/model/architectures.h"

#include <array>

#include "core/base/text.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/pointer_network/pointer_architecture.h"

namespace vrp {

std::span<const Architecture* const> Architectures() {
  static const std::array<const Architecture*, 2> kAll = {&PointerArchitecture(),
                                                          &GraphTransformerArchitecture()};
  return kAll;
}

const Architecture& DefaultArchitecture() { return *Architectures().front(); }

const Architecture* FindArchitecture(std::string_view name) {
  for (const Architecture* architecture : Architectures()) {
    if (architecture->name == name) return architecture;
  }
  return nullptr;
}

std::string ArchitectureNames() {
  std::string names;
  for (const Architecture* architecture : Architectures()) {
    names += Concat(names.empty() ? "" : " or ", Quoted(architecture->name));
  }
  return names;
}

}  // namespace vrp
