// Fuzzes the index of a checkpoint. If the input begins with S, fuzzes its state instead.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/weights/safetensors.h"
#include "core/train/run/checkpoint.h"
#include "tests/fuzz/scratch_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string empty = vrp::WriteSafetensors({});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool state = text.starts_with('S');
  const std::string folder = (vrp::fuzz::ScratchFolder() / "checkpoint").string();
  if (state) {
    std::filesystem::create_directories(folder);
    const auto written = vrp::WriteCheckpoint(
        folder, {.step = 5, .config_sha256 = "", .scalars = {}, .state = empty});
    if (!written.ok()) std::abort();
    vrp::fuzz::WriteScratch("checkpoint/step-5/state.safetensors", text.substr(1));
  } else {
    vrp::fuzz::WriteScratch("checkpoint/step-5/checkpoint.json", text);
    vrp::fuzz::WriteScratch("checkpoint/step-5/state.safetensors", empty);
  }
  (void)vrp::ReadNewestCheckpoint(folder);
  (void)vrp::IsAmongBest(folder, 1.0, 2);
  (void)vrp::SupersededCheckpoints(folder);
  return 0;
}
