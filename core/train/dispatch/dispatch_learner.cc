#include "core/train/dispatch/dispatch_learner.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"
#include "core/train/run/result_card.h"

namespace vrp {
namespace {

constexpr char kShift[] = "validation_shift";

// Returns a number of float32 in its shortest form, so that cards show 0.1 and not
// 0.10000000149011612.
double Shortest(float value) {
  double shortest = value;
  return absl::SimpleAtod(absl::StrFormat("%.7g", value), &shortest) ? shortest : value;
}

}  // namespace

absl::StatusOr<ValidationScore> DispatchLearner::Validate() {
  VRP_ASSIGN_OR_RETURN(const ShiftScore score, validator_->Evaluate(prizes_->network()));
  shift_ = score.shift;
  prizes_->SetShift(shift_);
  return score.score;
}

std::string DispatchLearner::ScoreText(const ValidationScore& score) const {
  return absl::StrFormat("validation %.4f, gap %+.2f %% vs %s (mean %.4f), shift %+g", score.cost,
                         100 * score.gap, reference_name(), reference(), shift_);
}

std::string DispatchLearner::StepsText(double loss) const {
  return absl::StrFormat("agreement %.2f %%", 100 * (1 - loss));
}

absl::Status DispatchLearner::WriteModel(const std::string& directory, const std::string& job_name,
                                         std::span<const float> parameters,
                                         const TrainingResult& result) const {
  DispatchSettings settings = settings_;
  settings.shift = Shortest(parameters.back());
  const FlatParameters& form = std::as_const(*prizes_).parameters();
  const std::string file = form.Save(parameters);
  ModelCard card = CardOf(context_.config, job_name, result);
  card.architecture = kDispatchArchitecture;
  card.architecture_json = WriteDispatchSettings(settings);
  card.input_features = InputFeatures(settings.network);
  card.parameters = form.size();
  card.weights_sha256 = Sha256Hex(file);
  VRP_RETURN_IF_ERROR(EnsureDirectory(directory));
  VRP_RETURN_IF_ERROR(AtomicWriteFile(Concat(directory, "/", kWeightsFile), file));
  return AtomicWriteFile(Concat(directory, "/", kCardFile), WriteModelCard(card));
}

std::map<std::string, double> DispatchLearner::ScalarState() const {
  std::map<std::string, double> scalars = prizes_->ScalarState();
  scalars[kShift] = shift_;
  return scalars;
}

absl::Status DispatchLearner::Restore(const std::map<std::string, double>& scalars,
                                      std::span<const int32_t> integers) {
  shift_ = scalars.at(kShift);
  return prizes_->Restore(scalars, integers);
}

}  // namespace vrp
