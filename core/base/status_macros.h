// Macros that return early on a failed absl::Status or absl::StatusOr.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Returns from the enclosing function when `expression` (an absl::Status) is not OK.
#define VRP_RETURN_IF_ERROR(expression)                                              \
  do {                                                                               \
    if (absl::Status vrp_status = (expression); !vrp_status.ok()) return vrp_status; \
  } while (false)

#define VRP_STATUS_CONCAT_INNER(a, b) a##b
#define VRP_STATUS_CONCAT(a, b) VRP_STATUS_CONCAT_INNER(a, b)

// Evaluates `expression` (an absl::StatusOr). On failure, returns its status from the enclosing
// function. Otherwise moves the value into `target`, which may be a declaration:
//   VRP_ASSIGN_OR_RETURN(const Instance instance, Instance::Create(data));
#define VRP_ASSIGN_OR_RETURN(target, expression) \
  VRP_ASSIGN_OR_RETURN_INNER(VRP_STATUS_CONCAT(vrp_status_or_, __LINE__), target, expression)
#define VRP_ASSIGN_OR_RETURN_INNER(holder, target, expression) \
  auto holder = (expression);                                  \
  if (!holder.ok()) return std::move(holder).status();         \
  target = *std::move(holder)
