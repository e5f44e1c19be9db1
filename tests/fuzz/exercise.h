// Exercises accepted instances and plans. Aborts the process if a check fails.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp::fuzz {

// Checks that the instance is the same after writing and reading JSON, and that every other format
// that can be written can be read again. Also checks and renders a plan with all customers on the
// first vehicle type. Does nothing for an instance of more than 40 nodes or 200 vehicles.
void Exercise(const Instance& instance);

// Checks the plan and renders it in all formats that can express it.
void ExercisePlan(const Instance& instance, const Plan& plan);

}  // namespace vrp::fuzz
