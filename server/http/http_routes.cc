#include "server/http/http_routes.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/http/url_text.h"
#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/dispatch_service.pb.h"
#include "vrp/v1/estimate_service.pb.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/options.pb.h"
#include "vrp/v1/simulation_service.pb.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/sweep_service.pb.h"
#include "vrp/v1/system_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::MethodDescriptor;

constexpr std::array<std::string_view, 4> kVerbs = {"GET", "POST", "PUT", "DELETE"};
constexpr char kAnyId[] = "*";

std::vector<std::string> SegmentsOf(std::string_view path) {
  return absl::StrSplit(ToAbsl(path), '/');
}

// Moves what follows the last colon of the last segment out of `segments`.
std::string TakeAction(std::vector<std::string>& segments) {
  std::string& last = segments.back();
  const size_t colon = last.rfind(':');
  if (colon == std::string::npos) return "";
  std::string action = last.substr(colon + 1);
  last.resize(colon);
  return action;
}

// Sets the variable of `route` from the part of `path` in braces, and removes the braces.
absl::Status ParseVariable(std::string& path, HttpRoute& route) {
  const size_t open = path.find('{');
  if (open == std::string::npos) return absl::OkStatus();
  const size_t equals = path.find('=', open);
  const size_t close = path.find('}', open);
  if (equals == std::string::npos || close == std::string::npos || close < equals) {
    return absl::InvalidArgumentError(Concat("wanted {FIELD=PATTERN} in ", Quoted(path)));
  }
  const std::string field = path.substr(open + 1, equals - open - 1);
  const std::string pattern = path.substr(equals + 1, close - equals - 1);
  route.variable = route.rpc->input_type()->FindFieldByName(field);
  if (route.variable == nullptr || route.variable->type() != FieldDescriptor::TYPE_STRING ||
      route.variable->is_repeated()) {
    return absl::InvalidArgumentError(
        Concat(Quoted(field), " is not a text field of ", route.rpc->input_type()->full_name()));
  }
  route.variable_begin =
      static_cast<size_t>(std::count(path.begin(), path.begin() + open, '/')) - 1;
  route.variable_end = route.variable_begin + SegmentsOf(pattern).size();
  path.replace(open, close + 1 - open, pattern);
  return absl::OkStatus();
}

std::vector<HttpRoute> ListRoutes() {
  std::vector<HttpRoute> routes;
  // Any message of a file leads to its services.
  for (const FileDescriptor* file :
       {v1::ListMatricesRequest::descriptor()->file(), v1::DecideRequest::descriptor()->file(),
        v1::EstimateCostsRequest::descriptor()->file(), v1::ListModelsRequest::descriptor()->file(),
        v1::CheckSolutionRequest::descriptor()->file(),
        v1::ListSimulationsRequest::descriptor()->file(),
        v1::ListSweepsRequest::descriptor()->file(), v1::GetServerInfoRequest::descriptor()->file(),
        v1::ListTrainingJobsRequest::descriptor()->file()}) {
    for (int i = 0; i < file->service(0)->method_count(); ++i) {
      const MethodDescriptor& rpc = *file->service(0)->method(i);
      for (const std::string& option : rpc.options().GetExtension(v1::rpc).http()) {
        absl::StatusOr<HttpRoute> route = ParseHttpRoute(rpc, option);
        if (!route.ok()) std::abort();  // tests/server/http/http_routes_test.cc parses all of them
        routes.push_back(*std::move(route));
      }
    }
  }
  return routes;
}

bool Matches(const HttpRoute& route, const std::vector<std::string>& segments,
             std::string_view action) {
  return route.action == action &&
         std::equal(route.segments.begin(), route.segments.end(), segments.begin(), segments.end(),
                    [](const std::string& wanted, const std::string& got) {
                      return wanted == kAnyId ? !got.empty() : wanted == got;
                    });
}

// Returns the decoded segments of `path`, which begins with a slash.
absl::StatusOr<std::vector<std::string>> DecodedSegments(std::string_view path) {
  std::vector<std::string> segments = SegmentsOf(path.substr(1));
  for (std::string& segment : segments) {
    VRP_ASSIGN_OR_RETURN(std::string decoded, DecodePathSegment(segment));
    if (absl::StrContains(decoded, '/') || !IsPrintableUtf8(decoded)) {
      return absl::InvalidArgumentError(Concat("path: got ", Quoted(decoded),
                                               " between two slashes, wanted printable UTF-8",
                                               " without slashes"));
    }
    segment = std::move(decoded);
  }
  return segments;
}

}  // namespace

absl::StatusOr<HttpRoute> ParseHttpRoute(const MethodDescriptor& rpc, std::string_view option) {
  HttpRoute route;
  route.rpc = &rpc;
  route.grpc_path = Concat("/", rpc.service()->full_name(), "/", rpc.name());
  const size_t space = option.find(' ');
  route.verb = std::string(option.substr(0, space));
  if (std::find(kVerbs.begin(), kVerbs.end(), route.verb) == kVerbs.end()) {
    return absl::InvalidArgumentError(
        Concat("got ", Quoted(option), ", wanted GET, POST, PUT or DELETE and a path"));
  }
  route.pattern = std::string(option.substr(route.verb.size()));
  if (!absl::StartsWith(route.pattern, " /v1/")) {
    return absl::InvalidArgumentError(Concat("got ", Quoted(option), ", wanted a path in /v1/"));
  }
  route.pattern.erase(0, 1);
  std::string path = route.pattern;
  VRP_RETURN_IF_ERROR(ParseVariable(path, route));
  route.segments = SegmentsOf(std::string_view(path).substr(1));
  route.action = TakeAction(route.segments);
  return route;
}

const std::vector<HttpRoute>& HttpRoutes() {
  static const auto& routes = *new std::vector<HttpRoute>(ListRoutes());
  return routes;
}

absl::StatusOr<HttpRouteMatch> FindHttpRoute(const std::vector<HttpRoute>& routes,
                                             std::string_view verb, std::string_view path) {
  HttpRouteMatch match;
  if (!absl::StartsWith(ToAbsl(path), "/")) return match;
  VRP_ASSIGN_OR_RETURN(std::vector<std::string> segments, DecodedSegments(path));
  const std::string action = TakeAction(segments);
  for (const HttpRoute& route : routes) {
    if (!Matches(route, segments, action)) continue;
    match.allowed += Concat(match.allowed.empty() ? "" : ", ", route.verb);
    if (route.verb != verb) continue;
    match.route = &route;
    for (size_t i = route.variable_begin; i < route.variable_end; ++i) {
      match.variable += Concat(i == route.variable_begin ? "" : "/", segments[i]);
    }
  }
  return match;
}

}  // namespace vrp
