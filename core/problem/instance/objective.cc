#include "core/problem/instance/objective.h"

#include "core/problem/instance/choices.h"

namespace vrp {

std::string_view ObjectiveName(Objective objective) { return ChoiceName(objective); }

std::optional<Objective> ObjectiveFromName(std::string_view name) {
  return ChoiceFromName<Objective>(name);
}

}  // namespace vrp
