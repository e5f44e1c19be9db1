// Reads the messages of a client stream from a request's body.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "server/http/http_exchange.h"
#include "server/http/raw_upload.h"

namespace vrp {

// The messages in the body of a request, as JSON lines or as raw bytes. Not thread-safe.
class UploadSource {
 public:
  // Returns the messages of the request, or nullopt if the route does not take its media type. Both
  // arguments must outlive the source.
  static std::optional<UploadSource> Of(HttpExchange& exchange, const HttpRoute& route);

  // Returns the next serialized message, or nullopt at the end. Returns kInvalidArgument for a line
  // that is not JSON of the message, a query beside JSON lines and an incomplete last number of raw
  // bytes. Returns kResourceExhausted for a line above max_message_mib, or if other bodies take too
  // much memory. Also returns the errors of RawUpload::Header. Throws as HttpRequestReader does.
  boost::asio::awaitable<absl::StatusOr<std::optional<std::string>>> Next();

 private:
  UploadSource(HttpExchange& exchange, const HttpRoute& route, std::optional<RawUpload> raw)
      : exchange_(&exchange), route_(&route), raw_(raw) {}

  boost::asio::awaitable<absl::StatusOr<std::optional<std::string>>> NextLine();
  boost::asio::awaitable<absl::StatusOr<std::optional<std::string>>> NextChunk();
  absl::Status Reserve();
  // Returns the message of the first `size` bytes of text_ and drops them and the line's end.
  absl::StatusOr<std::optional<std::string>> TakeLine(size_t size);

  HttpExchange* exchange_;
  const HttpRoute* route_;
  std::optional<RawUpload> raw_;
  MessageBudget::Share share_;
  std::string text_;     // bytes that have been read and not sent
  size_t searched_ = 0;  // bytes of text_ without a line's end
  int64_t line_ = 1;
  bool header_sent_ = false;
  bool ended_ = false;
};

}  // namespace vrp
