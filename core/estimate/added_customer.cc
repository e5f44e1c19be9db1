#include "core/estimate/added_customer.h"

#include <algorithm>
#include <limits>

#include "core/base/status_macros.h"

namespace vrp {
namespace {

// Shapes of the quick plans. The one of shape 1 is the plan of estimates.
constexpr std::array<float, 7> kShapes = {1, 0.6F, 0.8F, 0.9F, 1.1F, 1.25F, 1.5F};
constexpr double kSmallestUnit = 1e-6;  // of the mean distance from the depot

// Returns x, with a slope that falls to a quarter at x = half.
float Saturated(float x, float half) { return x / (1 + x / half); }

}  // namespace

absl::Status AddedCustomer::SetBase(const Instance& instance,
                                    std::span<const NodeIndex> customers) {
  VRP_RETURN_IF_ERROR(base_.Choose(instance, customers));
  instance_ = &instance;
  chosen_.assign(customers.begin(), customers.end());
  chosen_.push_back(0);
  tours_.resize(kShapes.size());
  for (size_t k = 0; k < kShapes.size(); ++k) {
    if (k == 0) {
      savings_.Plan(base_);
      base_cost_ = savings_.cost() * base_.scale();
    } else {
      savings_.PlanAgain(base_, kShapes[k]);
    }
    SetTour(savings_, tours_[k]);
  }
  return absl::OkStatus();
}

void AddedCustomer::SetTour(QuickSavings& savings, Tour& tour) {
  tour.nodes.assign(1, 0);
  tour.loads.assign(1, 0);
  for (int32_t i = 1; i < base_.nodes(); ++i) {
    if (savings.previous(i) != 0) continue;
    tour.loads.back() = savings.route_load(i);  // of the route that begins at this depot
    for (int32_t at = i; at != 0; at = savings.next(at)) {
      tour.nodes.push_back(at);
      tour.loads.push_back(savings.route_load(i));
    }
    tour.nodes.push_back(0);
    tour.loads.push_back(0);
  }
}

void AddedCustomer::Schedule(const Tour& tour) {
  const size_t count = tour.nodes.size();
  start_.assign(count, 0);
  latest_.assign(count, larger_.horizon());
  for (size_t k = 1; k < count; ++k) {
    const int32_t i = tour.nodes[k - 1];
    const int32_t j = tour.nodes[k];
    if (j == 0) continue;
    start_[k] =
        std::max(larger_.open(j), start_[k - 1] + larger_.service(i) + larger_.Distance(i, j));
  }
  for (size_t k = count - 1; k-- > 0;) {
    const int32_t i = tour.nodes[k];
    const int32_t j = tour.nodes[k + 1];
    if (i == 0) continue;
    latest_[k] =
        std::min(larger_.close(i), latest_[k + 1] - larger_.Distance(i, j) - larger_.service(i));
  }
}

float AddedCustomer::CheapestInsertion(const Tour& tour) {
  const int32_t added = larger_.nodes() - 1;
  const float* const row = larger_.DistancesFrom(added);
  if (larger_.timed()) Schedule(tour);
  float cheapest = 2 * row[0];
  for (size_t k = 0; k + 1 < tour.nodes.size(); ++k) {
    const int32_t i = tour.nodes[k];
    const int32_t j = tour.nodes[k + 1];
    const float detour = row[i] + row[j] - larger_.Distance(i, j);
    if (detour >= cheapest || tour.loads[k] + larger_.load(added) > 1 + kQuickLoadSlack) continue;
    if (larger_.timed()) {
      const float start = std::max(larger_.open(added), start_[k] + larger_.service(i) + row[i]);
      const float next = start + larger_.service(added) + row[j];
      if (start > larger_.close(added) + kQuickTimeSlack || next > latest_[k + 1] + kQuickTimeSlack)
        continue;
    }
    cheapest = detour;
  }
  return std::max(0.0F, cheapest);
}

absl::StatusOr<AddedCustomer::Features> AddedCustomer::Compute(NodeIndex customer) {
  chosen_.back() = customer;
  VRP_RETURN_IF_ERROR(larger_.Choose(*instance_, chosen_));
  unit_ = base_cost_ / base_.customers();
  if (!(unit_ > kSmallestUnit * larger_.scale())) {
    return absl::InvalidArgumentError("customers: all are at the depot");
  }
  const int32_t added = larger_.nodes() - 1;
  const float* const row = larger_.DistancesFrom(added);
  const auto scale = static_cast<float>(larger_.scale() / unit_);
  float mean = 0;
  float cheapest = std::numeric_limits<float>::max();
  for (const Tour& tour : tours_) {
    const float insertion = scale * CheapestInsertion(tour);
    mean += insertion / static_cast<float>(tours_.size());
    cheapest = std::min(cheapest, insertion);
  }
  nearest_.assign(row + 1, row + added);
  const size_t sorted = std::min<size_t>(4, nearest_.size());
  std::partial_sort(nearest_.begin(), nearest_.begin() + static_cast<std::ptrdiff_t>(sorted),
                    nearest_.end());
  const auto nearest = [&](size_t k) { return scale * nearest_[std::min(k, sorted - 1)]; };
  float loads = 0;
  for (int32_t i = 1; i <= added; ++i) loads += larger_.load(i);
  const float load_distance = 2 * scale * row[0] * larger_.load(added);
  const float window = (larger_.close(added) - larger_.open(added)) / larger_.horizon();
  return Features{1,
                  mean,
                  Saturated(mean, 1),
                  Saturated(mean, 0.3F),
                  Saturated(cheapest, 1),
                  load_distance,
                  Saturated(load_distance, 2),
                  nearest(0),
                  Saturated(nearest(0), 0.5F),
                  nearest(1),
                  Saturated(nearest(1), 0.5F),
                  nearest(3),
                  scale * row[0],
                  larger_.timed() ? window : 0,
                  loads > 0 ? larger_.load(added) * static_cast<float>(added) / loads : 1};
}

}  // namespace vrp
