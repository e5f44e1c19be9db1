// Checks that every accepted instance must pass. They abort the process on a failure.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp::fuzz {

// Checks that the instance is equal after JSON and that each other format reads what it writes.
// Also checks and renders a plan with all customers on the first vehicle type.
void Exercise(const Instance& instance);

// Checks the plan and renders it in all formats that can express it.
void ExercisePlan(const Instance& instance, const Plan& plan);

}  // namespace vrp::fuzz
