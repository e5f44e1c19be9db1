// Requests for stops of the histories of tests/habits/habits_testing.h.
#pragma once

#include <string>
#include <vector>

#include "tests/habits/habits_testing.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::test {

// Returns a request for one vehicle, whose id is `driver`, and customers of demand 1.
inline v1::SolveRequest StreetRequest(const std::vector<std::string>& ids,
                                      const std::string& driver = "") {
  v1::SolveRequest request;
  v1::Instance& instance = *request.mutable_instance();
  instance.set_name("street");
  v1::Depot& depot = *instance.add_depots();
  depot.set_id("depot");
  depot.mutable_location()->set_y(-5);
  for (const std::string& id : ids) {
    v1::Customer& customer = *instance.add_customers();
    customer.set_id(id);
    customer.mutable_location()->set_x(PlaceOf(id).x);
    customer.mutable_location()->set_y(PlaceOf(id).y);
    customer.add_demand(1);
  }
  instance.add_vehicles()->add_capacity(10);
  instance.mutable_vehicles(0)->set_id(driver);
  return request;
}

}  // namespace vrp::test
