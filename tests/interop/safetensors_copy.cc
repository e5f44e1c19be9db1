// Reads a safetensors file with our reader and writes it again with our writer.
#include <cstdio>
#include <string>

#include "core/base/file.h"
#include "core/model/weights/safetensors.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: safetensors_copy FROM TO\n");
    return 2;
  }
  const absl::StatusOr<std::string> bytes = vrp::ReadFile(argv[1]);
  const auto file = bytes.ok() ? vrp::SafetensorsFile::Parse(*bytes, argv[1])
                               : absl::StatusOr<vrp::SafetensorsFile>(bytes.status());
  if (!file.ok()) {
    std::fprintf(stderr, "%s\n", file.status().ToString().c_str());
    return 1;
  }
  const absl::Status written =
      vrp::AtomicWriteFile(argv[2], vrp::WriteSafetensors(file->tensors(), file->metadata()));
  if (!written.ok()) std::fprintf(stderr, "%s\n", written.ToString().c_str());
  return written.ok() ? 0 : 1;
}
