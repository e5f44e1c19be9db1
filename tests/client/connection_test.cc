#include "client/connection/connection.h"

#include <sys/stat.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;

std::string MessageOf(const ConnectionFlags& flags, absl::string_view token = "") {
  return std::string(MakeConnections(flags, token).status().message());
}

std::string WriteSecret(const std::string& name, const std::string& content, mode_t mode = 0600) {
  std::string path = WriteTestFile(name, content);
  EXPECT_EQ(chmod(path.c_str(), mode), 0);
  return path;
}

TEST(RemoteFlag, RequiresHostAndPortOrAUnixSocket) {
  for (const char* text : {"127.0.0.1:50051", "host:1", "[::1]:65535", "unix:/run/vrpd.sock"}) {
    EXPECT_TRUE(CheckRemote(text).ok()) << text;
  }
  for (const char* text :
       {"", "host", "host:", ":50051", "host:0", "host:65536", "host:x", "unix:"}) {
    EXPECT_FALSE(CheckRemote(text).ok()) << text;
  }
}

TEST(ConnectionFlags, DefaultToPlaintextWithoutAToken) {
  const auto connection = MakeConnections({.remotes = {"example.org:1"}}, "");
  ASSERT_TRUE(connection.ok()) << connection.status();
  EXPECT_FALSE(connection->front().tls);
  EXPECT_EQ(connection->front().token, "");
}

// A self-signed certificate of "authority", valid until 2126.
constexpr char kAuthority[] = R"(-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUNTUXUfHDOanKUTpUNN6Tgdz9Bx8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJYXV0aG9yaXR5MCAXDTI2MTEyNDExNDgzMFoYDzIxMjYxMDMx
MTE0ODMwWjAUMRIwEAYDVQQDDAlhdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQtVmxRsUsmcuOx4YAq5Q87ykvDwDKLdRjlQurFp0EgmfLcgHXAs0bU
J1UwIQP0E7XIOM/BZ6ht27rDfjuxq632o1MwUTAdBgNVHQ4EFgQUNzOGeOggiHeU
40KcRu0f5gTvDyUwHwYDVR0jBBgwFoAUNzOGeOggiHeU40KcRu0f5gTvDyUwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA1J2P/43MkDl9PRplyLmJ
2u1mRRTje5ZhUYcokN5d6DMCIQDMTPdaLcY3gNMNBKqA7dV576oE63lRKOBKnU75
ByVaDw==
-----END CERTIFICATE-----
)";

TEST(ConnectionFlags, EnableTlsIfTlsACaOrAServerNameIsGiven) {
  const std::string file = WriteTestFile("ca.pem", kAuthority);
  EXPECT_TRUE(MakeConnections({.tls = true}, "")->front().tls);
  EXPECT_TRUE(MakeConnections({.server_name = "vrpd"}, "")->front().tls);
  const auto connection = MakeConnections({.ca_file = file}, "");
  EXPECT_TRUE(connection->front().tls);
  EXPECT_EQ(connection->front().ca, kAuthority);
}

TEST(ConnectionFlags, NameMissingFilesUnpairedFlagsAndFilesOpenToOthers) {
  EXPECT_THAT(MessageOf({.ca_file = "/nowhere/ca"}), HasSubstr("--tls-ca: /nowhere/ca: No such"));
  EXPECT_THAT(MessageOf({.token_file = "/nowhere/t"}), HasSubstr("--token-file: /nowhere/t: No"));
  EXPECT_THAT(MessageOf({.key_file = "/nowhere/k"}), HasSubstr("wanted both or none"));
  const std::string open_key = WriteSecret("open.key", "secret", 0644);
  EXPECT_THAT(
      MessageOf({.certificate_file = open_key, .key_file = open_key}),
      HasSubstr("--tls-key: " + open_key + ": others may read or change it; run chmod 600"));
}

TEST(ConnectionFlags, NameTheTlsFileWithWrongContent) {
  const std::string text = WriteSecret("text", "no PEM", 0600);
  const std::string pem = WriteSecret("own.pem", kAuthority, 0600);
  EXPECT_THAT(MessageOf({.ca_file = text}),
              HasSubstr("--tls-ca: " + text + ": holds no certificate in PEM form"));
  EXPECT_THAT(MessageOf({.certificate_file = text, .key_file = text}),
              HasSubstr("--tls-certificate: " + text + ": holds no certificate in PEM form"));
  EXPECT_THAT(MessageOf({.certificate_file = pem, .key_file = text}),
              HasSubstr("--tls-key: " + text + ": holds no unencrypted private key in PEM form"));
}

TEST(Token, ComesFromItsFileOrElseTheEnvironment) {
  const std::string file = WriteSecret("token", "from-file\n");
  EXPECT_EQ(MakeConnections({.token_file = file}, "from-environment")->front().token, "from-file");
  EXPECT_EQ(MakeConnections({}, "from-environment")->front().token, "from-environment");
}

TEST(Token, IsRefusedIfReadableByOthersOrInvalid) {
  EXPECT_THAT(MessageOf({.token_file = WriteSecret("open", "secret", 0604)}),
              HasSubstr("others may read or change it"));
  EXPECT_THAT(MessageOf({.token_file = WriteSecret("empty", "\n")}),
              HasSubstr("got no valid token"));
  for (const char* token : {"two secrets", "secret\nsecret", "s\xC3\xA9"}) {
    const std::string message = MessageOf({}, token);
    EXPECT_THAT(message, HasSubstr("VRP_TOKEN: got no valid token"));
    EXPECT_THAT(message, testing::Not(HasSubstr("secret")));
  }
}

TEST(Token, IsSentUnencryptedToThisMachineOnly) {
  for (const char* here :
       {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1", "unix:/run/vrpd.sock"}) {
    EXPECT_TRUE(MakeConnections({.remotes = {here}}, "secret").ok()) << here;
  }
  for (const char* elsewhere : {"10.0.0.1:1", "example.org:1", "[::]:1", "[2001:db8::1]:1",
                                "127.0.0.1.example.org:1", "localhost.example.org:1"}) {
    const std::string message = MessageOf({.remotes = {elsewhere}}, "secret");
    EXPECT_THAT(message, HasSubstr("unencrypted")) << elsewhere;
    EXPECT_THAT(message, testing::Not(HasSubstr("secret")));
    EXPECT_TRUE(MakeConnections({.remotes = {elsewhere}, .tls = true}, "secret").ok()) << elsewhere;
  }
}

}  // namespace
}  // namespace vrp::client
