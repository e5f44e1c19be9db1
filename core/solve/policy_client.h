// Decodes plans with the policy of one solve, within the solve's time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/stop.h"
#include "core/model/policy/policy.h"
#include "core/problem/instance/instance.h"
#include "core/solve/decode_queue.h"
#include "core/solve/network_time.h"
#include "core/solve/solve_options.h"

namespace vrp {

// The times of one solve.
struct SolveTimeframe {
  StopCondition stop;        // fires at the end of `budget` or on cancellation
  absl::Duration budget;     // time from the arrival of the request to the deadline of `stop`
  bool by_deadline = false;  // whether the caller's deadline shortened the budget
  absl::Time search_ends;    // leaves time for the final check and for sending the answer
  absl::Time answer_due;     // the caller's deadline less the time to send the answer
};

// The client of one solve's policy. Not thread-safe. The constructor's arguments must outlive the
// client.
class PolicyClient {
 public:
  PolicyClient(const Instance& instance, const SolveOptions& options, const SolveTimeframe& frame)
      : instance_(instance), options_(options), frame_(frame) {}

  // Returns kUnimplemented with the reason if the policy cannot solve the instance by the strategy.
  absl::Status Check() const;

  // Returns the request, which leaves time for a plan by search unless network_only is set. This
  // method, WouldExceed, Time, Decode and CheckOutcome are for strategies of the policy alone.
  const PolicyRequest& Request();
  // Whether a recently abandoned decoding shows that there is too little time. Always false with
  // network_only or without a batcher.
  bool WouldExceed();
  // Returns an estimate of the time that the request takes. If that time is unknown, may decode a
  // small instance to estimate it, until `answer_due`.
  NetworkTime Time();
  absl::StatusOr<DecodedPlan> Decode() { return Decode(Request()); }
  // Adds the outcome's times to batch_wait() and decoding(). Returns its plan after checking it.
  absl::StatusOr<DecodedPlan> CheckOutcome(DecodeOutcome outcome);

  // Plans of the policy that a search starts from.
  struct Seeds {
    std::vector<Plan> plans = {};  // the best plan first; the others are not sorted
    std::string note = {};         // the reason why there are no plans
  };
  // Returns the greedy plan and, if there is time for them, samples. Uses a share of the remaining
  // time.
  Seeds DecodeSeeds();

  absl::Duration batch_wait() const { return batch_wait_; }  // time spent waiting for batches
  absl::Duration decoding() const { return decoding_; }      // time of the batches

 private:
  absl::Time DecodeDeadline() const;
  DecodeOptions DecodeOptionsForStrategy() const;
  PolicyRequest RequestFor(DecodeOptions decode) const;
  absl::StatusOr<DecodedPlan> Decode(const PolicyRequest& request);

  const Instance& instance_;
  const SolveOptions& options_;
  const SolveTimeframe& frame_;
  std::optional<PolicyRequest> request_;  // created on first use
  absl::Duration batch_wait_, decoding_;
};

}  // namespace vrp
