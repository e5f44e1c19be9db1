// The settings of `model: estimate`.
#pragma once

#include <cstdint>

namespace vrp {

// The instances to learn from, their labels and the network: the section `estimate`.
struct EstimateConfig {
  int32_t min_customers = 10;
  int32_t max_customers = 200;
  double windows = 0.5;      // share of instances with time windows
  double long_routes = 0.2;  // share of instances with few long routes
  int64_t instances = 2000;  // to learn from
  // Share of instances that are labelled again without their last customer, to learn what one more
  // customer costs.
  double pairs = 0.5;
  uint64_t first_seed = 1;        // of the instances
  int64_t label_iterations = 20;  // of the search for each label, per customer
  // Further instances with cheaper labels, drawn with the seed first_seed + 1.
  int64_t coarse_instances = 8000;
  int64_t coarse_iterations = 15;  // of the search for each of their labels, per customer
  int32_t width = 32;              // sizes of the graph transformer
  int32_t layers = 0;              // 0: none, which is faster
  int32_t heads = 4;               // divides width
  int32_t hidden = 128;            // width of the head's hidden layer
  double pair_weight = 0.3;        // of the error of what one more customer costs, in the loss
  // Limits of the search for the labels of the validation; 0: none.
  int64_t validation_iterations = 100;  // per customer
  double validation_seconds = 0;
  double coverage = 0.9;  // share of costs that intervals should cover

  bool operator==(const EstimateConfig&) const = default;
};

}  // namespace vrp
