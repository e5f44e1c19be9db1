#include "server/config/vrpd_options.h"

#include <algorithm>
#include <thread>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/base/usable_processors.h"
#include "server/config/listen_address.h"
#include "server/config/option_table.h"
#include "server/config/tile_address.h"

namespace vrp {
namespace {

absl::Status CheckTlsOptions(const VrpdOptions& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return absl::InvalidArgumentError(
        options.tls_key.empty() ? "--tls-key: absent, wanted the key of --tls-certificate"
                                : "--tls-certificate: absent, wanted the certificate of --tls-key");
  }
  if (options.tls_certificate.empty() && !options.tls_client_ca.empty()) {
    return absl::InvalidArgumentError(
        "--tls-client-ca: given without --tls-certificate and --tls-key, wanted all three");
  }
  return absl::OkStatus();
}

absl::Status CheckAddresses(const VrpdOptions& options) {
  const ListenProtection protection{
      .tls = !options.tls_certificate.empty(),
      .authenticates = !options.tls_client_ca.empty() || !options.tokens.empty(),
      .insecure = options.insecure};
  VRP_RETURN_IF_ERROR(CheckListenAddress(options.listen, protection));
  if (!options.metrics_listen.empty()) {
    VRP_RETURN_IF_ERROR(CheckHttpAddress("metrics_listen", options.metrics_listen, protection));
  }
  if (!options.http_listen.empty()) {
    return CheckHttpAddress("http_listen", options.http_listen, protection);
  }
  if (options.http_hosts.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("--http-hosts: given without --http-listen, wanted both");
}

absl::Status CheckMap(const VrpdOptions& options) {
  if (options.map_tiles.empty()) {
    if (options.map_attribution.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError("--map-attribution: given without --map-tiles, wanted both");
  }
  if (options.http_listen.empty()) {
    return absl::InvalidArgumentError("--map-tiles: given without --http-listen, wanted both");
  }
  return TileOrigin(options.map_tiles).status();
}

// Whether other machines can reach the address.
bool IsRemote(const std::string& address) {
  const absl::StatusOr<ListenAddress> parsed = ParseListenAddress(address);
  return !parsed.ok() || !IsLoopback(*parsed);
}

}  // namespace

bool RestrictsTrainingFiles(const VrpdOptions& options) {
  return !options.data_dirs.empty() || !options.tokens.empty() ||
         !options.tls_certificate.empty() || IsRemote(options.listen) ||
         (!options.http_listen.empty() && IsRemote(options.http_listen));
}

int32_t HardwareThreads() {
  return std::max<int32_t>(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
}

absl::StatusOr<VrpdOptions> Merge(const PartialOptions& flags, const PartialOptions& file) {
  VrpdOptions options;
  for (const OptionRow& row : OptionTable()) {
    for (const PartialOptions* source : {&file, &flags}) {
      if (!source->given.contains(row.key)) continue;
      CopyOption(row, source->values, options);
      options.given.insert(row.key);
    }
  }
  if (options.state_dir.empty()) {
    return absl::InvalidArgumentError(
        "--state-dir: absent, wanted the folder for jobs and models; it is created if absent");
  }
  if (options.models_dir.empty()) options.models_dir = Concat(options.state_dir, "/models");
  if (options.threads == 0) options.threads = UsableProcessors();
  VRP_RETURN_IF_ERROR(CheckTlsOptions(options));
  VRP_RETURN_IF_ERROR(CheckAddresses(options));
  VRP_RETURN_IF_ERROR(CheckMap(options));
  return options;
}

}  // namespace vrp
