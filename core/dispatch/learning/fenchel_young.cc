#include "core/dispatch/learning/fenchel_young.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/status_macros.h"
#include "core/dispatch/learning/normal.h"
#include "core/dispatch/policies/prizes.h"

namespace vrp {
namespace {

constexpr uint64_t kPerturbationStream = 0x70657274;  // of random numbers
// Number of partial sums of a gradient. Bounds their memory, and the threads that compute them.
constexpr int64_t kGradientParts = 16;

// Returns the prizes in the unit of the site's costs after adding perturbations of `deviation`.
std::vector<double> Perturbed(const PrizeSample& sample, const std::vector<float>& prizes,
                              double deviation, CounterRandom random) {
  std::vector<double> perturbed;
  perturbed.reserve(prizes.size());
  for (const float prize : prizes) {
    perturbed.push_back((prize + deviation * DrawNormal(random)) * sample.site.mean_distance());
  }
  return perturbed;
}

// Adds 1 / `plans` to the entry of each request that the plan serves.
void AddShares(const Plan& plan, int32_t plans, std::vector<double>& shares) {
  for (const PlannedRoute& route : plan) {
    for (const NodeIndex request : route.customers) shares[request] += 1.0 / plans;
  }
}

// The slopes of a sample's prizes.
struct PrizeSlopes {
  std::vector<float> slopes = {};  // by request; 0 if it must go
  double agreement = 0;            // see PrizeGradient
};

// Returns the slopes, divided by the number of `samples`. `shares`: the share of the perturbed
// plans that serve each request.
PrizeSlopes SlopesOf(const PrizeSample& sample, const std::vector<double>& shares,
                     int64_t samples) {
  const std::vector<bool> must_go = MustGo(sample.site, sample.sample.state);
  PrizeSlopes result = {.slopes = std::vector<float>(shares.size())};
  double differences = 0;
  int64_t free = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (must_go[i]) continue;
    const double slope = shares[i] - (sample.sample.leaves[i] ? 1 : 0);
    differences += std::abs(slope);
    ++free;
    result.slopes[i] = static_cast<float>(slope / static_cast<double>(samples));
  }
  if (free > 0) differences /= static_cast<double>(free);
  result.agreement = 1 - differences;
  return result;
}

// Returns the sum of the samples' gradients. Their number alone determines the order of additions.
std::vector<float> SumGradients(const PrizeNetwork& network,
                                const std::vector<PrizeSample*>& samples,
                                const std::vector<PrizeSlopes>& slopes, CpuPool& pool) {
  const int64_t count = std::ssize(samples);
  const int64_t parts = std::min(count, kGradientParts);
  std::vector<std::vector<float>> gradients(static_cast<size_t>(std::max<int64_t>(1, parts)));
  gradients[0].resize(network.weights().size());
  pool.ParallelFor(parts, [&](int64_t part) {
    std::vector<float>& gradient = gradients[static_cast<size_t>(part)];
    gradient.resize(network.weights().size());
    for (auto s = static_cast<size_t>(part); s < samples.size(); s += static_cast<size_t>(parts)) {
      network.AddGradient(samples[s]->features, slopes[s].slopes, gradient);
    }
  });
  std::vector<float> sum = std::move(gradients[0]);
  for (size_t part = 1; part < gradients.size(); ++part) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += gradients[part][i];
  }
  return sum;
}

}  // namespace

absl::StatusOr<PrizeGradient> ComputePrizeGradient(const PrizeNetwork& network,
                                                   const std::vector<PrizeSample*>& samples,
                                                   const PerturbationOptions& options,
                                                   CpuPool& pool) {
  const int64_t count = std::ssize(samples);
  std::vector<std::vector<float>> prizes(samples.size());
  const auto plan = [&](int64_t s, double deviation, uint64_t number) {
    const PrizeSample& sample = *samples[s];
    return PlanWithPrizes(
        sample.site, sample.sample.state,
        Perturbed(sample, prizes[s], deviation,
                  CounterRandom(options.seed, kPerturbationStream, static_cast<uint32_t>(number))),
        {.max_iterations = options.iterations, .seed = options.seed + number}, {sample.plan});
  };
  std::vector<absl::StatusOr<Plan>> own(samples.size());
  pool.ParallelFor(count, [&](int64_t s) {
    prizes[s] = network.Predict(samples[s]->features);
    own[s] = plan(s, 0, 0);
  });
  for (int64_t s = 0; s < count; ++s) {
    VRP_ASSIGN_OR_RETURN(samples[s]->plan, std::move(own[s]));
  }
  std::vector<absl::StatusOr<Plan>> plans(count * options.perturbations);
  pool.ParallelFor(std::ssize(plans), [&](int64_t i) {
    plans[i] = plan(i / options.perturbations, options.deviation, static_cast<uint64_t>(i) + 1);
  });
  PrizeGradient result;
  std::vector<PrizeSlopes> slopes(samples.size());
  for (int64_t s = 0; s < count; ++s) {
    std::vector<double> shares(prizes[s].size());
    for (int64_t k = 0; k < options.perturbations; ++k) {
      VRP_ASSIGN_OR_RETURN(const Plan perturbed, std::move(plans[s * options.perturbations + k]));
      AddShares(perturbed, options.perturbations, shares);
    }
    slopes[s] = SlopesOf(*samples[s], shares, count);
    result.agreement += slopes[s].agreement / static_cast<double>(count);
  }
  result.gradient = SumGradients(network, samples, slopes, pool);
  return result;
}

void Normalise(const std::vector<const PrizeSample*>& samples, PrizeNetwork& network) {
  std::array<double, kDispatchFeatureCount> sums{};
  std::array<double, kDispatchFeatureCount> squares{};
  double count = 0;
  for (const PrizeSample* sample : samples) {
    for (const DispatchFeatures& features : sample->features.requests) {
      for (size_t i = 0; i < features.size(); ++i) {
        sums[i] += features[i];
        squares[i] += features[i] * features[i];
      }
      ++count;
    }
  }
  DispatchFeatures means{};
  DispatchFeatures deviations{};
  for (size_t i = 0; i < means.size(); ++i) {
    const double mean = count > 0 ? sums[i] / count : 0;
    const double variance = count > 0 ? squares[i] / count - mean * mean : 1;
    means[i] = static_cast<float>(mean);
    // A feature that hardly varies is only shifted.
    deviations[i] = variance > 1e-8 ? static_cast<float>(std::sqrt(variance)) : 1.0F;
  }
  network.SetNormalisation(means, deviations);
}

}  // namespace vrp
