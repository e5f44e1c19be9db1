// A habit model that is a sequence transformer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/habits/habit_model.h"
#include "core/model/habits/sequence_inputs.h"
#include "core/model/habits/sequence_transformer.h"

namespace vrp {

// Earlier routes of a driver, which every sequence of the driver begins with.
struct DriverRoutes {
  std::string driver;
  SequenceTokens tokens;
};

// All that a transformer learned from a history.
struct SequenceTables {
  SequenceTransformerOptions network = {};
  SequenceScales scales = {};
  std::vector<float> parameters = {};  // in the order of SequenceLayout
  std::vector<DriverRoutes> drivers =
      {};                            // of past routes; tokens are empty without earlier routes
  std::vector<uint64_t> stops = {};  // StopHash of past stops, in increasing order
};

// Returns a hash of the id of a stop (FNV-1a), by which a model knows stops without their names.
uint64_t StopHash(std::string_view id);

// The habit model of a transformer. Knows stops by their features alone, so that new ones differ in
// nothing from known ones. A driver who is unknown has no earlier routes.
class SequenceHabitModel final : public HabitModel {
 public:
  // Returns kInvalidArgument if sizes do not fit each other.
  static absl::StatusOr<std::shared_ptr<const SequenceHabitModel>> Create(SequenceTables tables);

  const SequenceTables& tables() const { return tables_; }

  bool KnowsDriver(std::string_view driver) const override {
    return !driver.empty() && RoutesOf(driver) != nullptr;
  }
  bool KnowsStop(std::string_view id) const override;
  // Each row is of a route whose stops before are not told. O(N (P^2 + N)), P: tokens of earlier
  // routes. Uses one thread. Throws std::bad_alloc if memory runs out.
  std::vector<float> EdgeLogProbabilities(std::span<const HabitStop> stops,
                                          std::string_view driver) const override;
  // Reads the last stops of a route that is longer than the network's sequences.
  std::vector<float> NextStopLogProbabilities(std::span<const HabitStop> stops,
                                              std::string_view driver,
                                              std::span<const int32_t> route) const override;

 private:
  SequenceHabitModel(SequenceTables tables, std::unique_ptr<SequenceTransformer<float>> engine)
      : tables_(std::move(tables)), engine_(std::move(engine)) {}

  const DriverRoutes* RoutesOf(std::string_view driver) const;

  const SequenceTables tables_;
  const std::unique_ptr<SequenceTransformer<float>> engine_;
};

}  // namespace vrp
