// The settings of `model: dispatch`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vrp {

enum class DispatchEncoder { kMlp, kLinear, kGraphTransformer };

// The days to train on, their labels, the network and its learning rule: the section `dispatch`,
// and the keys of `validation` that other models do not have. Times of days are in the unit of the
// sites.
struct DispatchConfig {
  // Files on the daemon's machine, each with one instance, or JSON lines or datasets of instances.
  std::vector<std::string> sites;
  // File or dataset with a request log of the one site, whose days replace drawn ones; empty: none.
  std::string log;
  int32_t log_days = 0;  // days of the log to train on, from the first; 0: see TrainingDaysOf
  int32_t days_per_site = 4;
  uint64_t first_seed = 1;           // day k of a site is drawn with the seed first_seed + k
  double epoch = 3600;               // time between two decisions
  double margin = 3600;              // time from a decision to the departure of its vehicles
  int32_t requests_per_epoch = 100;  // drawn at each decision
  // Limits of the search for each plan in hindsight; 0: none.
  double label_seconds = 15;
  int64_t label_iterations = 0;
  DispatchEncoder encoder = DispatchEncoder::kMlp;
  std::vector<int64_t> hidden = {16, 16};  // widths of the hidden layers of an MLP
  int32_t width = 32;                      // sizes of a graph transformer
  int32_t layers = 2;
  int32_t heads = 4;                  // divides width
  int32_t draws = 4;                  // draws of requests to come, for features
  int32_t scenarios = 0;              // planned scenarios, for a feature; 0: none
  int32_t lookahead = 3;              // decisions after this one whose requests are drawn
  int64_t scenario_iterations = 300;  // search iterations per scenario
  int32_t perturbations = 8;          // per sample and step
  double deviation = 0.2;             // of perturbed prizes, in units of the site's mean distance
  int64_t search_iterations = 1000;   // per perturbed problem

  int32_t validation_days = 15;  // day k is of site k, in turn; of a log, the last days
  // Limits of each decision in validations; 0: none.
  double decision_seconds = 0;
  int64_t decision_iterations = 10000;
  // Candidates of the shift of prizes, of which each validation chooses the best.
  std::vector<double> shifts = {-0.1, -0.05, 0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3};

  bool operator==(const DispatchConfig&) const = default;
};

}  // namespace vrp
