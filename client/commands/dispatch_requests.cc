#include "client/commands/dispatch_requests.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/output/json.h"
#include "client/support/files.h"

namespace vrp::client {
namespace {

absl::Status Wrong(absl::string_view key, const Json& got, absl::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat(key, ": got ", ShownJson(got), ", wanted ", wanted));
}

bool IsId(const Json& value) { return value.is_string() || value.is_number_integer(); }

std::string IdOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

absl::Status SetDemand(const Json& value, v1::DispatchRequest& request) {
  const Json list = value.is_array() ? value : Json::array({value});
  for (const Json& amount : list) {
    if (!amount.is_number()) return Wrong("demand", value, "a number or an array of numbers");
    request.add_demand(amount.get<double>());
  }
  return absl::OkStatus();
}

// Sets the window [open, close]; a close of null means no end.
absl::Status SetWindow(const Json& value, v1::DispatchRequest& request) {
  const bool pair = value.is_array() && value.size() == 2 && value[0].is_number() &&
                    (value[1].is_number() || value[1].is_null());
  if (!pair) return Wrong("window", value, "[open, close], where close may be null");
  request.mutable_time_window()->set_open(value[0].get<double>());
  if (value[1].is_number()) request.mutable_time_window()->set_close(value[1].get<double>());
  return absl::OkStatus();
}

absl::Status SetKey(const std::string& key, const Json& value, v1::DispatchRequest& request) {
  if (key == "id" || key == "customer") {
    if (!IsId(value)) return Wrong(key, value, "an id");
    key == "id" ? request.set_id(IdOf(value)) : request.set_customer(IdOf(value));
    return absl::OkStatus();
  }
  if (key == "demand") return SetDemand(value, request);
  if (key == "window") return SetWindow(value, request);
  if (key == "service") {
    if (!value.is_number()) return Wrong(key, value, "a number");
    request.set_service_time(value.get<double>());
    return absl::OkStatus();
  }
  if (key == "must_go") {
    if (!value.is_boolean()) return Wrong(key, value, "true or false");
    request.set_must_go(value.get<bool>());
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(key, ": unknown key; wanted id, customer, demand, window, service or must_go"));
}

absl::Status ReadLine(absl::string_view line, v1::DispatchRequest& request) {
  const Json json = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return absl::InvalidArgumentError("not a JSON object; wanted a request");
  for (const auto& [key, value] : json.items()) {
    const absl::Status status = SetKey(key, value, request);
    if (!status.ok()) return status;
  }
  if (!json.contains("customer")) {
    return absl::InvalidArgumentError("customer: absent, wanted the id of a customer of FILE");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadDispatchRequests(const std::string& path, std::istream& standard_input,
                                  v1::DecideRequest& request) {
  const absl::StatusOr<std::string> content = ReadInput(path, standard_input);
  if (!content.ok()) return content.status();
  int64_t number = 0;
  for (const absl::string_view line : absl::StrSplit(*content, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const absl::Status status = ReadLine(line, *request.add_requests());
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", status.message()));
    }
  }
  // Without requests, the daemon takes each customer as one.
  if (request.requests().empty()) {
    return absl::InvalidArgumentError("no requests; leave --requests out to take all customers");
  }
  return absl::OkStatus();
}

}  // namespace vrp::client
