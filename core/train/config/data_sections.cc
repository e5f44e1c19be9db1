#include "core/train/config/data_sections.h"

#include "core/train/config/config_limits.h"

namespace vrp {

void ReadLoaderSection(ConfigReader& reader, LoaderConfig& loader) {
  reader.Read("loader.workers", {0, 64}, loader.workers);
  reader.Read("loader.prefetch", {1, 64}, loader.prefetch);
  reader.Read("loader.memory_mb", {1, 1'000'000}, loader.memory_mb);
  reader.Read("loader.pin", loader.pin);
  loader.pin_is_stated = reader.Has("loader.pin");
}

void ReadValidationSection(ConfigReader& reader, ValidationConfig& validation) {
  reader.Read("validation.instances", {1, 10'000'000}, validation.instances);
  reader.Read("validation.seed", {0, kMaxConfigSeed}, validation.seed);
  reader.Read("validation.file", validation.file);
  size_t reference = 0;
  reader.ReadWord("validation.reference", {"nearest_neighbour", "search", "file"}, reference);
  validation.reference = static_cast<Reference>(reference);
  reader.Read("validation.reference_iterations", {0, 10'000'000}, validation.reference_iterations);
  if (validation.reference == Reference::kFile && validation.file.empty()) {
    reader.Refuse("validation.file",
                  "a file with ref_cost, because validation.reference is \"file\"");
  }
}

}  // namespace vrp
