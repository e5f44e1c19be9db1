// Keeps the road matrices of a solve job, so that it can go on without the services.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/roads/road_source.h"
#include "vrp/v1/solve.pb.h"

namespace vrp {

// A source that remembers all matrices that it got from another one. Thread-safe.
class RoadRecord final : public RoadSource {
 public:
  // `source` outlives the record.
  explicit RoadRecord(RoadSource& source) : source_(source) {}

  absl::StatusOr<std::shared_ptr<const RoadMatrices>> Matrices(std::string_view network,
                                                               const std::vector<RoadPlace>& places,
                                                               const StopCondition& stop) override;
  absl::StatusOr<std::vector<std::vector<RoadLine>>> Lines(
      std::string_view network, const std::vector<std::vector<RoadPlace>>& routes,
      const StopCondition& stop) override {
    return source_.Lines(network, routes, stop);
  }

  // Returns the matrices as bytes to append to a serialised SolveRequest, in a field that its proto
  // reserves. Empty if there are none.
  std::string Attachment() const;
  // Adds the matrices of a request that was stored with an attachment. Returns kDataLoss if they
  // are damaged.
  absl::Status Load(const v1::SolveRequest& stored);

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const RoadMatrices>>;  // by network

  RoadSource& source_;
  mutable absl::Mutex mutex_;
  std::vector<Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

// Removes an attachment that a client sent.
void RemoveRoadAttachment(v1::SolveRequest& request);

}  // namespace vrp
