// Makes a RichProblem out of an instance.
#pragma once

#include "core/search/rich/rich_problem.h"

namespace vrp {

class RichProblemBuilder {
 public:
  RichProblemBuilder(RichProblem& problem, const StopCondition& stop)
      : problem_(problem), data_(problem.instance().data()), stop_(stop) {}

  void Run();

 private:
  void ReadTimes();
  void ReadLoads();
  void ReadUnits();
  void AddUnit(RichUnit::Kind kind, std::span<const NodeIndex> nodes);
  void BindDeliveries();
  void ReadFrozen();
  void ReadVehicles();
  RichVehicle ReadVehicle(const VehicleType& type) const;
  void SetCosts(const VehicleType& type, RichVehicle& vehicle) const;
  void ReadSkills();
  void SetTravel();
  bool BuildMatrix();
  void Summarize();
  void BuildNeighbours();
  // Whether one starting after the other, or the other way round, is near.
  double Proximity(NodeIndex from, NodeIndex to) const;

  RichProblem& problem_;
  const InstanceData& data_;
  const StopCondition& stop_;
  std::vector<const VehicleType*> distinct_;  // by type
};

}  // namespace vrp
