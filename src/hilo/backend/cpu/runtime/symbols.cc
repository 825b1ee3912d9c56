// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/symbols.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace hilo::cpu {
namespace {

using F32Unary = float (*)(float);
using F64Unary = double (*)(double);
using F32Binary = float (*)(float, float);
using F64Binary = double (*)(double, double);

template <typename Function>
void* address_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

struct SymbolTable {
  std::shared_mutex mutex;
  std::map<std::string, void*, std::less<>> symbols;

  SymbolTable() {
    symbols["memcpy"] = address_of<void*(void*, const void*, std::size_t)>(std::memcpy);
    symbols["memmove"] = address_of<void*(void*, const void*, std::size_t)>(std::memmove);
    symbols["memset"] = address_of<void*(void*, int, std::size_t)>(std::memset);
    symbols["memcmp"] = address_of<int(const void*, const void*, std::size_t)>(std::memcmp);
    struct Unary {
      const char* name;
      F64Unary f64;
      F32Unary f32;
    };
    for (const Unary& u :
         {Unary{"exp", ::exp, ::expf}, Unary{"expm1", ::expm1, ::expm1f}, Unary{"log", ::log, ::logf},
          Unary{"log1p", ::log1p, ::log1pf}, Unary{"sin", ::sin, ::sinf}, Unary{"cos", ::cos, ::cosf},
          Unary{"tan", ::tan, ::tanf}, Unary{"tanh", ::tanh, ::tanhf}, Unary{"erf", ::erf, ::erff},
          Unary{"cbrt", ::cbrt, ::cbrtf}, Unary{"floor", ::floor, ::floorf}, Unary{"ceil", ::ceil, ::ceilf},
          Unary{"trunc", ::trunc, ::truncf}, Unary{"round", ::round, ::roundf},
          Unary{"rint", ::rint, ::rintf}, Unary{"nearbyint", ::nearbyint, ::nearbyintf}}) {
      symbols[u.name] = reinterpret_cast<void*>(u.f64);
      symbols[std::string(u.name) + "f"] = reinterpret_cast<void*>(u.f32);
    }
    struct Binary {
      const char* name;
      F64Binary f64;
      F32Binary f32;
    };
    for (const Binary& b : {Binary{"fmod", ::fmod, ::fmodf}, Binary{"pow", ::pow, ::powf},
                            Binary{"atan2", ::atan2, ::atan2f}}) {
      symbols[b.name] = reinterpret_cast<void*>(b.f64);
      symbols[std::string(b.name) + "f"] = reinterpret_cast<void*>(b.f32);
    }
    symbols["fma"] = address_of<double(double, double, double)>(::fma);
    symbols["fmaf"] = address_of<float(float, float, float)>(::fmaf);
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
  return already_exists(
      fmt::format("runtime symbol '{}': the name already stands for another function", name));
}

void* find_runtime_symbol(std::string_view name) {
  SymbolTable& t = table();
  std::shared_lock lock(t.mutex);
  auto entry = t.symbols.find(name);
  return entry == t.symbols.end() ? nullptr : entry->second;
}

}  // namespace hilo::cpu
