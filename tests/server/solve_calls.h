// Calls of the solver and of datasets in all their forms, for tests of a running daemon.
#pragma once

#include <string>

#include "tests/server/daemon_fixture.h"
#include "vrp/v1/dataset_service.grpc.pb.h"

namespace vrp::test {

// Returns the last response of StreamSolve.
inline v1::SolveResponse SolveInAStream(v1::SolverService::Stub& solver,
                                        const v1::SolveRequest& request) {
  Context context;
  const auto reader = solver.StreamSolve(&context, request);
  v1::StreamSolveResponse message, last;
  while (reader->Read(&message)) last = message;
  const grpc::Status status = reader->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  return last.response();
}

// Returns the response of BatchSolve to a single request.
inline v1::SolveResponse SolveInABatch(v1::SolverService::Stub& solver,
                                       const v1::SolveRequest& request) {
  Context context;
  const auto batch = solver.BatchSolve(&context);
  v1::BatchSolveRequest message;
  *message.mutable_solve() = request;
  batch->Write(message);
  batch->WritesDone();
  v1::BatchSolveResponse answered;
  EXPECT_TRUE(batch->Read(&answered));
  EXPECT_TRUE(batch->Finish().ok());
  return answered.response();
}

// Returns the response of a solve job.
inline v1::SolveResponse SolveInAJob(v1::SolverService::Stub& solver,
                                     const v1::SolveRequest& request) {
  Context context;
  v1::CreateSolveJobRequest message;
  *message.mutable_solve() = request;
  v1::SolveJob job;
  EXPECT_TRUE(solver.CreateSolveJob(&context, message, &job).ok());
  Context watch_context;
  v1::WatchSolveJobRequest watch;
  watch.set_name(job.name());
  const auto events = solver.WatchSolveJob(&watch_context, watch);
  v1::SolveResponse answer;
  for (v1::WatchSolveJobResponse event; events->Read(&event);) {
    if (event.has_response()) answer = event.response();
  }
  EXPECT_TRUE(events->Finish().ok());
  return answer;
}

// Uploads a dataset of that content, in one chunk.
inline grpc::Status UploadText(v1::DatasetService::Stub& datasets, const std::string& name,
                               const std::string& content, v1::Dataset& uploaded) {
  Context context;
  const auto writer = datasets.UploadDataset(&context, &uploaded);
  v1::UploadDatasetRequest message;
  message.mutable_header()->set_name(name);
  writer->Write(message);
  message.set_chunk(content);
  writer->Write(message);
  writer->WritesDone();
  return writer->Finish();
}

}  // namespace vrp::test
