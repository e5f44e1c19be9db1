// Whether loads fit in the compartments of a vehicle.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/instance/instance_data.h"

namespace vrp {

// The compartments of a vehicle type. Immutable; thread-safe.
class Compartments {
 public:
  // How far compartments fill the products, in their order.
  struct Filled {
    int32_t full = -1;  // products that have their space; below 0: no way leads there
    double part = 0;    // space for the next product
  };
  // Memory that calls share, one thread at a time.
  using Scratch = std::vector<Filled>;

  Compartments(const std::vector<Compartment>& compartments, int32_t dimensions);

  // Whether the compartments can be assigned to products, which are load dimensions, so that each
  // load has space. `loads` [K] are those of one trip, the largest of each dimension. Takes tens of
  // nanoseconds if some products exceed all compartments or each fits in the next best; else time
  // in proportion to the number of different sets of compartments (32 for 5 unlike ones).
  bool Fit(std::span<const double> loads, Scratch& scratch) const;

 private:
  // Equal compartments.
  struct Kind {
    double capacity = 0;  // with room for rounding
    uint64_t held = 0;    // a bit for each load dimension
    int32_t count = 0;
    int32_t step = 0;  // of the number of a set, where each kind has a digit
  };
  struct Product {
    double load = 0;
    uint64_t bit = 0;
  };
  // Largest first. At most as many as there are compartments.
  struct Products {
    std::array<Product, kMaxCompartments> of = {};
    int32_t count = 0;
    double total = 0;
  };
  using Counts = std::array<int32_t, kMaxCompartments>;

  bool FitGreedily(const Products& products) const;
  bool Assign(const Product& product, Counts& left) const;
  bool FitExactly(const Products& products, Scratch& scratch) const;

  std::vector<Kind> kinds_;  // the smallest first
  int32_t count_ = 0;
  int32_t sets_ = 1;  // of compartments, equal ones being interchangeable
  double capacity_ = 0;
};

}  // namespace vrp
