// A fixture for tests of `solve` with a fake daemon.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client {

// A fixture with a fake daemon, which stores the last request of Solve. By default, the daemon
// responds with ASolveResponse under the file's name.
class SolveCommandTest : public testing::Test {
 protected:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.solve = [this](const v1::SolveRequest& request,
                            const FakeCall& call) -> absl::StatusOr<v1::SolveResponse> {
      request_ = request;
      ++calls_;
      return respond_(request, call);
    };
    handlers.stream_solve = [this](const v1::SolveRequest& request,
                                   absl::FunctionRef<bool(const v1::StreamSolveResponse&)> write) {
      for (const double cost : {9, 8}) {
        v1::StreamSolveResponse message;
        message.mutable_improvement()->mutable_solution()->set_cost(cost);
        write(message);
      }
      const absl::StatusOr<v1::SolveResponse> answer = respond_(request, {});
      if (!answer.ok()) return answer.status();
      v1::StreamSolveResponse message;
      *message.mutable_response() = *answer;
      write(message);
      return absl::OkStatus();
    };
    return handlers;
  }

  CommandResult Solve(std::vector<std::string> arguments, const RunSettings& settings = {}) {
    arguments.insert(arguments.begin(),
                     {"--remote", server_.address(), "--output", "json", "solve"});
    return RunCommand(arguments, settings);
  }

  std::function<absl::StatusOr<v1::SolveResponse>(const v1::SolveRequest&, const FakeCall&)>
      respond_ = [](const v1::SolveRequest& request, const FakeCall&) {
        v1::SolveResponse response = ASolveResponse();
        response.set_name(request.file().name());
        if (!request.render_solution_file()) response.clear_solution_file();
        return response;
      };
  v1::SolveRequest request_;
  std::atomic<int> calls_ = 0;
  FakeServer server_{Handlers()};
  const std::string city_ = WriteTestFile("city.vrp", "NAME: city\nEOF\n");
  const std::string set_ = WriteTestFile("three.jsonl", "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
};

}  // namespace vrp::client
