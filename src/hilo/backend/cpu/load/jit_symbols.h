// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/jit_symbols.h -- publishes the names of compiled functions to perf and gdb, if HILO_JIT_SYMBOLS
// requests it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace hilo::cpu {

struct LoadedFunction {
  std::string_view name;
  const void* address = nullptr;
  size_t bytes = 0;
};

/// An object file in memory.
struct LoadedObject {
  std::span<const char> file;              ///< relocatable ELF, checked
  std::vector<const std::byte*> sections;  ///< per section of the file: its address, null if it isn't loaded
  std::vector<LoadedFunction> functions;
};

/// gdb's entry for an object; removed with this handle.
class GdbEntry {
 public:
  explicit GdbEntry(const LoadedObject& object);
  ~GdbEntry();
  GdbEntry(const GdbEntry&) = delete;
  GdbEntry& operator=(const GdbEntry&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Publishes symbols to the tools in HILO_JIT_SYMBOLS. "perf" appends lines "address size name" to /tmp/perf-PID.map;
/// "gdb" uses gdb's JIT interface; "perf,gdb" does both. Returns null without gdb.
/// Source    Linux tools/perf/Documentation/jit-interface.txt; GDB manual, "JIT Compilation Interface"
/// Example   HILO_JIT_SYMBOLS=perf perf record -g ./program && perf report
std::unique_ptr<GdbEntry> publish_symbols(const LoadedObject& object);

}  // namespace hilo::cpu
