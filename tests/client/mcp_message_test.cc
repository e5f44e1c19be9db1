// Tests the parsing of JSON-RPC messages and the queue of input lines.
#include <sstream>

#include "absl/strings/str_cat.h"
#include "client/mcp/line_queue.h"
#include "client/mcp/message.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp::client::mcp {
namespace {

using testing::HasSubstr;

MessageError ErrorOf(const std::string& line) {
  const ParsedLine parsed = ParseLine(line);
  const auto* error = std::get_if<MessageError>(&parsed);
  return error == nullptr ? MessageError{nullptr, 0, "no error"} : *error;
}

TEST(McpMessage, ReadsRequestsAndNotifications) {
  const auto request =
      std::get<Message>(ParseLine(R"({"jsonrpc":"2.0","id":"a","method":"x","params":{"k":1}})"));
  EXPECT_EQ(request.method, "x");
  EXPECT_EQ(request.id, "a");
  EXPECT_EQ(request.params["k"], 1);
  EXPECT_FALSE(request.is_notification());
  const auto notification = std::get<Message>(ParseLine(R"({"jsonrpc":"2.0","method":"y"})"));
  EXPECT_TRUE(notification.is_notification());
  EXPECT_TRUE(notification.params.is_object());
}

TEST(McpMessage, IgnoresBlankLinesAndResponses) {
  for (const char* line : {"", "  \r", R"({"jsonrpc":"2.0","id":1,"result":{}})"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(ParseLine(line))) << line;
  }
}

TEST(McpMessage, RefusesTextThatIsNotJson) {
  for (const char* line : {"{", "hello", "{\"a\":1} {}", "\"\xff\""}) {
    EXPECT_EQ(ErrorOf(line).code, kParseError) << line;
    EXPECT_TRUE(ErrorOf(line).id.is_null());
  }
}

TEST(McpMessage, RefusesInvalidRequestsWithTheirId) {
  const MessageError version = ErrorOf(R"({"jsonrpc":"1.0","id":4,"method":"x"})");
  EXPECT_EQ(version.code, kInvalidRequest);
  EXPECT_EQ(version.id, 4);
  for (const char* line :
       {"[]", "7", "{}", R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"method":5})",
        R"({"jsonrpc":"2.0","id":null,"method":"x"})", R"({"jsonrpc":"2.0","id":1.5,"method":"x"})",
        R"({"jsonrpc":"2.0","id":{},"method":"x"})"}) {
    EXPECT_EQ(ErrorOf(line).code, kInvalidRequest) << line;
  }
  EXPECT_EQ(ErrorOf(R"({"jsonrpc":"2.0","id":1,"method":"x","params":[]})").code, kInvalidParams);
}

TEST(McpMessage, RefusesDeepNesting) {
  const auto nested = [](int depth) {
    return absl::StrCat(R"({"jsonrpc":"2.0","id":1,"method":"[[","params":{"a":)",
                        std::string(depth, '['), std::string(depth, ']'), "}}");
  };
  EXPECT_TRUE(std::holds_alternative<Message>(ParseLine(nested(kMaxNesting - 2))));
  EXPECT_THAT(ErrorOf(nested(kMaxNesting - 1)).text, HasSubstr("nested"));
  EXPECT_THAT(ErrorOf(nested(10'000'000)).text, HasSubstr("nested"));
}

TEST(McpLineQueue, ReturnsLinesAndMarksTooLongOnes) {
  std::istringstream in("one\n12345678\n123456789\nlast");
  LineQueue queue(/*max_bytes=*/8);
  queue.ReadAll(in);
  EXPECT_EQ(queue.Next()->text, "one");
  EXPECT_EQ(queue.Next()->text, "12345678");
  const std::optional<Line> long_line = queue.Next();
  EXPECT_TRUE(long_line->too_long);
  EXPECT_EQ(long_line->text, "");
  const std::optional<Line> last = queue.Next();
  EXPECT_FALSE(last->too_long);
  EXPECT_EQ(last->text, "last");
  EXPECT_FALSE(queue.Next().has_value());
}

TEST(McpLineQueue, EndsAtOnceWhenClosed) {
  std::istringstream in("one\ntwo\n");
  LineQueue queue(/*max_bytes=*/8);
  queue.ReadAll(in);
  queue.Close();
  EXPECT_FALSE(queue.Next().has_value());
}

}  // namespace
}  // namespace vrp::client::mcp
