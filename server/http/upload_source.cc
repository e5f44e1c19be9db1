#include "server/http/upload_source.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/http/browser_guard.h"
#include "server/http/json_messages.h"

namespace vrp {
namespace {

namespace asio = boost::asio;

using NextMessage = absl::StatusOr<std::optional<std::string>>;

// Bytes of a raw body that fill a chunk. With the rest of the last part that was read, a chunk
// stays below 1 MiB, the limit of uploads.
constexpr size_t kRawChunkBytes = 512 << 10;

}  // namespace

std::optional<UploadSource> UploadSource::Of(HttpExchange& exchange, const HttpRoute& route) {
  const std::string_view type = exchange.request.header("Content-Type");
  if (IsMediaType(type, "application/x-ndjson")) return UploadSource(exchange, route, {});
  if (!IsMediaType(type, "application/octet-stream")) return std::nullopt;
  const std::optional<RawUpload> raw = RawUpload::Of(*route.rpc->input_type());
  if (!raw.has_value()) return std::nullopt;
  return UploadSource(exchange, route, raw);
}

asio::awaitable<NextMessage> UploadSource::Next() {
  if (raw_.has_value()) co_return co_await NextChunk();
  co_return co_await NextLine();
}

absl::Status UploadSource::Reserve() {
  const auto size = static_cast<int64_t>(text_.size());
  if (size > exchange_->context.max_message_bytes) {
    return absl::ResourceExhaustedError(
        Concat("line ", line_, " is above max_message_mib, which is ",
               exchange_->context.max_message_bytes, " bytes; send shorter lines"));
  }
  if (size <= share_.bytes()) return absl::OkStatus();
  VRP_ASSIGN_OR_RETURN(share_, exchange_->context.bodies->Take(2 * size));
  return absl::OkStatus();
}

NextMessage UploadSource::TakeLine(size_t size) {
  const std::string_view line = std::string_view(text_).substr(0, size);
  absl::StatusOr<std::string> message = BinaryFromJson(*route_->rpc->input_type(), line);
  if (!message.ok()) {
    return absl::Status(message.status().code(),
                        ToAbsl(Concat("line ", line_, ": ", message.status().message())));
  }
  text_.erase(0, size + 1);
  searched_ = 0;
  ++line_;
  return std::optional<std::string>(*std::move(message));
}

asio::awaitable<NextMessage> UploadSource::NextLine() {
  if (const std::string_view query = exchange_->request.query(); !query.empty()) {
    co_return absl::InvalidArgumentError(
        Concat("query: got ", Quoted(query), ", wanted none: all fields belong in the lines"));
  }
  while (true) {
    const size_t end = text_.find('\n', searched_);
    const bool is_blank = text_.find_first_not_of(" \t\r\n") >= std::min(end, text_.size());
    if (end != std::string::npos && !is_blank) co_return TakeLine(end);
    if (end != std::string::npos) {
      text_.erase(0, end + 1);
      searched_ = 0;
      ++line_;
      continue;
    }
    if (ended_) {
      if (is_blank) co_return std::optional<std::string>();
      co_return TakeLine(text_.size());
    }
    searched_ = text_.size();
    std::string part = co_await exchange_->request.ReadPart();
    ended_ = part.empty();
    text_ += part;
    const absl::Status reserved = Reserve();
    if (!reserved.ok()) co_return reserved;
  }
}

asio::awaitable<NextMessage> UploadSource::NextChunk() {
  if (!std::exchange(header_sent_, true)) {
    const HttpRequestReader& request = exchange_->request;
    absl::StatusOr<std::string> header = raw_->Header(request.query(), request.content_length());
    if (!header.ok()) co_return header.status();
    co_return std::optional<std::string>(*std::move(header));
  }
  while (text_.size() < kRawChunkBytes && !ended_) {
    std::string part = co_await exchange_->request.ReadPart();
    ended_ = part.empty();
    text_ += part;
    const absl::Status reserved = Reserve();
    if (!reserved.ok()) co_return reserved;
  }
  if (text_.empty()) co_return std::optional<std::string>();
  const size_t complete_bytes = text_.size() - text_.size() % raw_->element_bytes();
  if (complete_bytes == 0) {
    co_return absl::InvalidArgumentError(Concat("the body ends with ", text_.size(),
                                                " bytes, wanted a multiple of ",
                                                raw_->element_bytes()));
  }
  std::string message = raw_->Chunk(std::string_view(text_).substr(0, complete_bytes));
  text_.erase(0, complete_bytes);
  co_return std::optional<std::string>(std::move(message));
}

}  // namespace vrp
