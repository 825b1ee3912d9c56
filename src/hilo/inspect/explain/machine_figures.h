// SPDX-License-Identifier: Apache-2.0
// inspect/explain/machine_figures.h -- what this machine does in a nanosecond, as plain programs of the engine reach
// it.
#pragma once

#include "hilo/device/client.h"

namespace hilo {

/// Rates of one thread, but for those of all. An operation a nanosecond is 10^9 a second.
struct MachineFigures {
  int threads = 1;                          ///< of the pool that programs use
  double call = 0;                          ///< nanoseconds: a program of one element
  double cache_bytes = 0;                   ///< read and written, of arrays that fit in a core's cache
  double memory_bytes = 0;                  ///< the same of arrays that fit in no cache
  double memory_bytes_all = 0;              ///< the same by all threads
  double flops_f32 = 0, flops_f64 = 0;      ///< elementwise, in cache
  double transcendentals = 0;               ///< exponentials of f32, in cache
  double product_f32 = 0, product_f64 = 0;  ///< flops of square products, by all threads
  bool operator==(const MachineFigures&) const = default;
};

/// Arrays up to here are taken to fit in a core's cache.
inline constexpr double kCacheBytes = 1 << 20;

/// Compiles and runs some programs on the client's first device: the fastest run of each counts.
/// Errors    those of Client::compile and Executable::execute
/// Cost      about a second
StatusOr<MachineFigures> measure_machine(Client& client);

/// A line a figure, "cache_bytes 51.2", after a line with `key`.
std::string figures_text(const MachineFigures& figures, std::string_view key);

/// What figures_text wrote under this key; nothing of another key, or of a text that is damaged.
std::optional<MachineFigures> figures_from_text(std::string_view text, std::string_view key);

/// Those in the folder of the disk cache, if there is one and they are of this processor, these threads and this width
/// of vectors; else measured now, and written down there.
/// Errors    those of measure_machine, read_file and write_file_atomic
StatusOr<MachineFigures> machine_figures(Client& client);

}  // namespace hilo
