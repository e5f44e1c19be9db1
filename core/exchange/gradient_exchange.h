// Adds up the gradients of the processes that train one network together.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"

namespace vrp {

// A connection of one process, the rank, to all others of its training. All ranks must call the
// same methods in the same order, with sizes that agree. Calls block until all ranks have called.
// After an error the exchange cannot be used any more. Not thread-safe.
//
// An implementation decides where the numbers travel: mpi_exchange.h between processes on CPUs. One
// for GPUs would sum in the device's memory, which `values` of Sum would then address.
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;

  // Returns the number of this rank, from 0.
  virtual int32_t rank() const = 0;
  virtual int32_t ranks() const = 0;

  // Replaces `values` by their sums over all ranks. The sums are added in the order of the ranks in
  // double precision and rounded once, so that all ranks get the same bits.
  virtual absl::Status Sum(std::span<float> values) = 0;
  // Copies the `own` numbers of every rank into `all` [ranks, own.size()].
  virtual absl::Status Gather(std::span<const double> own, std::span<double> all) = 0;
  // Replaces `bytes` by those of rank `from`.
  virtual absl::Status Broadcast(std::string& bytes, int32_t from) = 0;
};

}  // namespace vrp
