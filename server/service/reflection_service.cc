#include "server/service/reflection_service.h"

#include <utility>

#include "server/service/batch_call.h"
#include "server/service/call_deadline.h"
#include "server/service/reflection_handler.h"

namespace vrp {
namespace {

using ReflectionRequest = ::grpc::reflection::v1alpha::ServerReflectionRequest;
using ReflectionResponse = ::grpc::reflection::v1alpha::ServerReflectionResponse;
using ReflectionCall = BatchCall<Received<ReflectionRequest>, ReflectionResponse>;

// Copies of a request in memory: the request, its copy in the response, and the bytes of the
// response.
constexpr int64_t kReflectionCopies = 3;

grpc::ServerBidiReactor<Received<ReflectionRequest>, ReflectionResponse>* StartReflection(
    const ServiceContext& context, const grpc::CallbackServerContext& call) {
  return ReflectionCall::Start(
      {.pool = &context.quick_pool,
       .streams = &context.streams,
       .slots = 1,  // responses keep the order of requests
       .deadline = DeadlineOf(call),
       .prepare =
           [&messages = context.messages](Received<ReflectionRequest>& request) {
             request.Unpack(messages, kReflectionCopies);
           },
       .answer =
           [](const Received<ReflectionRequest>& request, const CallContext&,
              ReflectionCall::Options::Done done) {
             done(request.status().ok() ? Reflect(request.message())
                                        : ReflectError(request.status()));
           },
       .forecast = [](const Received<ReflectionRequest>&) { return Forecast(); }});
}

}  // namespace

ReflectionService::ReflectionService(const ServiceContext& context) {
  MarkMethodCallback(MethodIndex("grpc.reflection.v1alpha.ServerReflection.ServerReflectionInfo"),
                     ReceiveBatch<ReflectionRequest, ReflectionResponse>(
                         [context](grpc::CallbackServerContext* call) {
                           return StartReflection(context, *call);
                         }));
}

}  // namespace vrp
