#include "tests/bench/bench_case.h"

#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

using Setter = std::function<bool(std::string_view)>;

Setter Text(std::string& to) {
  return [&to](std::string_view text) { return to = text, true; };
}

template <typename T>
Setter Number(T& to) {
  return [&to](std::string_view text) {
    const std::optional<int64_t> number = ParseInteger(text);
    if (!number || *number < 0 || *number > 1'000'000) return false;
    to = static_cast<T>(*number);
    return true;
  };
}

}  // namespace

absl::StatusOr<BenchCase> ParseBenchCase(std::span<char* const> arguments) {
  BenchCase c;
  const std::map<std::string_view, Setter> setters = {
      {"architecture", Text(c.architecture)},
      {"device", Text(c.device)},
      {"sizes", Text(c.sizes)},
      {"model", Text(c.model)},
      {"learned", Text(c.learned)},
      {"instances", Text(c.instances)},
      {"baseline_instances", Text(c.baseline_instances)},
      {"customers", Number(c.customers)},
      {"batch", Number(c.batch)},
      {"starts", Number(c.starts)},
      {"supervised", Number(c.supervised)},
      {"bf16", Number(c.bf16)},
      {"torch", Number(c.torch)},
      {"micro_batch", Number(c.micro_batch)},
      {"accumulate", Number(c.accumulate)},
      {"threads", Number(c.threads)},
      {"seed", Number(c.seed)},
      {"learning_rate",
       [&c](std::string_view text) {
         c.learning_rate = ParseNumber(text).value_or(0);
         return c.learning_rate > 0;
       }},
      {"problem",
       [&c](std::string_view word) {
         const std::optional<ProblemKind> kind = KindFromName(word);
         if (kind) c.kind = *kind;
         return kind.has_value();
       }},
  };
  for (const std::string_view argument : arguments) {
    const size_t equals = argument.find('=');
    const auto setter = setters.find(argument.substr(0, equals));
    if (equals == std::string_view::npos || setter == setters.end() ||
        !setter->second(argument.substr(equals + 1))) {
      return absl::InvalidArgumentError(
          Concat("got ", Quoted(argument),
                 ", wanted KEY=VALUE with a key of BenchCase and a valid value"));
    }
  }
  if (c.accumulate < 1 || c.batch % c.accumulate != 0 || (c.supervised && c.accumulate > 1)) {
    return absl::InvalidArgumentError(
        Concat("accumulate: got ", c.accumulate, ", wanted a divisor of batch, and 1 with labels"));
  }
  return c;
}

}  // namespace vrp
