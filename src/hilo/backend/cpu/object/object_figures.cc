// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/object_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "hilo/backend/cpu/object/processor_level.h"
#include "hilo/base/text.h"

namespace hilo::cpu {
namespace {

constexpr std::string_view kArchitecture = "x86-64:";
constexpr std::string_view kArm = "aarch64";
constexpr std::string_view kExact = "exact:";  // before a target: the same bits on all
constexpr std::array<Isa, 3> kLevels = {Isa::kSse2, Isa::kAvx2, Isa::kAvx512};

constexpr int64_t kAroundFrame = 72;  // the return address, and what aligns a frame of vectors
// Functions of libm and memcpy have small frames. The loader looks a function up at its first call and saves all vector
// registers meanwhile.
constexpr int64_t kCLibraryStack = 4096;
// The largest frame of libhilo_rt.a has 33 KB of running sums. Its sorts call themselves 60 times at most.
constexpr int64_t kRuntimeStack = 48 << 10;

/// Returns the levels of "v2,v3"; none for other texts.
std::vector<Isa> levels_of(std::string_view rest) {
  std::vector<Isa> isas;
  for (const Isa isa : kLevels) {
    const std::string level = fmt::format("v{}", level_number(isa));
    if (!rest.starts_with(level) || (rest.size() != level.size() && rest[level.size()] != ',')) continue;
    isas.push_back(isa);
    rest.remove_prefix(level.size());
    if (rest.starts_with(',') && rest.size() > 1) rest.remove_prefix(1);
  }
  return rest.empty() ? isas : std::vector<Isa>();
}

}  // namespace

StatusOr<int64_t> stack_bytes_of(const JoinedObject& object, std::span<const PartRole> roles) {
  int64_t first = 0;
  std::map<size_t, int64_t> drivers, largest;
  for (const ObjectFunction& f : object.functions) {
    if (f.stack_bytes < 0)
      return internal_error(fmt::format("writing an object: '{}' has a frame of unknown size", f.name));
    const int64_t bytes = f.stack_bytes + kAroundFrame;
    const PartRole& role = roles[f.part];
    if (f.part == 0) first += bytes;
    else if (role.is_driver) drivers[role.level] += bytes;
    else largest[role.level] = std::max(largest[role.level], bytes);
  }
  int64_t most = 0;
  for (const PartRole& role : roles) most = std::max(most, drivers[role.level] + 2 * largest[role.level]);
  const bool runtime =
      std::ranges::any_of(object.undefined, [](const std::string& name) { return name.starts_with(kRuntimePrefix); });
  return first + most + (object.undefined.empty() ? 0 : kCLibraryStack) + (runtime ? kRuntimeStack : 0);
}

std::string target_name(std::span<const Isa> isas) {
  if (std::ranges::any_of(isas, is_arm)) return std::string(kArm);
  std::string name(kArchitecture);
  for (Isa isa : isas) name += fmt::format("{}v{}", name.ends_with(':') ? "" : ",", level_number(isa));
  return name;
}

StatusOr<std::vector<Isa>> isas_of_target(std::string_view target) {
  const bool exact = target.starts_with(kExact);
  std::string_view rest = target.substr(exact ? kExact.size() : 0);
  std::vector<Isa> isas;
  if (rest == kArm) {
    isas.push_back(Isa::kNeon);
  } else if (exact && rest.empty()) {
    HILO_ASSIGN_OR_RETURN(isas.emplace_back(), selected_isa());
  } else if (rest.starts_with(kArchitecture)) {
    isas = levels_of(rest.substr(kArchitecture.size()));
  }
  if (isas.empty()) {
    return invalid_argument(
        fmt::format("writing an object: unknown target; got {}; wanted x86-64:v2, x86-64:v3, "
                    "x86-64:v4, several of these levels in order, such as x86-64:v2,v4, or aarch64",
                    quote(target)));
  }
  if (exact) std::ranges::transform(isas, isas.begin(), exact_of);
  return isas;
}

}  // namespace hilo::cpu
