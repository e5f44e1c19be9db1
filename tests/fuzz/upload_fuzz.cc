// Fuzzes the messages of UploadMatrices (see framed.h).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/registry/matrix_store.h"
#include "server/service/matrix_handler.h"
#include "tests/fuzz/framed.h"
#include "tests/fuzz/scratch_folder.h"
#include "vrp/v1/dataset_service.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto folder = vrp::fuzz::ScratchFolder() / "matrices";
  static const std::unique_ptr<vrp::MatrixStore> store =
      vrp::MatrixStore::Create({.directory = folder.string()}).value();
  static vrp::MessageBudget messages({});
  vrp::MatrixImport upload(*store, messages);
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (const auto message = vrp::fuzz::TakeMessage<vrp::v1::UploadMatricesRequest>(rest)) {
    if (!upload.Take(*message).ok()) return 0;
  }
  const auto kept = upload.Finish();
  if (!kept.ok()) return 0;
  if (!store->Find(kept->name()).ok()) std::abort();
  if (!store->Delete(kept->name()).ok()) std::abort();
  return 0;
}
