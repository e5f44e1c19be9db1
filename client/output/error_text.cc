#include "client/output/error_text.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "client/connection/connection.h"
#include "client/connection/request_id.h"
#include "client/support/files.h"
#include "client/support/text.h"
#include "google/rpc/error_details.pb.h"

namespace vrp::client {
namespace {

// Returns the detail of type `Message`, or an empty one.
template <typename Message>
Message DetailOf(const absl::Status& status) {
  Message message;
  const absl::optional<absl::Cord> payload =
      status.GetPayload(absl::StrCat("type.googleapis.com/", Message::descriptor()->full_name()));
  if (payload.has_value() && !message.ParseFromString(std::string(*payload))) message.Clear();
  return message;
}

// Whether the daemon could not be reached. (The daemon itself also returns kUnavailable.)
bool IsUnreachable(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable &&
         DetailOf<google::rpc::ErrorInfo>(status).domain() != "vrp";
}

std::string UnreachableMessage(const ErrorPlace& place, const absl::Status& status) {
  absl::string_view message = status.message();
  // gRPC's text repeats the addresses and ends with the reason.
  if (absl::StrContains(status.message(), "failed to connect to all addresses")) {
    const size_t reason = message.rfind(": ");
    if (reason != absl::string_view::npos) message.remove_prefix(reason + 2);
  }
  return absl::StrCat("cannot reach ", place.remote, ": ", message);
}

// Returns the message with the file's path, because the daemon knows only the base name.
std::string MessageAt(const ErrorPlace& place, const absl::Status& status) {
  absl::string_view message = status.message();
  if (place.where.empty()) return std::string(message);
  for (const std::string& name : {place.where, BaseName(place.where)}) {
    if (absl::ConsumePrefix(&message, absl::StrCat(name, ":"))) break;
  }
  const bool continues_place = !message.empty() && message.front() >= '0' && message.front() <= '9';
  while (!message.empty() && message.front() == ' ') message.remove_prefix(1);
  return absl::StrCat(place.where, continues_place ? ":" : ": ", message);
}

std::vector<std::string> FieldLines(const absl::Status& status) {
  std::vector<std::string> lines;
  const auto bad_request = DetailOf<google::rpc::BadRequest>(status);
  for (const google::rpc::BadRequest::FieldViolation& violation : bad_request.field_violations()) {
    absl::string_view description = violation.description();
    absl::ConsumeSuffix(&description, "...");  // the daemon shortened the description
    if (absl::StrContains(status.message(), description)) continue;
    const bool has_field = !violation.field().empty() &&
                           !absl::StrContains(violation.description(), violation.field());
    lines.push_back(has_field ? absl::StrCat(violation.field(), ": ", violation.description())
                              : violation.description());
  }
  return lines;
}

// Returns the remedy for a failed connection. TLS errors contain OpenSSL's texts.
std::string ConnectionRemedy(const ErrorPlace& place, absl::string_view message) {
  if (absl::StrContains(message, "wrong version number")) {
    return "the daemon does not use TLS: remove --tls and the other --tls- flags";
  }
  if (absl::StrContains(message, "certificate verify failed") ||
      absl::StrContains(message, "peer certificate")) {
    return "set --tls-ca to the file with the certificate of the authority (CA) that issued the "
           "daemon's, and --tls-server-name to the certificate's name if it is not the host of "
           "--remote";
  }
  if (absl::StrContains(message, "ocket closed") || absl::StrContains(message, "reset by peer") ||
      absl::StrContains(message, "andshake")) {
    return "if the daemon uses TLS, add --tls-ca FILE; if it asks for certificates, also "
           "--tls-certificate and --tls-key, issued by a certificate authority that the daemon "
           "trusts (vrpd --tls-client-ca); the daemon's log has the reason";
  }
  if (!IsLocalAddress(place.remote)) {
    return "check that a daemon listens on that address (vrpd --listen 0.0.0.0:PORT "
           "--tls-certificate FILE --tls-key FILE --tokens FILE) and that no firewall blocks it; "
           "or name another with --remote HOST:PORT or VRP_REMOTE";
  }
  const bool socket = absl::StartsWith(place.remote, "unix:");
  return absl::StrCat(
      "start the daemon (vrpd --listen ", place.remote, " --state-dir DIR), or name ",
      socket ? "another with --remote unix:PATH" : "another with --remote HOST:PORT",
      " or VRP_REMOTE");
}

std::string RetryRemedy(const absl::Status& status) {
  const auto retry = DetailOf<google::rpc::RetryInfo>(status);
  if (!retry.has_retry_delay()) return "try again later";
  return absl::StrCat("try again in ", absl::FormatDuration(ToDuration(retry.retry_delay())));
}

std::string Remedy(const ErrorPlace& place, const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return IsUnreachable(status) ? ConnectionRemedy(place, status.message())
                                   : RetryRemedy(status);
    case absl::StatusCode::kUnauthenticated:
      return "set --token-file to the file with your token, or VRP_TOKEN to the token";
    case absl::StatusCode::kResourceExhausted:
      if (absl::StrContains(status.message(), "message larger than max")) {
        return "send a smaller request; vrpctl server info shows the message size limit";
      }
      return RetryRemedy(status);
    case absl::StatusCode::kDeadlineExceeded:
      // Adds no remedy, because the message itself contains one.
      if (DetailOf<google::rpc::ErrorInfo>(status).reason() == "BUDGET_TOO_SHORT") return "";
      return "the daemon took too long; check whether it is overloaded: vrpctl top";
    case absl::StatusCode::kAlreadyExists:
      // Messages about other taken names contain the remedy.
      return absl::StartsWith(status.message(), "request_id:") ? "use a new --request-id, or none"
                                                               : "";
    default:
      return "";
  }
}

}  // namespace

std::string ErrorText(const ErrorPlace& place, const absl::Status& status) {
  const std::string message =
      IsUnreachable(status) ? UnreachableMessage(place, status) : MessageAt(place, status);
  std::string text = "vrpctl: ";
  if (!place.command.empty()) absl::StrAppend(&text, place.command, ": ");
  // Indents further lines of a message, so that they visibly belong to the same error.
  absl::StrAppend(&text, absl::StrReplaceAll(message, {{"\n", "\n  "}}), "\n");
  for (const std::string& line : FieldLines(status)) absl::StrAppend(&text, "  ", line, "\n");
  const absl::optional<absl::Cord> request_id = status.GetPayload(kRequestIdUrl);
  if (request_id.has_value()) {
    absl::StrAppend(&text, "  request id: ", ToValidUtf8(std::string(*request_id)), "\n");
  }
  const std::string remedy = Remedy(place, status);
  if (!remedy.empty()) absl::StrAppend(&text, "  ", remedy, "\n");
  return text;
}

}  // namespace vrp::client
