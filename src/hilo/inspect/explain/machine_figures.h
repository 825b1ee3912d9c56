// SPDX-License-Identifier: Apache-2.0
// inspect/explain/machine_figures.h -- this machine's speed, as plain programs of the engine reach it.
#pragma once

#include "hilo/device/client.h"

namespace hilo {

/// Rates per nanosecond, of one thread unless stated otherwise. One operation per nanosecond is 10^9 per second.
struct MachineFigures {
  int threads = 1;                          ///< of the pool that programs use
  double call = 0;                          ///< nanoseconds of a program of one element
  double cache_bytes = 0;                   ///< bytes read and written, for arrays that fit in a core's cache
  double memory_bytes = 0;                  ///< same for arrays that don't fit in any cache
  double memory_bytes_all = 0;              ///< same with all threads
  double flops_f32 = 0, flops_f64 = 0;      ///< elementwise, in cache
  double transcendentals = 0;               ///< exponentials of f32, in cache
  double product_f32 = 0, product_f64 = 0;  ///< flops of square products, with all threads
  bool operator==(const MachineFigures&) const = default;
};

/// Size up to which arrays are assumed to fit in a core's cache.
inline constexpr double kCacheBytes = 1 << 20;

/// Compiles and runs some programs on the client's first device; uses the fastest run of each.
/// Errors     those of Client::compile and Executable::execute
/// Cost       about a second
StatusOr<MachineFigures> measure_machine(Client& client);

/// Returns one line per figure, "cache_bytes 51.2", after a line with `key`.
std::string figures_text(const MachineFigures& figures, std::string_view key);

/// Parses the text of figures_text; returns nullopt for another key, or for a damaged text.
std::optional<MachineFigures> figures_from_text(std::string_view text, std::string_view key);

/// Returns the figures in the folder of the disk cache, if they are for this processor, number of threads and vector
/// width; otherwise measures and stores them.
/// Errors     those of measure_machine, read_file and write_file_atomic
StatusOr<MachineFigures> machine_figures(Client& client);

}  // namespace hilo
