// What every instance that a reader accepts must bear. Aborts where it does not.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp::fuzz {

// Written as JSON it reads back equal; each other format writes what it can read again; the
// plan that serves all customers by the first vehicle type can be judged and shown.
void Exercise(const Instance& instance);

// Computed, judged and shown in every form that can say it.
void ExercisePlan(const Instance& instance, const Plan& plan);

}  // namespace vrp::fuzz
