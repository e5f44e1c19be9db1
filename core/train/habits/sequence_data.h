// A history as batches of the sequence transformer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/habits/evaluation.h"
#include "core/habits/history.h"
#include "core/model/habits/sequence_habit_model.h"
#include "core/train/config/training_config.h"

namespace vrp {

// The routes to learn from and those to validate. Each sequence begins with the driver's earlier
// routes. Immutable; thread-safe.
//
// Half of the sequences of a training step do not tell the first stops of their route, which are
// then among the candidates: so the network also learns the legs of all pairs of stops, which a
// search needs. One in ten does not tell its driver, as unknown drivers have no routes.
class SequenceData {
 public:
  // Validates on the routes from number `held_out` on. `history` and `config` must outlive the
  // object.
  SequenceData(const RouteHistory& history, size_t held_out, const TrainingConfig& config);

  const SequenceTransformerOptions& options() const { return options_; }
  int64_t training_size() const { return static_cast<int64_t>(held_out_); }
  // Returns the cases to validate.
  std::span<const HabitCase> validation() const { return std::span(cases_).subspan(held_out_); }
  int64_t StepsPerEpoch() const;

  // Writes the batch of training step `step` (from 0), which only the configuration determines.
  void WriteTraining(int64_t step, SequenceBuffers& buffers) const;
  // Writes the validation's routes from `first` on, at most `count`.
  void WriteValidation(size_t first, size_t count, SequenceBuffers& buffers) const;
  // Returns the model with these parameters.
  SequenceTables TablesWith(std::span<const float> parameters) const;

 private:
  struct Item;

  std::vector<size_t> OrderOf(int64_t epoch) const;
  // Returns the numbers of the last earlier routes that a sequence of route `number` begins with.
  std::vector<size_t> EarlierThan(size_t number) const;
  SequenceTokens TokensOf(std::span<const size_t> routes) const;
  Item MakeItem(size_t number, bool is_known) const;
  void Write(std::vector<Item>& items, SequenceBuffers& buffers) const;

  const RouteHistory& history_;
  const TrainingConfig& config_;
  const size_t held_out_;
  const std::vector<HabitCase> cases_;                 // of all routes
  std::vector<std::vector<size_t>> routes_of_driver_;  // to learn from
  SequenceScales scales_;
  SequenceTransformerOptions options_;
};

}  // namespace vrp
