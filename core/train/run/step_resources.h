// The parts of a run that its steps use.
#pragma once

#include "core/train/learners/learner.h"
#include "core/train/run/batch_feed.h"
#include "core/train/run/micro_batch.h"
#include "core/train/run/reporter.h"
#include "core/train/run/run_context.h"
#include "core/train/run/trained_network.h"

namespace vrp {

// References to parts of the run, which must outlive the steps.
struct StepResources {
  RunContext& context;
  TrainedNetwork& network;
  Learner& learner;
  Reporter& reporter;
  BatchFeed& feed;
  MicroBatch& micro_batch;
};

}  // namespace vrp
