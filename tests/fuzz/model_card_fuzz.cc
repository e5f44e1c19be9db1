// Fuzzes model cards. An accepted card is accepted again after writing.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/model/weights/model_card.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto card = vrp::ParseModelCard({reinterpret_cast<const char*>(data), size}, "card.json");
  if (!card.ok()) return 0;
  const std::string text = vrp::WriteModelCard(*card);
  const auto reread = vrp::ParseModelCard(text, "again");
  if (reread.ok()) return 0;
  std::fprintf(stderr, "not read back: %s\n%s\n", reread.status().ToString().c_str(), text.c_str());
  std::abort();
}
