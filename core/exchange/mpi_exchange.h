// The exchange between processes on CPUs, by MPI. Only vrp_worker links it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/exchange/gradient_exchange.h"

namespace vrp {

// The exchange of a process that mpirun, srun or the like has started. At most one exists in a
// process. Sum sends each rank its segment of the values, which that rank adds up and sends back;
// the order of the sums is fixed here, so that the bits do not depend on the MPI library.
//
// Rank 0 waits for the others for at most `patience` or, if that is longer, 20 times the time
// between its last two calls, and then returns kUnavailable. The other ranks wait without a limit,
// because rank 0 also writes checkpoints and models; whoever started the ranks watches rank 0.
class MpiExchange final : public GradientExchange {
 public:
  // Connects to the other ranks. Reads MPI's own arguments. Returns kUnavailable if MPI fails.
  static absl::StatusOr<std::unique_ptr<MpiExchange>> Create(int* count, char*** arguments,
                                                             absl::Duration patience);
  // Blocks until all ranks are here.
  ~MpiExchange() override;
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  int32_t rank() const override { return rank_; }
  int32_t ranks() const override { return ranks_; }
  absl::Status Sum(std::span<float> values) override;
  absl::Status Gather(std::span<const double> own, std::span<double> all) override;
  absl::Status Broadcast(std::string& bytes, int32_t from) override;

  // Whether a call failed. The process must then end by Abort.
  bool broken() const { return broken_; }
  // Ends all ranks, without waiting for those that hang.
  [[noreturn]] static void Abort();

 private:
  // A message to or from a rank.
  struct Message {
    int32_t peer = 0;
    std::span<std::byte> bytes;
    bool send = false;
  };

  MpiExchange(int32_t rank, int32_t ranks, absl::Duration patience);
  // Sends and receives messages and blocks until all have arrived.
  absl::Status Transfer(std::span<const Message> messages);
  absl::Status WaitForAll(std::span<const Message> messages, absl::Duration limit);
  absl::Status Break(absl::Status failure);

  const int32_t rank_;
  const int32_t ranks_;
  const absl::Duration patience_;
  absl::Time idle_since_;  // end of the last call
  bool broken_ = false;
  std::vector<float> received_;  // the other ranks' values of this rank's segment
};

}  // namespace vrp
