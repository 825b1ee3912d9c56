// SPDX-License-Identifier: Apache-2.0
// import/load.h -- load: a program from a file as a function that jit, grad, vmap and jvp take like a lambda.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

#include "hilo/tree/tree.h"

namespace hilo {

struct LoadOptions {
  std::string function = {};  ///< the entry of an MLIR module; empty: main, or the only public function
  /// Whether reverse mode calls the derivative that a file of jax.export brings (vjp_order >= 1); else, as for files that
  /// bring none, the mathematics in the file is differentiated.
  bool use_vjp = true;
};

/// One array that a loaded program takes or gives.
struct LoadedValue {
  std::string name;  ///< what the file calls it ("args[0]['w']"), else "0", "1", ...
  Shape shape;       ///< where all sizes are numbers
  std::string type;  ///< "f32[b,3]": what jax.export left open are symbols
};

/// A program that has been read and made ready to be called. Copies of a LoadedFunction share it.
class LoadedProgram;

namespace load_detail {

std::shared_ptr<const LoadedProgram> read(const std::string& path, const LoadOptions& options,
                                          const std::source_location& location);
std::vector<Array> call(const LoadedProgram& program, std::span<const Array> leaves);
const std::string& name_of(const LoadedProgram& program);
const std::vector<LoadedValue>& inputs_of(const LoadedProgram& program);
const std::vector<LoadedValue>& outputs_of(const LoadedProgram& program);
/// Throws unless a result tree of `leaves` arrays can hold what the program gives.
void check_result(const LoadedProgram& program, size_t leaves);

/// A tree to fill: for a vector of Arrays, as many as the program gives.
template <typename Result>
Result result_tree(const LoadedProgram& program) {
  if constexpr (std::is_same_v<Result, std::vector<Array>>) return Result(outputs_of(program).size());
  else return Result();
}

void append(std::vector<Array>& leaves, const FlatTree& tree);

/// Numbers travel as Arrays.
template <typename T>
decltype(auto) as_tree(const T& argument) {
  if constexpr (Number<T>) return Array(argument);
  else return (argument);
}

}  // namespace load_detail

/// What load() gives.
template <Tree Result>
class LoadedFunction {
 public:
  explicit LoadedFunction(std::shared_ptr<const LoadedProgram> program) : program_(std::move(program)) {
    load_detail::check_result(*program_, hilo::flatten(load_detail::result_tree<Result>(*program_)).leaves.size());
  }

  /// Runs the program, or, inside a transformation, hands it on as one `call`.
  /// Types     trees whose arrays are, one after another, the program's inputs
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

/// Reads a program from a file (HLO text or HloModuleProto, StableHLO text or bytecode, what jax.export wrote) as a function
/// of its inputs. A derivative in the file is used; else derivatives are those of the mathematics in the file
/// (docs/import.md): counted loops are raised to scans, so reverse mode goes through them.
/// Types     Result: the tree that a call gives, Array if the program has one result; std::vector<Array> takes any
///           number, tuples and structs are filled in order
/// Errors    those of reading; INVALID_ARGUMENT if Result doesn't have as many arrays as the program has results
/// Cost      linear in the file; nothing is compiled before the first call
/// Example    auto model = load("model.mlir");  auto slope = grad([&](Array x) { return numpy::sum(model(x)); });
template <Tree Result = Array>
LoadedFunction<Result> load(const std::string& path, const LoadOptions& options = {},
                            std::source_location location = std::source_location::current()) {
  return LoadedFunction<Result>(load_detail::read(path, options, location));
}

}  // namespace hilo
