// Fuzzes the token file and a PEM file as the certificate, the key and the client CA certificates.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "server/access/tls_files.h"
#include "server/access/token_file.h"
#include "tests/fuzz/scratch_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)vrp::ParseTokenFile(text, "tokens");
  if (text.find("-----BEGIN") == std::string_view::npos) return 0;
  const std::string path = vrp::fuzz::WriteScratch("all.pem", text);
  (void)vrp::ReadTlsFiles({.certificate = path, .key = path, .client_ca = path},
                          absl::FromUnixSeconds(1'800'000'000));
  return 0;
}
