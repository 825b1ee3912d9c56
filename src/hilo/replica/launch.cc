// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/launch.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "hilo/base/text.h"

namespace hilo {
namespace {

struct Launcher {
  const char* name;
  const char* index;
  const char* count;
  bool is_mpich;
};
// Slurm sets SLURM_NTASKS for the whole allocation; only processes that srun starts have an index.
constexpr std::array<Launcher, 3> kLaunchers = {{
    {"mpirun of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false},
    {"mpirun of MPICH", "PMI_RANK", "PMI_SIZE", true},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", false},
}};

StatusOr<int> number_of(const char* variable, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  return invalid_argument(fmt::format("{}: got {}; wanted a number >= 0", variable, quote(text)));
}

}  // namespace

StatusOr<std::optional<Launch>> launch_of_environment() {
  for (const Launcher& launcher : kLaunchers) {
    const char* const index = std::getenv(launcher.index);
    const char* const count = std::getenv(launcher.count);
    if (index == nullptr || count == nullptr) continue;
    Launch launch{.index = 0, .count = 1, .launcher = launcher.name, .is_mpich = launcher.is_mpich};
    HILO_ASSIGN_OR_RETURN(launch.index, number_of(launcher.index, index));
    HILO_ASSIGN_OR_RETURN(launch.count, number_of(launcher.count, count));
    if (launch.index >= launch.count) {
      return invalid_argument(fmt::format("{}: got {}; wanted less than {}={}", launcher.index, launch.index,
                                          launcher.count, launch.count));
    }
    return launch.count > 1 ? std::optional(launch) : std::nullopt;
  }
  return std::optional<Launch>();
}

}  // namespace hilo
