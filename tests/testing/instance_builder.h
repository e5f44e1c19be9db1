// Builds small instances for tests: AnInstance().WithCustomers(5).Capacity(10).Build().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp::test {

// A builder that starts as a CVRP with one depot and 5 customers at seeded random positions in the
// square [0, 100]^2. Demands are 1, the capacity is 10, the metric is exact, and the fleet
// is unlimited.
class InstanceBuilder {
 public:
  InstanceBuilder& WithCustomers(int32_t customers);  // for a TSP: customers + 1 cities
  InstanceBuilder& Seed(uint64_t seed);
  InstanceBuilder& Named(std::string name);
  InstanceBuilder& Kind(ProblemKind kind);
  InstanceBuilder& As(Metric metric);
  InstanceBuilder& Capacity(double capacity);
  InstanceBuilder& Vehicles(int32_t count);
  InstanceBuilder& MaxDuration(double duration);
  InstanceBuilder& MaxDistance(double distance);
  InstanceBuilder& OpenEnd();
  InstanceBuilder& Service(double time);  // service time of each customer; ignored for a TSP
  InstanceBuilder& At(
      std::vector<Position> positions);  // depot first; sets the number of customers
  InstanceBuilder& Demands(std::vector<double> demands);      // one per customer
  InstanceBuilder& RandomDemands();                           // integers from 1 to min(9, capacity)
  InstanceBuilder& Backhauls(std::vector<double> backhauls);  // one per customer
  // Makes the instance a VRPTW with these windows of the customers. The depot is open from 0 to
  // `horizon`.
  InstanceBuilder& Windows(std::vector<TimeWindow> windows, double horizon);
  // Makes the instance a VRPTW with random windows. A vehicle that drives from the depot to a
  // customer arrives before the customer's window opens, and can serve and return in time.
  InstanceBuilder& RandomWindows();
  // States the distances as a matrix, without coordinates. A positive `asymmetry` lengthens each
  // distance from a node to one with a lower number, by up to this share.
  InstanceBuilder& ExplicitMatrix(double asymmetry = 0);

  // Builds the instance. Aborts if it is not valid, because the test is then wrong.
  Instance Build() const;
  // Returns the data without validation.
  InstanceData BuildData() const;

 private:
  void AddPositions(InstanceData& data) const;
  void AddLoads(InstanceData& data) const;
  void AddWindows(InstanceData& data) const;
  void AddMatrix(InstanceData& data) const;

  int32_t customers_ = 5;
  uint64_t seed_ = 1;
  std::string name_ = "test";
  ProblemKind kind_ = ProblemKind::kCvrp;
  Metric metric_ = Metric::kExact;
  VehicleType vehicle_{.capacity = 10};
  double service_ = 0;
  std::vector<Position> positions_;
  std::vector<double> demands_;
  bool random_demands_ = false;
  std::vector<double> backhauls_;
  std::vector<TimeWindow> windows_;
  double horizon_ = 0;
  bool random_windows_ = false;
  double asymmetry_ = -1;  // negative: no matrix
};

inline InstanceBuilder AnInstance() { return {}; }
// Returns a builder with the depot at 0 and customers 1, 2, 3 at 10, 20, 30 on a line.
inline InstanceBuilder OnALine() { return AnInstance().At({{0, 0}, {10, 0}, {20, 0}, {30, 0}}); }
// Returns the same instance as data, with windows: [0, 900] for customers, [0, 1000] for the depot.
inline InstanceData LineWithWindows() {
  return OnALine().Windows({{0, 900}, {0, 900}, {0, 900}}, 1000).BuildData();
}

}  // namespace vrp::test
