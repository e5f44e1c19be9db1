// Measures cost and gap of CVRP100 plans against the rounds of improvement in one batch, and the
// time of one greedy plan. On a GPU it runs as in the daemon; on the CPU it runs the same programs
// with one thread. The reference of the gap is the best plan of our own search in one second, for
// the batch's first REFERENCES instances.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/model/policy/improving_policy.h"
#include "core/problem/checker/checker.h"
#include "core/problem/generate/generators.h"
#include "core/search/search.h"
#include "tests/bench/json_line.h"
#include "tests/bench/or_exit.h"

namespace vrp {
namespace {

constexpr absl::Duration kReferenceTime = absl::Seconds(1);
constexpr int kWarmCalls = 20;  // before the measured calls
constexpr int kCalls = 200;     // measured calls of one plan

struct Arguments {
  std::string device;
  std::string model;
  int instances = 0;
  int references = 0;
  std::vector<int> rounds = {};
};

bool Parse(int argc, char** argv, Arguments& arguments) {
  if (argc < 6) return false;
  arguments.device = argv[1];
  arguments.model = argv[2];
  bool valid = absl::SimpleAtoi(argv[3], &arguments.instances) && arguments.instances > 0 &&
               absl::SimpleAtoi(argv[4], &arguments.references) && arguments.references >= 0 &&
               arguments.references <= arguments.instances;
  for (int i = 5; i < argc; ++i) {
    valid = valid && absl::SimpleAtoi(argv[i], &arguments.rounds.emplace_back());
    valid = valid && arguments.rounds.back() >= 0;
  }
  return valid;
}

// Returns the policy of the arguments. On the CPU, it runs the GPU's improvement program.
std::unique_ptr<Policy> Load(const Arguments& arguments) {
  const DeviceId device = Value(ResolveDevice(arguments.device));
  std::unique_ptr<Policy> policy = Value(LoadPolicy(arguments.model, device));
  if (device.kind != DeviceKind::kCpu) return policy;
  return MakeImprovingPolicy(std::move(policy), MakeSerialBatchImprover());
}

std::vector<double> References(const std::vector<Instance>& instances, int count, CpuPool& pool) {
  std::vector<double> costs(static_cast<size_t>(count));
  pool.ParallelFor(count, [&](int64_t i) {
    SearchOptions options;
    options.stop = StopCondition(SteadyNow() + kReferenceTime, nullptr);
    costs[static_cast<size_t>(i)] = Value(Search(instances[static_cast<size_t>(i)], options)).cost;
  });
  return costs;
}

class Bench {
 public:
  explicit Bench(const Arguments& arguments)
      : arguments_(arguments),
        threads_(static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))),
        pool_(threads_),
        policy_(Load(arguments)),
        instances_(Value(GenerateInstances(
            {.kind = ProblemKind::kCvrp, .customers = 100, .seed = 1234}, arguments.instances))),
        references_(References(instances_, arguments.references, pool_)) {}

  // Measures one greedy plan. A multi-start with one start does the same work, but a GPU launches
  // its kernels one by one instead of replaying captured ones.
  void MeasureGreedy() {
    DecodeOptions one_start;
    one_start.method = DecodeMethod::kMultiStart;
    nlohmann::ordered_json line = Line("greedy_cvrp100_single");
    line["batch"] = 1;
    line["call_ms"] = MedianCall({});
    line["launch_by_launch_ms"] = MedianCall(one_start);
    PrintMeasurement(std::move(line), 1);
  }

  void MeasureImproved(int rounds) {
    DecodeOptions options;
    options.improvement = PlanImprovement{.rounds = rounds};
    options.pool = &pool_;
    const absl::Time start = SteadyNow();
    const double cpu = ProcessCpuSeconds();
    const std::vector<DecodedPlan> plans = Value(policy_->Decode(instances_, options));
    const double seconds = absl::ToDoubleSeconds(SteadyNow() - start);
    double cost = 0;
    double gap = 0;
    for (size_t i = 0; i < plans.size(); ++i) {
      const CheckReport report = CheckPlan(instances_[i], plans[i].plan);
      if (!report.feasible)
        Die(absl::InternalError(Concat("instance ", i + 1, ": the checker refuses our plan")));
      cost += report.cost / static_cast<double>(plans.size());
      if (i >= references_.size()) continue;
      gap += (report.cost / references_[i] - 1) / static_cast<double>(references_.size());
    }
    nlohmann::ordered_json line = Line("improved_cvrp100");
    line["batch"] = arguments_.instances;
    line["rounds"] = rounds;
    line["cost"] = cost;
    line["gap"] = gap;
    line["references"] = references_.size();
    line["seconds"] = seconds;
    line["improving_s"] = absl::ToDoubleSeconds(plans.front().improving);
    line["cpu_s"] = ProcessCpuSeconds() - cpu;
    line["instances_per_s"] = arguments_.instances / seconds;
    PrintMeasurement(std::move(line), threads_);
  }

 private:
  // Returns the median time of a call in milliseconds per instance.
  double MedianCall(const DecodeOptions& options) const {
    const std::span<const Instance> one(instances_.data(), 1);
    std::vector<double> milliseconds;
    for (int call = -kWarmCalls; call < kCalls; ++call) {
      const absl::Time start = SteadyNow();
      Value(policy_->Decode(one, options));
      if (call >= 0) milliseconds.push_back(absl::ToDoubleMilliseconds(SteadyNow() - start));
    }
    return Median(milliseconds);
  }

  nlohmann::ordered_json Line(const char* what) const {
    nlohmann::ordered_json line;
    line["what"] = what;
    line["computed_on"] = arguments_.device;
    return line;
  }

  const Arguments arguments_;
  const int threads_;
  CpuPool pool_;
  const std::unique_ptr<Policy> policy_;
  const std::vector<Instance> instances_;
  const std::vector<double> references_;
};

int Main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, arguments)) {
    std::cerr << "usage: improve_bench DEVICE MODEL INSTANCES REFERENCES ROUNDS...\n";
    return 2;
  }
  Bench bench(arguments);
  bench.MeasureGreedy();
  for (const int rounds : arguments.rounds) bench.MeasureImproved(rounds);
  return 0;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) { return vrp::Main(argc, argv); }
