// How good the search is within given budgets, as JSON lines:
//   search_quality_report --budgets 10,50,500 [--limit N] [--seed N] [--each] FILE...
// FILE: a .jsonl (one instance a line) or a single instance (.vrp, .tsp, .txt; its best cost from
// the .sol beside it). Gaps are to the instances' reference costs; files without one are left out.
// One thread; a line a file (a .jsonl as a whole) and budget, then one over all. Run it for tuning
// in general, never to an instance.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"
#include "core/search/search.h"

namespace {

struct Case {
  vrp::Instance instance;
  double reference = 0;
};

struct Arguments {
  std::vector<int> budgets_ms = {50, 500};
  int limit = 1'000'000;
  uint64_t seed = 1;
  bool each = false;
  std::vector<std::string> files;
};

struct Tally {
  int count = 0;
  int incomplete = 0;
  double gap_sum = 0;
  double worst = 0;
  double iterations = 0;
};

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<double> SolutionCost(const std::string& path, const vrp::Instance& instance) {
  const std::string name = std::filesystem::path(path).replace_extension(".sol").string();
  if (!std::filesystem::exists(name)) return std::nullopt;
  const auto solution = vrp::ParseVrplibSolution(ReadAll(name), name, instance);
  return solution.ok() ? solution->cost : std::nullopt;
}

std::vector<Case> LoadCases(const std::string& path, int limit) {
  std::vector<Case> cases;
  std::vector<std::string> texts = {ReadAll(path)};
  if (absl::EndsWith(path, ".jsonl"))
    texts = absl::StrSplit(texts[0], '\n', absl::SkipWhitespace());
  for (const std::string& text : texts) {
    if (static_cast<int>(cases.size()) == limit) break;
    auto instance = vrp::ParseInstance(text, path);
    if (!instance.ok()) {
      std::cerr << instance.status() << "\n";
      continue;
    }
    std::optional<double> reference = instance->reference_cost();
    if (!reference.has_value()) reference = SolutionCost(path, *instance);
    if (reference.has_value()) cases.push_back({*std::move(instance), *reference});
  }
  return cases;
}

void Print(const std::string& what, int budget_ms, const Tally& tally) {
  std::printf(
      "{\"what\":\"%s\",\"budget_ms\":%d,\"count\":%d,\"incomplete\":%d,\"gap_percent\":%.3f,"
      "\"worst_percent\":%.3f,\"mean_iterations\":%.0f}\n",
      what.c_str(), budget_ms, tally.count, tally.incomplete,
      100 * tally.gap_sum / std::max(1, tally.count), 100 * tally.worst,
      tally.iterations / std::max(1, tally.count + tally.incomplete));
  std::fflush(stdout);
}

// One search; false when the checker refuses the plan.
bool Measure(const Case& item, const Arguments& arguments, int budget_ms, Tally& tally) {
  vrp::SearchOptions options;
  options.seed = arguments.seed;
  options.stop = vrp::StopCondition(vrp::SteadyNow() + absl::Milliseconds(budget_ms), nullptr);
  const auto result = vrp::Search(item.instance, options);
  if (!result.ok()) {
    std::cerr << result.status() << "\n";
    return false;
  }
  tally.iterations += static_cast<double>(result->iterations);
  const vrp::CheckReport report = vrp::CheckPlan(item.instance, result->plan, result->cost);
  if (!report.feasible) {
    std::cerr << item.instance.name() << ": " << report.violations.front().message << "\n";
    ++tally.incomplete;
    return report.violations.front().kind == vrp::ViolationKind::kMissingCustomer;
  }
  const double gap = result->cost / item.reference - 1;
  ++tally.count;
  tally.gap_sum += gap;
  tally.worst = std::max(tally.worst, gap);
  return true;
}

void Add(const Tally& part, Tally& total) {
  total.count += part.count;
  total.incomplete += part.incomplete;
  total.gap_sum += part.gap_sum;
  total.worst = std::max(total.worst, part.worst);
  total.iterations += part.iterations;
}

std::optional<Arguments> Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string next = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--each") {
      arguments.each = true;
    } else if (word == "--budgets") {
      arguments.budgets_ms.clear();
      for (const auto part : absl::StrSplit(next, ',')) {
        if (!absl::SimpleAtoi(part, &arguments.budgets_ms.emplace_back())) return std::nullopt;
      }
      ++i;
    } else if (word == "--limit" || word == "--seed") {
      int value = 0;
      if (!absl::SimpleAtoi(next, &value)) return std::nullopt;
      (word == "--limit" ? arguments.limit : value) = value;
      if (word == "--seed") arguments.seed = static_cast<uint64_t>(value);
      ++i;
    } else {
      arguments.files.push_back(word);
    }
  }
  return arguments.files.empty() ? std::nullopt : std::optional(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = Parse(argc, argv);
  if (!arguments.has_value()) {
    std::cerr << "usage: search_quality_report [--budgets MS,...] [--limit N] [--seed N] [--each] "
                 "FILE...\n";
    return 2;
  }
  bool sound = true;
  for (const int budget_ms : arguments->budgets_ms) {
    Tally all;
    for (const std::string& file : arguments->files) {
      Tally tally;
      for (const Case& item : LoadCases(file, arguments->limit))
        sound &= Measure(item, *arguments, budget_ms, tally);
      if (arguments->each) Print(std::filesystem::path(file).filename().string(), budget_ms, tally);
      Add(tally, all);
    }
    Print("all", budget_ms, all);
  }
  return sound ? 0 : 1;
}
