// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/casadi_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hilo/trace/ops.h"
#include "hilo/transform/jacobian_pattern.h"

namespace hilo {
namespace {

using Arrays = std::vector<Array>;
using Entries = std::vector<std::pair<int64_t, int64_t>>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns a name that CasADi accepts: "args[0]['angle']" -> "args_0_angle". It begins with a letter, has no two
/// underscores in a row, and is none of CasADi's words.
std::string casadi_name(std::string_view path, std::string_view letter, size_t number, std::set<std::string>& used) {
  std::string name;
  for (const char c : path) {
    if (is_letter(c) || is_digit(c)) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  const bool is_word = name == "null" || name == "jac" || name == "hess";
  if (name.empty() || !is_letter(name[0]) || is_word || used.contains(name)) name = fmt::format("{}{}", letter, number);
  while (!used.insert(name).second) name += 'x';
  return name;
}

StatusOr<CasadiMatrix> matrix_of(const LoadedValue& value, std::string name) {
  const Shape& shape = value.shape;
  if (!shape.is_array() || shape.element_type() != ElementType::kF64 || shape.rank() > 2)
    return invalid_argument(
        fmt::format("--abi casadi: '{}' is {}; wanted float64 of at most 2 dimensions", value.name, value.type));
  CasadiMatrix matrix{
      std::move(name), shape.rank() > 0 ? shape.dimension(0) : 1, shape.rank() > 1 ? shape.dimension(1) : 1, {}};
  for (int64_t column = 0; column < matrix.columns; ++column) {
    for (int64_t row = 0; row < matrix.rows; ++row) matrix.entries.emplace_back(row, column);
  }
  return matrix;
}

StatusOr<std::vector<CasadiMatrix>> matrices_of(const std::vector<LoadedValue>& values, std::string_view letter,
                                                std::set<std::string>& names) {
  std::vector<CasadiMatrix> matrices;
  for (const LoadedValue& value : values) {
    HILO_ASSIGN_OR_RETURN(matrices.emplace_back(),
                          matrix_of(value, casadi_name(value.name, letter, matrices.size(), names)));
  }
  return matrices;
}

int64_t count_of(const CasadiMatrix& matrix) { return std::ssize(matrix.entries); }

/// Return the array of a column-major vector, and the vector of an array.
Array array_of(const Array& vector, const Shape& shape) {
  if (shape.rank() < 2) return ops::reshape(vector, shape.dimensions());
  const int64_t turned[] = {shape.dimension(1), shape.dimension(0)};
  return ops::transpose(ops::reshape(vector, turned), {1, 0});
}
Array vector_of(const Array& array) {
  const int64_t count[] = {array.aval_shape().element_count()};
  return ops::reshape(array.ndim() < 2 ? array : ops::transpose(array, {1, 0}), count);
}

/// Cuts a vector into one for each size.
Arrays pieces_of(const Array& whole, std::span<const int64_t> sizes) {
  Arrays pieces;
  int64_t start = 0;
  for (const int64_t size : sizes) {
    pieces.push_back(ops::slice_along(whole, 0, {start, start + size, 1}));
    start += size;
  }
  return pieces;
}

/// The Jacobian's blocks, for each result all arguments, and the pattern of the whole in the order of the blocks.
struct Blocks {
  std::vector<CasadiMatrix> matrices;
  SparsityPattern pattern;
  std::vector<int64_t> counts;
};

/// Returns the entries of the pattern within a block, numbered from its first row and column.
Entries entries_within(const SparsityPattern& pattern, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  Entries entries;
  for (const auto& [r, c] : pattern.entries) {
    if (r >= row && r < row + rows && c >= column && c < column + columns) entries.emplace_back(r - row, c - column);
  }
  return entries;
}

Blocks blocks_of(const CasadiProgram& program, const CasadiFunction& derivative, const SparsityPattern& whole) {
  Blocks blocks{{}, {whole.rows, whole.columns, {}}, {}};
  const size_t read = program.avals.size(), own = program.function.arguments.size();
  int64_t row = 0;
  for (const CasadiMatrix& result : program.function.results) {
    int64_t column = 0;
    for (size_t k = 0; k < own; ++k) {
      const CasadiMatrix& argument = derivative.arguments[k];
      const int64_t columns = k < read ? count_of(argument) : 0;
      CasadiMatrix block{fmt::format("jac_{}_{}", result.name, argument.name),
                         result.rows * result.columns,
                         argument.rows * argument.columns,
                         {}};
      for (const auto& [r, c] : entries_within(whole, row, count_of(result), column, columns)) {
        const auto& [in_row, in_column] = result.entries[static_cast<size_t>(r)];
        block.entries.emplace_back(in_column * result.rows + in_row, c);
        blocks.pattern.entries.emplace_back(row + r, column + c);
      }
      blocks.counts.push_back(count_of(block));
      blocks.matrices.push_back(std::move(block));
      column += columns;
    }
    row += count_of(result);
  }
  return blocks;
}

}  // namespace

StatusOr<CasadiProgram> casadi_program(const std::string& name, FlatFunction program,
                                       const std::vector<LoadedValue>& inputs,
                                       const std::vector<LoadedValue>& outputs) {
  CasadiProgram out;
  out.function.name = name;
  std::set<std::string> names;
  HILO_ASSIGN_OR_RETURN(out.function.arguments, matrices_of(inputs, "i", names));
  HILO_ASSIGN_OR_RETURN(out.function.results, matrices_of(outputs, "o", names));
  for (const CasadiMatrix& argument : out.function.arguments)
    out.avals.push_back({Shape::array(ElementType::kF64, {count_of(argument)}), false});
  out.run = [program = std::move(program), inputs](std::span<const Array> vectors) {
    Arrays arrays;
    for (size_t k = 0; k < vectors.size(); ++k) arrays.push_back(array_of(vectors[k], inputs[k].shape));
    Arrays results = program(arrays);
    for (Array& result : results) result = vector_of(result);
    return results;
  };
  return out;
}

CasadiProgram casadi_jacobian(const CasadiProgram& program) {
  std::vector<int64_t> sizes;
  int64_t columns = 0;
  for (const Aval& aval : program.avals) {
    sizes.push_back(aval.shape.element_count());
    columns += sizes.back();
  }
  const FlatFunction whole = [run = program.run, sizes](std::span<const Array> x) {
    return Arrays{ops::concatenate(run(pieces_of(x[0], sizes)), 0)};
  };
  CasadiProgram out;
  out.avals = program.avals;
  out.function.name = "jac_" + program.function.name;
  out.function.arguments = program.function.arguments;
  for (const CasadiMatrix& result : program.function.results)
    out.function.arguments.push_back({"out_" + result.name, result.rows, result.columns, {}});
  Blocks blocks = blocks_of(program, out.function, jacobian_pattern(whole, columns));
  out.function.results = std::move(blocks.matrices);
  out.run = [whole, pattern = std::move(blocks.pattern), counts = std::move(blocks.counts)](std::span<const Array> x) {
    Array data = ops::full(Shape::array(ElementType::kF64, {0}), 0);
    if (!pattern.entries.empty()) {
      data = sparse_detail::jacobian(whole, ops::concatenate(x, 0), pattern, jacobian_detail::Mode::kCheapest, {}).data;
    }
    return pieces_of(data, counts);
  };
  return out;
}

}  // namespace hilo
