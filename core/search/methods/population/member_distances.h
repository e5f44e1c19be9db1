// How far a member of a population is from the others.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace vrp {

// Distances of 0 .. 1 to all members, in their order, itself included at kFar. The nearest are kept
// at hand: ranks ask for them each time that a member came. Not thread-safe.
class MemberDistances {
 public:
  static constexpr float kFar = 2;

  MemberDistances() { nearest_.fill(kFar); }

  void Insert(int64_t at, float distance) {
    distances_.insert(distances_.begin() + at, distance);
    Approach(distance);
  }
  void Erase(int64_t at) {
    const float distance = distances_[at];
    distances_.erase(distances_.begin() + at);
    if (distance > nearest_.back()) return;
    nearest_.fill(kFar);
    for (const float other : distances_) Approach(other);
  }
  // order[i]: where the i-th was before.
  void Reorder(std::span<const int32_t> order) {
    std::vector<float> reordered;
    for (const int32_t before : order) reordered.push_back(distances_[before]);
    distances_ = std::move(reordered);
  }
  // The mean distance of the nearest kNearest.
  double Diversity() const {
    return std::accumulate(nearest_.begin(), nearest_.end(), 0.0) / kNearest;
  }

 private:
  static constexpr size_t kNearest = 5;

  void Approach(float distance) {
    if (distance >= nearest_.back()) return;
    size_t i = kNearest - 1;
    for (; i > 0 && nearest_[i - 1] > distance; --i) nearest_[i] = nearest_[i - 1];
    nearest_[i] = distance;
  }

  std::vector<float> distances_;
  std::array<float, kNearest> nearest_;  // ascending
};

}  // namespace vrp
