#include "core/search/model/compartments.h"

#include <algorithm>

#include "core/search/model/vehicle.h"

namespace vrp {
Compartments::Compartments(const std::vector<Compartment>& compartments, int32_t dimensions) {
  for (const Compartment& compartment : compartments) {
    Kind kind = {.capacity = WithSlack(compartment.capacity)};
    for (int32_t k = 0; k < dimensions; ++k) {
      if (compartment.Holds(k)) kind.held |= uint64_t{1} << k;
    }
    auto same = std::ranges::find_if(kinds_, [&](const Kind& other) {
      return other.capacity == kind.capacity && other.held == kind.held;
    });
    if (same == kinds_.end()) same = kinds_.insert(same, kind);
    ++same->count;
    ++count_;
    capacity_ += kind.capacity;
  }
  std::ranges::stable_sort(kinds_, {}, &Kind::capacity);
  for (Kind& kind : kinds_) {
    kind.step = sets_;
    sets_ *= kind.count + 1;
  }
}

bool Compartments::Fit(std::span<const double> loads, Scratch& scratch) const {
  Products products;
  for (size_t k = 0; k < loads.size(); ++k) {
    if (loads[k] <= 0) continue;
    products.total += loads[k];
    if (products.count == count_ || products.total > capacity_) return false;
    int32_t at = products.count++;
    for (; at > 0 && products.of[at - 1].load < loads[k]; --at)
      products.of[at] = products.of[at - 1];
    products.of[at] = {.load = loads[k], .bit = uint64_t{1} << k};
  }
  return FitGreedily(products) || FitExactly(products, scratch);
}

// Whether a simple assignment succeeds: each product gets the smallest compartment that suffices
// alone, or else the largest ones.
bool Compartments::FitGreedily(const Products& products) const {
  Counts left = {};
  for (size_t kind = 0; kind < kinds_.size(); ++kind) left[kind] = kinds_[kind].count;
  for (int32_t i = 0; i < products.count; ++i) {
    if (!Assign(products.of[i], left)) return false;
  }
  return true;
}

bool Compartments::Assign(const Product& product, Counts& left) const {
  double load = product.load;
  while (true) {
    size_t largest = kinds_.size();
    for (size_t kind = 0; kind < kinds_.size(); ++kind) {
      if (left[kind] == 0 || (kinds_[kind].held & product.bit) == 0) continue;
      largest = kind;
      if (kinds_[kind].capacity >= load) break;
    }
    if (largest == kinds_.size()) return false;
    --left[largest];
    if (kinds_[largest].capacity >= load) return true;
    load -= kinds_[largest].capacity;
  }
}

// Fills the products one after the other. With the same compartments in use, more full products
// are better, and then more space for the next one. So the best way for each set suffices. A set
// that wastes more space than there is to spare leads nowhere.
bool Compartments::FitExactly(const Products& products, Scratch& scratch) const {
  scratch.assign(static_cast<size_t>(sets_), Filled{});
  scratch[0] = {.full = 0};
  std::array<double, kMaxCompartments + 1> before = {};  // loads of the products before each
  for (int32_t i = 0; i < products.count; ++i) before[i + 1] = before[i] + products.of[i].load;
  Counts used = {};
  double unused = capacity_ * (1 + kRelativeSlack);
  for (int32_t set = 0; set < sets_; ++set) {
    const Filled filled = scratch[set];
    const bool suffices =
        filled.full >= 0 && before[filled.full] + filled.part + unused >= products.total;
    for (size_t kind = 0; suffices && kind < kinds_.size(); ++kind) {
      const Kind& added = kinds_[kind];
      if (used[kind] == added.count) continue;
      const Product& next = products.of[filled.full];
      Filled with = filled;
      if ((added.held & next.bit) != 0) with.part += added.capacity;
      if (with.part >= next.load) with = {.full = filled.full + 1};
      if (with.full == products.count) return true;
      Filled& best = scratch[set + added.step];
      if (with.full > best.full || (with.full == best.full && with.part > best.part)) best = with;
    }
    for (size_t kind = 0; kind < kinds_.size(); ++kind) {
      unused -= kinds_[kind].capacity;
      if (++used[kind] <= kinds_[kind].count) break;
      unused += used[kind] * kinds_[kind].capacity;
      used[kind] = 0;
    }
  }
  return false;
}

}  // namespace vrp
