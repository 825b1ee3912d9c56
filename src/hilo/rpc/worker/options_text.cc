// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/worker/options_text.h"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "hilo/base/text.h"
#include "hilo/version.h"

namespace hilo::rpc {
namespace {

/// Returns the options as numbers in the order of the lines; seconds as their bits.
std::vector<int64_t> numbers_of(const WorkerOptions& options) {
  const Quota& quota = options.quota;
  return {quota.live_bytes,
          quota.buffers,
          quota.executables,
          quota.calls_in_flight,
          quota.instructions,
          std::bit_cast<int64_t>(quota.compile_seconds),
          std::bit_cast<int64_t>(quota.run_seconds),
          options.devices,
          options.memory_bytes};
}

void set_numbers(WorkerOptions& options, std::span<const int64_t> from) {
  options.quota = {.live_bytes = from[0],
                   .buffers = from[1],
                   .executables = from[2],
                   .calls_in_flight = from[3],
                   .instructions = from[4],
                   .compile_seconds = std::bit_cast<double>(from[5]),
                   .run_seconds = std::bit_cast<double>(from[6])};
  options.devices = from[7];
  options.memory_bytes = from[8];
}

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::string options_text(const WorkerOptions& options) {
  std::string text = fmt::format("{}\n{}\n{}\n", version(), options.command, options.platform);
  for (const int64_t number : numbers_of(options)) text += fmt::format("{}\n", number);
  for (const std::string& target : options.custom_calls) text += target + "\n";
  return text;
}

StatusOr<WorkerOptions> options_of(std::string_view text) {
  if (const std::string_view other = take_line(text); other != version())
    return failed_precondition(fmt::format("the server has hilo {}, the worker has {}", other, version()));
  WorkerOptions options;
  options.command = take_line(text);
  options.platform = take_line(text);
  std::vector<int64_t> numbers = numbers_of(options);
  for (int64_t& number : numbers) {
    const std::string_view line = take_line(text);
    const std::optional<int64_t> read = parse_int64(line);
    if (!read) return invalid_argument("options of a worker: got " + quote(line) + "; wanted a number");
    number = *read;
  }
  set_numbers(options, numbers);
  while (!text.empty()) options.custom_calls.emplace_back(take_line(text));
  return options;
}

}  // namespace hilo::rpc
