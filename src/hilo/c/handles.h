// SPDX-License-Identifier: Apache-2.0
// c/handles.h -- what the handles of hilo.h point to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hilo/base/thread_pool.h"
#include "hilo/device/buffer.h"
#include "hilo/device/executable.h"
#include "hilo/import/load.h"
#include "hilo/trace/flat_function.h"

#include "hilo/c/hilo.h"

namespace hilo::c {

/// A program: a function of arrays, or an executable that was saved.
struct Program {
  std::string name;
  std::vector<LoadedValue> arguments, results;
  FlatFunction run = {};
  std::shared_ptr<Executable> executable = {};
};

/// What the memory of an array must be.
struct MemoryRule {
  int64_t bytes;
  uintptr_t mask;  ///< bits of the address that are 0
};

struct SizedFunction;

struct Function {
  std::shared_ptr<Executable> executable;      ///< null with buckets
  std::shared_ptr<const SizedFunction> sized;  ///< with buckets
  std::unique_ptr<ThreadPool> pool;            ///< null: the process's pool
  std::vector<MemoryRule> arguments, results;  ///< with buckets, only their numbers count
  bool direct = false;                         ///< whether calls run at the caller's addresses
};

/// Describes an array. `value` outlives the description.
hilo_array described(const LoadedValue& value);

}  // namespace hilo::c

struct hilo_program {
  std::shared_ptr<const hilo::c::Program> program;
};

struct hilo_function {
  hilo_program program;
  std::shared_ptr<const hilo::c::Function> function;
};

struct hilo_buffer {
  hilo::BufferPtr buffer;
  hilo::LoadedValue value;
};

struct hilo_run {
  hilo::Event event;
};
