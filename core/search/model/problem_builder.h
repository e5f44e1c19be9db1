// Makes a Problem out of an instance.
#pragma once

#include "core/search/model/neighbour_lists.h"
#include "core/search/model/problem.h"

namespace vrp {

class ProblemBuilder {
 public:
  ProblemBuilder(Problem& problem, const StopCondition& stop)
      : problem_(problem), data_(problem.instance().data()), stop_(stop) {}

  void Run();

 private:
  void ReadTimes();
  void ReadLoads();
  void ReadUnits();
  void AddUnit(Unit::Kind kind, std::span<const NodeIndex> nodes);
  void BindDeliveries();
  void ReadFrozen();
  void ReadVehicles();
  Vehicle ReadVehicle(const VehicleType& type) const;
  void SetCosts(const VehicleType& type, Vehicle& vehicle) const;
  void ReadSkills();
  void SetTravel();
  void Summarize();
  void BuildNeighbours();
  // False: lists of that length would take more than their share of the time.
  bool ListNeighbours(int32_t length, double share);
  bool SomeKeepApart();
  bool MayGoTogether(NodeIndex a, NodeIndex b) const;  // after SomeKeepApart
  // The shorter way of the two between them, by the first vehicle.
  double Nearness(NodeIndex a, NodeIndex b) const;
  // Sets candidates_ to the nodes of the keys, by nearness, and value_ to their proximity to
  // `node`.
  void RateRelated(NodeIndex node, std::span<const uint64_t> keys);

  Problem& problem_;
  const InstanceData& data_;
  const StopCondition& stop_;
  std::vector<const VehicleType*> distinct_;  // by type
  std::vector<char> together_;      // [sets, sets] of skills: whether some vehicle has both
  NeighbourCandidates candidates_;  // scratch space of ListNeighbours, as those that follow
  std::vector<double> there_, back_, time_there_, time_back_, value_;
};

}  // namespace vrp
