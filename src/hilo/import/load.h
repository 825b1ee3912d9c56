// SPDX-License-Identifier: Apache-2.0
// import/load.h -- load: a program from a file as a function for jit, grad, vmap and jvp, like a lambda.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

#include "hilo/tree/tree.h"

namespace hilo {

struct LoadOptions {
  std::string function = {};  ///< entry of an MLIR module; empty: main, or the only public function
  /// Whether reverse mode calls the derivative in a file of jax.export (vjp_order >= 1). Otherwise, as for files
  /// without one, the operations in the file are differentiated.
  bool use_vjp = true;
};

/// An input or output array of a loaded program.
struct LoadedValue {
  std::string name;  ///< name in the file ("args[0]['w']"), else "0", "1", ...
  Shape shape;       ///< shape, if all sizes are numbers
  std::string type;  ///< "f32[b,3]": sizes that jax.export left open are symbols
};

/// A program that is ready to be called. Copies of a LoadedFunction share it.
class LoadedProgram;

namespace load_detail {

std::shared_ptr<const LoadedProgram> read(const std::string& path, const LoadOptions& options,
                                          const std::source_location& location);
/// Reads a program from the bytes of a file; `source` names them in messages.
std::shared_ptr<const LoadedProgram> read_bytes(std::string bytes, const std::string& source,
                                                const LoadOptions& options, const std::source_location& location);
std::vector<Array> call(const LoadedProgram& program, std::span<const Array> leaves);
const std::string& name_of(const LoadedProgram& program);
const std::vector<LoadedValue>& inputs_of(const LoadedProgram& program);
const std::vector<LoadedValue>& outputs_of(const LoadedProgram& program);
/// Throws unless a result pytree of `leaves` arrays matches the program's results.
void check_result(const LoadedProgram& program, size_t leaves);

/// Returns a pytree to fill; a vector of Arrays has as many elements as the program has results.
template <typename Result>
Result result_tree(const LoadedProgram& program) {
  if constexpr (std::is_same_v<Result, std::vector<Array>>) return Result(outputs_of(program).size());
  else return Result();
}

void append(std::vector<Array>& leaves, const FlatTree& tree);

/// Converts numbers to Arrays.
template <typename T>
decltype(auto) as_tree(const T& argument) {
  if constexpr (Number<T>) return Array(argument);
  else return (argument);
}

}  // namespace load_detail

/// The result of load().
template <Tree Result>
class LoadedFunction {
 public:
  explicit LoadedFunction(std::shared_ptr<const LoadedProgram> program) : program_(std::move(program)) {
    load_detail::check_result(*program_, hilo::flatten(load_detail::result_tree<Result>(*program_)).leaves.size());
  }

  /// Runs the program; inside a transformation, records it as one `call`.
  /// Types     pytrees whose arrays are, in order, the program's inputs
  /// Errors    INVALID_ARGUMENT if their number, shapes or types differ from the program's
  template <Tree... Args>
  Result operator()(const Args&... args) const {
    std::vector<Array> leaves;
    (load_detail::append(leaves, hilo::flatten(load_detail::as_tree(args))), ...);
    return hilo::unflatten(load_detail::result_tree<Result>(*program_), load_detail::call(*program_, leaves));
  }

  const std::string& name() const { return load_detail::name_of(*program_); }
  const std::vector<LoadedValue>& inputs() const { return load_detail::inputs_of(*program_); }
  const std::vector<LoadedValue>& outputs() const { return load_detail::outputs_of(*program_); }

 private:
  std::shared_ptr<const LoadedProgram> program_;
};

/// Reads a program from a file as a function of its inputs: HLO text, HloModuleProto, StableHLO text or bytecode, or a
/// file of jax.export.
/// Types     Result: the pytree that a call returns; Array if the program has one result. std::vector<Array> takes any
///           number; tuples and structs are filled in order
/// Gradient  a derivative in the file is used if there is one; otherwise the operations in the file are differentiated
///           (docs/import.md). Counted loops become scans, so that reverse mode supports them
/// Errors    those of reading; INVALID_ARGUMENT if Result does not have as many arrays as the program has results
/// Cost      linear in the file; nothing is compiled before the first call
/// Example    auto model = load("model.mlir");  auto slope = grad([&](Array x) { return numpy::sum(model(x)); });
template <Tree Result = Array>
LoadedFunction<Result> load(const std::string& path, const LoadOptions& options = {},
                            std::source_location location = std::source_location::current()) {
  return LoadedFunction<Result>(load_detail::read(path, options, location));
}

}  // namespace hilo
