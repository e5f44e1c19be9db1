// Fuzzes CheckSolution with instances and plans as messages.
#include <cstddef>
#include <cstdint>

#include "core/problem/checker/checker.h"
#include "server/convert/instance_convert.h"
#include "server/convert/plan_formats.h"
#include "server/convert/solution_convert.h"
#include "tests/fuzz/exercise.h"
#include "tests/fuzz/received.h"
#include "vrp/v1/solver_service.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vrp::v1::CheckSolutionRequest request;
  if (!vrp::fuzz::Receive({reinterpret_cast<const char*>(data), size}, request)) return 0;
  vrp::FindProblems(request.instance());
  const auto instance = request.has_file() ? vrp::InstanceFromProto(request.file())
                                           : vrp::InstanceFromProto(request.instance());
  if (!instance.ok()) return 0;
  vrp::fuzz::Exercise(*instance);
  if (vrp::CheckRender(*instance, request.render()).ok() && request.render_size() > 0) {
    const auto solution = vrp::MakeSolution(*instance, {});
    if (solution.ok()) {
      vrp::Render(*instance, *solution, vrp::VroomNames(*instance), request.render());
    }
  }
  vrp::fuzz::ExercisePlan(*instance, vrp::PlanFromProto(*instance, request.solution()));
  const auto file =
      vrp::SolutionFromProto(request.solution_file(), *instance, vrp::VroomNames(*instance));
  if (file.ok()) vrp::fuzz::ExercisePlan(*instance, file->plan);
  return 0;
}
