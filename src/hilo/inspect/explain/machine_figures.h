// SPDX-License-Identifier: Apache-2.0
// inspect/explain/machine_figures.h -- this machine's speed, as plain programs of the engine reach it.
#pragma once

#include <map>

#include "hilo/device/client.h"
#include "hilo/hlo/ir/op_def.h"

namespace hilo {

/// Size up to which arrays are assumed to fit in a cache.
inline constexpr double kCacheBytes = 16 << 20;

/// Rates per nanosecond, of one thread unless stated otherwise. One operation per nanosecond is 10^9 per second.
struct MachineFigures {
  int threads = 1;                                  ///< of the pool that programs use
  double call = 0;                                  ///< nanoseconds of a program of one element
  double unit = 0;                                  ///< nanoseconds of a unit of one element, and of timing it
  double l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;  ///< bytes read and written, for arrays that fit in these caches
  double memory_bytes = 0;                          ///< same for arrays that don't fit in any cache
  double memory_bytes_all = 0;                      ///< same with all threads
  double flops_f32 = 0, flops_f64 = 0;              ///< elementwise, in cache
  double product_f32 = 0, product_f64 = 0, product_bf16 = 0, product_s8 = 0;  ///< flops of square products
  double sorted_f32 = 0, sorted_f64 = 0;                                      ///< n log2 n for n elements
  double fourier_c64 = 0, fourier_c128 = 0;                                   ///< n log2 n for n numbers
  double scanned = 0;                                                         ///< elements of running sums
  double gathered = 0, scattered = 0;                                         ///< elements at random places in cache
  /// Elements of functions and divisions: function_name(kExp, kF32) -> 4.1
  std::map<std::string, double, std::less<>> functions = {};

  bool operator==(const MachineFigures&) const = default;
  /// Returns the rate of an elementwise op on a type; nullopt for cheap ones.
  std::optional<double> function_rate(hlo::Opcode opcode, ElementType type) const;
  /// Returns the rate of reading and writing `bytes` in the smallest cache that holds them.
  double cache_rate(double bytes) const;
};

/// Returns "exponential:f32".
std::string function_name(hlo::Opcode opcode, ElementType type);

/// Compiles and runs some programs on the client's first device; uses the fastest run of each.
/// Errors     those of Client::compile and Executable::execute
/// Cost       about a second
StatusOr<MachineFigures> measure_machine(Client& client);

/// Returns one line per figure, "l1_bytes 51.2", after a line with `key`.
std::string figures_text(const MachineFigures& figures, std::string_view key);

/// Parses the text of figures_text; returns nullopt for another key, or for a damaged text.
std::optional<MachineFigures> figures_from_text(std::string_view text, std::string_view key);

/// Returns the figures in the folder of the disk cache, if they are for this processor, number of threads and vector
/// width; otherwise measures and stores them.
/// Errors     those of measure_machine, read_file and write_file_atomic
StatusOr<MachineFigures> machine_figures(Client& client);

}  // namespace hilo
