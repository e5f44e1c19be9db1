// Builds messages for tests.
#pragma once

#include "vrp/v1/instance.pb.h"

namespace vrp::test {

// Returns a valid CVRP: one depot, `customers` customers on a line with demand 1, and one vehicle
// type of capacity 10.
inline v1::Instance ACvrpMessage(int customers = 3) {
  v1::Instance message;
  message.set_name("test");
  message.add_depots()->mutable_location();
  for (int i = 0; i < customers; ++i) {
    v1::Customer& customer = *message.add_customers();
    customer.mutable_location()->set_x(i + 1);
    customer.mutable_location()->set_y(0);
    customer.add_demand(1);
  }
  message.add_vehicles()->add_capacity(10);
  return message;
}

// Returns ACvrpMessage() with time windows, and service times of 1.
inline v1::Instance AVrptwMessage() {
  v1::Instance message = ACvrpMessage();
  message.mutable_depots(0)->mutable_time_window()->set_close(100);
  for (v1::Customer& customer : *message.mutable_customers()) {
    customer.add_time_windows()->set_open(1);
    customer.mutable_time_windows(0)->set_close(50);
    customer.set_service_time(1);
  }
  return message;
}

// Returns an instance without locations: distances |i - j|, durations 2 |i - j|.
inline v1::Instance AMatrixMessage() {
  v1::Instance message = ACvrpMessage();
  message.mutable_depots(0)->clear_location();
  for (v1::Customer& customer : *message.mutable_customers()) customer.clear_location();
  message.mutable_distance_matrix()->set_size(4);
  message.mutable_duration_matrix()->set_size(4);
  for (int i = 0; i < 16; ++i) {
    const double distance = i / 4 > i % 4 ? i / 4 - i % 4 : i % 4 - i / 4;
    message.mutable_distance_matrix()->add_values(distance);
    message.mutable_duration_matrix()->add_values(2 * distance);
  }
  return message;
}

// Adds an unknown field, as a later version of the API might send.
template <typename Message>
void AddUnknownField(Message& message) {
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(999, 1);
}

}  // namespace vrp::test
