#include "core/dispatch/learning/fenchel_young.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/status_macros.h"
#include "core/dispatch/learning/normal.h"
#include "core/dispatch/policies/prizes.h"

namespace vrp {
namespace {

constexpr uint64_t kPerturbationStream = 0x70657274;  // of random numbers

// Returns the prizes in the unit of the site's costs after adding perturbations of `deviation`.
std::vector<double> Perturbed(const PrizeSample& sample, const std::vector<double>& prizes,
                              double deviation, CounterRandom random) {
  std::vector<double> perturbed;
  perturbed.reserve(prizes.size());
  for (const double prize : prizes) {
    perturbed.push_back((prize + deviation * DrawNormal(random)) * sample.site.mean_distance());
  }
  return perturbed;
}

// Returns which requests a plan serves.
std::vector<bool> Served(const Plan& plan, size_t requests) {
  std::vector<bool> served(requests);
  for (const PlannedRoute& route : plan) {
    for (const NodeIndex request : route.customers) served[request] = true;
  }
  return served;
}

}  // namespace

absl::StatusOr<PrizeGradient> ComputePrizeGradient(const PrizeNetwork& network,
                                                   const std::vector<PrizeSample*>& samples,
                                                   const PerturbationOptions& options,
                                                   CpuPool& pool) {
  const auto count = static_cast<int64_t>(samples.size());
  std::vector<std::vector<double>> prizes(samples.size());
  for (size_t s = 0; s < samples.size(); ++s) {
    for (const DispatchFeatures& features : samples[s]->features) {
      prizes[s].push_back(network.Predict(features));
    }
  }
  const auto plan = [&](int64_t s, double deviation, uint64_t number) {
    const PrizeSample& sample = *samples[s];
    return PlanWithPrizes(
        sample.site, sample.sample.state,
        Perturbed(sample, prizes[s], deviation,
                  CounterRandom(options.seed, kPerturbationStream, static_cast<uint32_t>(number))),
        {.max_iterations = options.iterations, .seed = options.seed + number}, {sample.plan});
  };
  std::vector<absl::StatusOr<Plan>> own(samples.size());
  pool.ParallelFor(count, [&](int64_t s) { own[s] = plan(s, 0, 0); });
  for (int64_t s = 0; s < count; ++s) {
    VRP_ASSIGN_OR_RETURN(samples[s]->plan, std::move(own[s]));
  }
  std::vector<absl::StatusOr<Plan>> plans(count * options.perturbations);
  pool.ParallelFor(std::ssize(plans), [&](int64_t i) {
    plans[i] = plan(i / options.perturbations, options.deviation, static_cast<uint64_t>(i) + 1);
  });
  PrizeGradient result = {.gradient = std::vector<float>(network.weights().size())};
  for (int64_t s = 0; s < count; ++s) {
    const PrizeSample& sample = *samples[s];
    const std::vector<bool> must_go = MustGo(sample.site, sample.sample.state);
    std::vector<double> share(must_go.size());
    for (int64_t k = 0; k < options.perturbations; ++k) {
      VRP_ASSIGN_OR_RETURN(const Plan perturbed, std::move(plans[s * options.perturbations + k]));
      const std::vector<bool> served = Served(perturbed, share.size());
      for (size_t i = 0; i < served.size(); ++i) {
        share[i] += served[i] ? 1.0 / options.perturbations : 0;
      }
    }
    double differences = 0;
    int64_t free = 0;
    for (size_t i = 0; i < share.size(); ++i) {
      if (must_go[i]) continue;
      const double slope = share[i] - (sample.sample.leaves[i] ? 1 : 0);
      differences += std::abs(slope);
      ++free;
      network.AddGradient(sample.features[i],
                          static_cast<float>(slope / static_cast<double>(count)), result.gradient);
    }
    if (free > 0) differences /= static_cast<double>(free);
    result.agreement += (1 - differences) / static_cast<double>(count);
  }
  return result;
}

void Normalise(const std::vector<const PrizeSample*>& samples, PrizeNetwork& network) {
  std::array<double, kDispatchFeatureCount> sums{};
  std::array<double, kDispatchFeatureCount> squares{};
  double count = 0;
  for (const PrizeSample* sample : samples) {
    for (const DispatchFeatures& features : sample->features) {
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
