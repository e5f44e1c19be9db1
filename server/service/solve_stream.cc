#include "server/service/solve_stream.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/stop.h"
#include "core/problem/plan/gap_reference.h"
#include "server/convert/solution_convert.h"
#include "server/convert/time_convert.h"
#include "server/service/unary_call.h"

namespace vrp {
namespace {

struct StreamedPlan {
  Instance instance;  // shares the data of the solve's instance
  Plan plan;
  absl::Time found;
};

// A mailbox from the solving to the sending thread, for the newest plan and then the result.
// Thread-safe.
class Mailbox {
 public:
  struct Content {
    std::optional<StreamedPlan> plan;
    std::optional<absl::StatusOr<v1::SolveResponse>> answer;
  };

  void PutPlan(StreamedPlan plan) {
    Put([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { content_.plan = std::move(plan); });
  }
  void PutAnswer(absl::StatusOr<v1::SolveResponse> answer) {
    Put([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { content_.answer = std::move(answer); });
  }

  Content Take() {
    absl::MutexLock lock(&mutex_);
    return std::exchange(content_, {});
  }

  void NotifyWhenReady(std::function<void()> on_ready) {
    {
      absl::MutexLock lock(&mutex_);
      if (!content_.plan.has_value() && !content_.answer.has_value()) {
        on_ready_ = std::move(on_ready);
        return;
      }
    }
    on_ready();
  }

 private:
  template <typename Change>
  void Put(Change change) {
    std::function<void()> on_ready;
    {
      absl::MutexLock lock(&mutex_);
      change();
      on_ready = std::exchange(on_ready_, nullptr);
    }
    if (on_ready != nullptr) on_ready();
  }

  absl::Mutex mutex_;
  Content content_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> on_ready_ ABSL_GUARDED_BY(mutex_);
};

absl::StatusOr<v1::StreamSolveResponse> StreamMessage(const StreamedPlan& found,
                                                      absl::Time received) {
  VRP_ASSIGN_OR_RETURN(const Solution solution, MakeSolution(found.instance, found.plan));
  v1::StreamSolveResponse message;
  v1::Improvement& improvement = *message.mutable_improvement();
  *improvement.mutable_solution() = ToProto(found.instance, solution);
  const std::optional<Cost>& reference = found.instance.reference_cost();
  if (reference.has_value() && *reference > 0) {
    improvement.set_gap(Gap(solution.cost, *reference));
  }
  *improvement.mutable_elapsed() = ToProto(found.found - received);
  return message;
}

class SolveSource final : public StreamSource<v1::StreamSolveResponse> {
 public:
  SolveSource(std::shared_ptr<Mailbox> mailbox, std::shared_ptr<CancelFlag> cancel,
              absl::Time received)
      : mailbox_(std::move(mailbox)), cancel_(std::move(cancel)), received_(received) {}
  ~SolveSource() override { cancel_->Cancel(); }

  absl::StatusOr<std::vector<v1::StreamSolveResponse>> Next() override {
    Mailbox::Content content = mailbox_->Take();
    std::vector<v1::StreamSolveResponse> messages;
    if (content.answer.has_value()) {
      VRP_ASSIGN_OR_RETURN(v1::SolveResponse answer, *std::move(content.answer));
      at_end_ = true;
      *messages.emplace_back().mutable_response() = std::move(answer);
    } else if (content.plan.has_value()) {
      VRP_ASSIGN_OR_RETURN(messages.emplace_back(), StreamMessage(*content.plan, received_));
    }
    return messages;
  }
  bool AtEnd() const override { return at_end_; }
  void NotifyWhenReady(std::function<void()> on_ready) override {
    mailbox_->NotifyWhenReady(std::move(on_ready));
  }

 private:
  const std::shared_ptr<Mailbox> mailbox_;
  const std::shared_ptr<CancelFlag> cancel_;
  const absl::Time received_;
  bool at_end_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamSource<v1::StreamSolveResponse>>> OpenSolveStream(
    const SolveStreamContext& context, const v1::SolveRequest& request) {
  const auto mailbox = std::make_shared<Mailbox>();
  const auto cancel = std::make_shared<CancelFlag>(context.drain);
  const CallContext call{
      .received = context.received, .deadline = context.deadline, .cancel = cancel};
  const auto work = [handler = context.handler, mailbox, cancel, call, request] {
    auto solve = [&] {
      return handler->Solve(request, call, [&](const Instance& instance, const Plan& plan) {
        mailbox->PutPlan({.instance = instance, .plan = plan, .found = SteadyNow()});
      });
    };
    absl::StatusOr<v1::SolveResponse> answer = CallGuarded(solve);
    cancel->Cancel();  // drops the forecast before the caller can send another request
    mailbox->PutAnswer(std::move(answer));
  };
  VRP_RETURN_IF_ERROR(context.pool->TryRun(work, context.handler->ForecastOf(request, call)));
  return std::make_unique<SolveSource>(mailbox, cancel, context.received);
}

}  // namespace vrp
