// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/symbols.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "hilo/backend/cpu/library/math/complex_math.h"
#include "hilo/backend/cpu/library/math/scalar_math.h"
#include "hilo/base/stop.h"

namespace hilo::cpu {
namespace {

template <typename Function>
void* address_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

struct SymbolTable {
  std::shared_mutex mutex;
  std::map<std::string, void*, std::less<>> symbols;

  SymbolTable() {
    symbols["hilo_stop_requested"] = address_of<uint64_t()>([]() -> uint64_t { return stop_requested() ? 1 : 0; });
    symbols["memcpy"] = address_of<void*(void*, const void*, std::size_t)>(std::memcpy);
    symbols["memmove"] = address_of<void*(void*, const void*, std::size_t)>(std::memmove);
    symbols["memset"] = address_of<void*(void*, int, std::size_t)>(std::memset);
    symbols["memcmp"] = address_of<int(const void*, const void*, std::size_t)>(std::memcmp);
    // LLVM itself calls these if the ISA has no instruction for an operation.
    symbols["fmod"] = address_of<double(double, double)>(::fmod);
    symbols["fmodf"] = address_of<float(float, float)>(::fmodf);
    symbols["fma"] = address_of<double(double, double, double)>(::fma);
    symbols["fmaf"] = address_of<float(float, float, float)>(::fmaf);
    for (const RuntimeFunction& f : scalar_math_functions()) symbols[std::string(f.name)] = f.address;
    for (const ComplexFunction& f : complex_math_functions()) symbols[f.name] = f.address;
  }
};

// Never destroyed: code may still be compiled while the process ends.
SymbolTable& table() {
  static SymbolTable* instance = new SymbolTable;
  return *instance;
}

}  // namespace

Status register_runtime_symbol(std::string_view name, void* address) {
  if (address == nullptr) {
    return invalid_argument(fmt::format("runtime symbol '{}': got a null address; wanted a function", name));
  }
  SymbolTable& t = table();
  std::unique_lock lock(t.mutex);
  auto [entry, inserted] = t.symbols.emplace(std::string(name), address);
  if (inserted || entry->second == address) return ok_status();
  return already_exists(fmt::format("runtime symbol '{}': the name is registered for another function", name));
}

void* find_runtime_symbol(std::string_view name) {
  SymbolTable& t = table();
  std::shared_lock lock(t.mutex);
  auto entry = t.symbols.find(name);
  return entry == t.symbols.end() ? nullptr : entry->second;
}

}  // namespace hilo::cpu
