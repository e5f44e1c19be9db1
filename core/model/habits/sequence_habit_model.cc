#include "core/model/habits/sequence_habit_model.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Throws if a pass failed. Its batch is right, so that only memory can be missing.
void ThrowIfFailed(const absl::Status& status) {
  if (!status.ok()) throw std::bad_alloc();
}

absl::Status CheckTables(const SequenceTables& tables) {
  const int32_t features = tables.scales.features();
  if (features != tables.network.features || tables.network.relations != kLegRelations) {
    return absl::InvalidArgumentError(
        Concat("features: got a network of ", tables.network.features, " features and ",
               tables.network.relations, " relations, wanted ", features, " and ", kLegRelations));
  }
  for (const DriverRoutes& routes : tables.drivers) {
    const size_t size = routes.tokens.types.size();
    if (size > static_cast<size_t>(std::min(kMaxEarlierTokens, tables.network.positions - 2)) ||
        routes.tokens.contexts.size() != size * static_cast<size_t>(features)) {
      return absl::InvalidArgumentError(Concat("earlier routes: got ", size,
                                               " tokens, wanted at most ", kMaxEarlierTokens,
                                               " of ", features, " features"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

uint64_t StopHash(std::string_view id) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char letter : id) {
    hash = (hash ^ static_cast<uint8_t>(letter)) * 0x100000001B3;
  }
  return hash;
}

absl::StatusOr<std::shared_ptr<const SequenceHabitModel>> SequenceHabitModel::Create(
    SequenceTables tables) {
  VRP_RETURN_IF_ERROR(CheckTables(tables));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<SequenceTransformer<float>> engine,
                       SequenceTransformer<float>::Create(tables.network));
  if (std::ssize(tables.parameters) != engine->layout().size()) {
    return absl::InvalidArgumentError(
        Concat("parameters: got ", tables.parameters.size(), ", wanted ", engine->layout().size()));
  }
  engine->SetParameters(tables.parameters);
  return std::shared_ptr<const SequenceHabitModel>(
      new SequenceHabitModel(std::move(tables), std::move(engine)));
}

const DriverRoutes* SequenceHabitModel::RoutesOf(std::string_view driver) const {
  const auto found = std::ranges::find(tables_.drivers, driver, &DriverRoutes::driver);
  return found == tables_.drivers.end() ? nullptr : &*found;
}

bool SequenceHabitModel::KnowsStop(std::string_view id) const {
  return !id.empty() && std::ranges::binary_search(tables_.stops, StopHash(id));
}

std::vector<float> SequenceHabitModel::EdgeLogProbabilities(std::span<const HabitStop> stops,
                                                            std::string_view driver) const {
  const size_t size = stops.size();
  std::vector<float> logs(size * size, 0);
  if (size < 2) return logs;
  const SequenceDay day(stops, tables_.scales);
  const DriverRoutes* const routes = RoutesOf(driver);
  SequenceTokens shared = routes == nullptr ? SequenceTokens{} : routes->tokens;
  const auto features = static_cast<size_t>(tables_.network.features);
  shared.types.push_back(TokenType::kBegin);
  shared.contexts.resize(shared.contexts.size() + features);
  day.WriteBegin(tables_.scales.DriverInput(driver), true,
                 std::span(shared.contexts).last(features));
  std::vector<float> tokens(size * features);
  std::vector<float> candidates(size * features);
  for (size_t i = 0; i < size; ++i) {
    const std::span<const float> own = day.Features(static_cast<int32_t>(i));
    std::copy(own.begin(), own.end(), candidates.begin() + static_cast<int64_t>(i * features));
    day.WriteToken(static_cast<int32_t>(i), -1, 0,
                   std::span(tokens).subspan(i * features, features));
  }
  std::vector<uint8_t> closed(size, 0);
  const auto relations = [&](int32_t from, std::span<float> to) {
    closed[static_cast<size_t>(from)] = 1;
    day.WriteRelations({.from = from, .closed = closed, .partial = true}, to);
    closed[static_cast<size_t>(from)] = 0;
  };
  ThrowIfFailed(engine_->EdgeLogProbabilities({.types = shared.types,
                                               .contexts = shared.contexts,
                                               .stops = tokens,
                                               .candidates = candidates,
                                               .relations = relations},
                                              nullptr, logs));
  return logs;
}

std::vector<float> SequenceHabitModel::NextStopLogProbabilities(
    std::span<const HabitStop> stops, std::string_view driver,
    std::span<const int32_t> route) const {
  std::vector<float> logs(stops.size(), -std::numeric_limits<float>::infinity());
  if (stops.size() < 2) return logs;
  const SequenceDay day(stops, tables_.scales);
  const DriverRoutes* const routes = RoutesOf(driver);
  SequenceRoute sequence = {.earlier = routes == nullptr ? nullptr : &routes->tokens,
                            .driver = tables_.scales.DriverInput(driver),
                            .route = route};
  sequence.first = std::max(0, LengthOf(sequence) - tables_.network.positions);
  sequence.last_only = true;
  SequenceBuffers buffers;
  buffers.Reset(1, LengthOf(sequence), day.size(), tables_.network.features, 1, kLegRelations);
  WriteSequence(day, sequence, 0, buffers);
  if (route.empty()) buffers.visited_from[buffers.Choice(0, 0)] = 0;
  ThrowIfFailed(engine_->LogProbabilities(buffers.View(), nullptr, logs));
  return logs;
}

}  // namespace vrp
