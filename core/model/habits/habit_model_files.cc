#include "core/model/habits/habit_model_files.h"

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"

namespace vrp {
namespace {

absl::Status CheckKind(const ModelCard& card, std::string_view name) {
  if (card.architecture == kHabitsArchitecture) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Concat(name, ": is a model of the architecture ", card.architecture,
             ", wanted a habit model, which `model: habits` trains"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const HabitModel>> LoadHabitModel(const std::string& directory,
                                                                 std::string_view name) {
  const std::string card_path = Concat(directory, "/", kCardFile);
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(card_path, kMaxCardBytes));
  VRP_ASSIGN_OR_RETURN(const ModelCard card, ParseModelCard(text, card_path));
  VRP_RETURN_IF_ERROR(CheckKind(card, name));
  return absl::UnimplementedError(Concat(name, ": habit models cannot be loaded yet"));
}

}  // namespace vrp
