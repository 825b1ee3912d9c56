// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_columns.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "hilo/base/sizes.h"
#include "hilo/engine/element_moves.h"
#include "hilo/engine/region_ops.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::engine {
namespace {

constexpr int64_t kWide = 16, kManyRows = 64;
constexpr size_t kMaxNodes = 512;  // of the region with its columns written out

template <typename Visitor> void for_each_term(const RegionNode& node, const Visitor& visit) {
  for (const IndexTerm& t : node.index.terms) visit(t.node);
  for (const Guard& g : node.guards) {
    for (const IndexTerm& t : g.index.terms) visit(t.node);
  }
}

enum class Decision { kHolds, kFails, kOpen };

/// Writes out the last dimensions of a region. A column is a combination of their indices, in row-major order.
class ColumnWriter {
 public:
  ColumnWriter(const Region& region, size_t begin, bool fused)
      : region_(region),
        begin_(begin),
        fused_(fused),
        columns_(hlo::count_of(std::span(region.extents).subspan(begin))),
        row_(hlo::count_of(std::span(region.extents).subspan(region.row_begin))),
        needed_(region.nodes.size(), 0),
        places_(region.nodes.size()) {}

  std::optional<RegionColumns> write() {
    result_.region.extents.assign(region_.extents.begin(),
                                  region_.extents.begin() + static_cast<std::ptrdiff_t>(begin_));
    result_.region.row_begin = begin_;
    result_.region.inputs = region_.inputs;
    result_.region.root = region_.root;
    result_.region.updated = region_.updated;
    find_needed();
    for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
      places_[n].resize(static_cast<size_t>(columns_));
      for (int64_t c = 0; c < columns_; ++c) {
        if (needed_[n] >> c & 1) places_[n][c] = place(n, c);
      }
      if (result_.region.nodes.size() > kMaxNodes) return std::nullopt;
    }
    for (uint32_t k = 0; k < region_.outputs.size(); ++k) {
      const RegionOutput& o = region_.outputs[k];
      for (int64_t c = 0; c < columns_of(o); c += step_of(o)) {
        result_.region.outputs.push_back({o.value, at(o.node, c), resolved(o.index, c), o.type});
        result_.outputs.push_back(k);
      }
    }
    return std::move(result_);
  }

 private:
  bool is_reduction(uint32_t n) const {
    return region_.nodes[n].kind == NodeKind::kReduce || region_.nodes[n].kind == NodeKind::kReduceResult;
  }
  /// A reduction has one value for all columns of its row.
  int64_t column_of(uint32_t n, int64_t column) const { return is_reduction(n) ? column / row_ * row_ : column; }
  uint32_t at(uint32_t n, int64_t column) const { return places_[n][column_of(n, column)]; }

  /// Outputs that don't differ between columns are written once.
  int64_t columns_of(const RegionOutput& o) const { return o.index.coefficients.size() > begin_ ? columns_ : 1; }

  /// Results of reductions have one element for all columns of a row.
  int64_t step_of(const RegionOutput& o) const { return o.index.coefficients.size() > region_.row_begin ? 1 : row_; }

  /// Returns the expression at the column, with terms of this region.
  IndexExpr at_column(const IndexExpr& e, int64_t column) const {
    return at_indices(e, begin_, indices_of(std::span(region_.extents).subspan(begin_), column));
  }

  IndexExpr resolved(const IndexExpr& e, int64_t column) const {
    IndexExpr index = at_column(e, column);
    for (IndexTerm& t : index.terms) t.node = at(t.node, column);
    return index;
  }

  Decision decide(const RegionNode& node, int64_t column) const {
    Decision all = Decision::kHolds;
    for (const Guard& g : node.guards) {
      const IndexExpr index = at_column(g.index, column);
      if (!index.coefficients.empty() || !index.terms.empty()) all = Decision::kOpen;
      else if (index.constant < g.low || index.constant >= g.high) return Decision::kFails;
    }
    return all;
  }

  static uint32_t chosen(const RegionNode& node, Decision decision) {
    return node.operands[decision == Decision::kFails && node.operands.size() > 1 ? 1 : 0];
  }

  void need(uint32_t n, int64_t column) { needed_[n] |= uint64_t{1} << column_of(n, column); }

  /// Finds the columns at which each node is read, from the outputs on.
  void find_needed() {
    for (const RegionOutput& o : region_.outputs) {
      for (int64_t c = 0; c < columns_of(o); c += step_of(o)) {
        need(o.node, c);
        for (const IndexTerm& t : o.index.terms) need(t.node, c);
      }
    }
    for (uint32_t n = size32(region_.nodes); n-- > 0;) {
      for (int64_t c = 0; c < columns_; ++c) {
        if (needed_[n] >> c & 1) need_operands(region_.nodes[n], c);
      }
    }
  }

  void need_operands(const RegionNode& node, int64_t column) {
    const Decision decision = decide(node, column);
    if (node.kind == NodeKind::kLoad && decision == Decision::kFails) return;
    for_each_term(node, [&](uint32_t t) { need(t, column); });
    if (node.kind == NodeKind::kGuarded && decision != Decision::kOpen) return need(chosen(node, decision), column);
    const int64_t end = column + (node.kind == NodeKind::kReduce ? row_ : 1);
    for (int64_t c = column; c < end; ++c) {
      for (uint32_t o : node.operands) need(o, c);
    }
  }

  /// Returns the number of the node at this column.
  uint32_t place(uint32_t n, int64_t column) {
    const RegionNode& from = region_.nodes[n];
    const Decision decision = decide(from, column);
    if (from.kind == NodeKind::kGuarded && decision != Decision::kOpen) return at(chosen(from, decision), column);
    if (from.kind == NodeKind::kLoad && decision == Decision::kFails)
      return add({.kind = NodeKind::kConstant, .type = from.type});
    if (from.kind == NodeKind::kReduce) return reduce(n, column);
    if (from.kind == NodeKind::kReduceResult) return reduced_[{from.operands[0], column_of(n, column)}][from.result];
    RegionNode node = from;
    node.index = resolved(from.index, column);
    node.guards.clear();
    for (const Guard& g : from.guards) {
      const IndexExpr index = resolved(g.index, column);
      if (!index.coefficients.empty() || !index.terms.empty()) node.guards.push_back({index, g.low, g.high});
    }
    for (uint32_t& o : node.operands) o = at(o, column);
    return add(std::move(node));
  }

  /// Applies the reducer to the elements of a row in order. Returns any node: results have their own.
  uint32_t reduce(uint32_t n, int64_t column) {
    const RegionNode& from = region_.nodes[n];
    if (from.is_dot) return sum_of_products(n, column);
    std::vector<uint32_t> results;
    for (uint32_t k = 0; k < from.count; ++k) results.push_back(at(from.initial(k), column));
    for (int64_t c = column; c < column + row_; ++c) {
      std::vector<uint32_t> arguments = results;
      for (uint32_t k = 0; k < from.count; ++k) arguments.push_back(at(from.operands[k], c));
      results = apply(*from.body, arguments);
    }
    reduced_[{n, column}] = results;
    return results[0];
  }

  uint32_t sum_of_products(uint32_t n, int64_t column) {
    const RegionNode& from = region_.nodes[n];
    const bool fused = fused_ && is_floating(from.type);
    uint32_t sum = at(from.initial(0), column);
    for (int64_t c = column; c < column + row_; ++c) {
      const uint32_t x = at(from.operands[0], c), y = at(from.operands[1], c);
      if (fused) {
        sum = apply(body_of(hlo::kExtFma, from.type), std::array{x, y, sum})[0];
      } else {
        const uint32_t product = apply(body_of(hlo::Opcode::kMultiply, from.type), std::array{x, y})[0];
        sum = apply(body_of(hlo::Opcode::kAdd, from.type), std::array{sum, product})[0];
      }
    }
    reduced_[{n, column}] = {sum};
    return sum;
  }

  const hlo::Computation& body_of(hlo::Opcode opcode, ElementType type) {
    for (const hlo::ComputationPtr& body : result_.bodies) {
      if (body->root().opcode == opcode && body->root().shape.element_type() == type) return *body;
    }
    result_.bodies.push_back(opcode == hlo::kExtFma ? fma_of(type) : *hlo::scalar_binary_computation(opcode, type));
    return *result_.bodies.back();
  }

  static hlo::ComputationPtr fma_of(ElementType type) {
    const Shape scalar = Shape::scalar(type);
    hlo::Builder b("fma");
    const hlo::InstructionId x = b.parameter(scalar), y = b.parameter(scalar), z = b.parameter(scalar);
    return *std::move(b).build(*b.add(hlo::kExtFma, {x, y, z}));
  }

  std::vector<uint32_t> apply(const hlo::Computation& body, std::span<const uint32_t> arguments) {
    std::vector<uint32_t> nodes;
    for (const hlo::Instruction& i : body.instructions()) {
      if (i.opcode == hlo::Opcode::kTuple && i.id == body.root_id()) break;
      RegionNode node{.kind = NodeKind::kOp, .type = i.shape.element_type(), .instruction = &i};
      for (hlo::InstructionId o : i.operands) node.operands.push_back(nodes[o]);
      if (i.opcode == hlo::Opcode::kConstant)
        node = {.kind = NodeKind::kConstant,
                .type = node.type,
                .bits = *splat_bits(hlo::attributes_of<hlo::ConstantAttributes>(i).value)};
      nodes.push_back(i.opcode == hlo::Opcode::kParameter
                          ? arguments[hlo::attributes_of<hlo::ParameterAttributes>(i).number]
                          : add(std::move(node)));
    }
    const hlo::Instruction& root = body.instruction(body.root_id());
    if (root.opcode != hlo::Opcode::kTuple) return {nodes[root.id]};
    std::vector<uint32_t> results;
    for (hlo::InstructionId o : root.operands) results.push_back(nodes[o]);
    return results;
  }

  /// Returns the number of an equal node, or adds it.
  uint32_t add(RegionNode node) {
    std::vector<RegionNode>& nodes = result_.region.nodes;
    std::vector<uint32_t>& alike = known_[{node.kind, node.index.constant, node.operands}];
    for (uint32_t k : alike) {
      if (is_same(nodes[k], node)) return k;
    }
    alike.push_back(size32(nodes));
    nodes.push_back(std::move(node));
    return alike.back();
  }

  static bool is_same(const RegionNode& a, const RegionNode& b) {
    return a.type == b.type && a.instruction == b.instruction && a.index == b.index && a.guards == b.guards &&
           a.input == b.input && a.bits == b.bits && a.limit == b.limit;
  }

  const Region& region_;
  const size_t begin_;
  const bool fused_;
  const int64_t columns_, row_;  ///< number of columns in all, and of those that a reduction reduces
  RegionColumns result_;
  std::vector<uint64_t> needed_;                                           ///< per node: a bit per column
  std::vector<std::vector<uint32_t>> places_;                              ///< per node and column
  std::map<std::pair<uint32_t, int64_t>, std::vector<uint32_t>> reduced_;  ///< by node and column
  std::map<std::tuple<NodeKind, int64_t, std::vector<uint32_t>>, std::vector<uint32_t>> known_;
};

/// Whether a dot is multiplications and additions in the type of its operands. Complex ones are rounded otherwise.
bool is_plain_dot(const Region& region, const RegionNode& reduce) {
  const auto has_its_type = [&](uint32_t n) { return region.nodes[n].type == reduce.type; };
  return reduce.is_dot && element_type_info(reduce.type).bits >= 32 && !is_complex(reduce.type) &&
         has_its_type(reduce.operands[0]) && has_its_type(reduce.operands[1]);
}

/// Whether all reductions can be written out. The code of dots of few rows would be longer than their loop.
bool has_plain_reductions(const Region& region, size_t begin) {
  const bool has_many_rows = hlo::count_of(std::span(region.extents).first(begin)) >= kManyRows;
  return std::ranges::all_of(region.nodes, [&](const RegionNode& n) {
    return n.kind != NodeKind::kReduce || is_plain_reduction(n) || (has_many_rows && is_plain_dot(region, n));
  });
}

/// Whether outputs along the columns fill whole rows, and others don't differ between columns.
bool fill_rows(const Region& region, size_t begin) {
  return std::ranges::all_of(region.outputs, [&](const RegionOutput& o) {
    if (o.index.coefficients.size() <= begin) return true;
    const size_t end = o.index.coefficients.size() > region.row_begin ? region.extents.size() : region.row_begin;
    int64_t step = o.index.coefficient(end - 1);
    if (step != 1) return false;
    for (size_t k = end; k-- > begin; step *= region.extents[k]) {
      if (o.index.coefficient(k) != step) return false;
    }
    return begin > 0 && o.index.coefficient(begin - 1) == step;
  });
}

/// Whether no index has a term that differs between indices of the region.
bool has_fixed_terms(const Region& region) {
  std::vector<bool> varies;
  for (const RegionNode& n : region.nodes) {
    bool here = !n.index.coefficients.empty() || n.kind == NodeKind::kReduce;
    for (const Guard& g : n.guards) here = here || !g.index.coefficients.empty();
    for (uint32_t o : n.operands) here = here || varies[o];
    bool jumps = false;
    for_each_term(n, [&](uint32_t t) { jumps = jumps || varies[t]; });
    if (jumps) return false;
    varies.push_back(here);
  }
  return true;
}

}  // namespace

bool is_plain_reduction(const RegionNode& reduce) {
  const int bits = element_type_info(reduce.type).bits;
  if (reduce.is_dot || (is_floating(reduce.type) && bits < 32) || reduce.type == ElementType::kC128) return false;
  return !is_floating(reduce.type) || bits > 32 || reducer_of(reduce) != hlo::ReducerKind::kMultiply;
}

size_t first_column(std::span<const int64_t> extents) {
  int64_t columns = 1, rows = 1;
  size_t begin = extents.size();
  for (; begin > 0 && (columns == 1 || extents[begin - 1] < kWide); --begin) columns *= extents[begin - 1];
  for (size_t k = 0; k < begin; ++k) rows *= extents[k];
  return columns >= 2 && columns <= kMaxColumns && rows >= kManyRows ? begin : extents.size();
}

bool may_write_columns(const Region& region) {
  const size_t begin = first_column(region.extents);
  return begin < region.extents.size() && begin <= region.row_begin && has_plain_reductions(region, begin);
}

std::optional<RegionColumns> write_columns(const Region& region, size_t begin, bool fused) {
  if (begin == 0 || begin >= region.extents.size() || begin > region.row_begin) return std::nullopt;
  int64_t columns = 1;
  for (size_t k = begin; k < region.extents.size(); ++k) {
    if (region.extents[k] < 1 || region.extents[k] > kMaxColumns / columns) return std::nullopt;
    columns *= region.extents[k];
  }
  if (columns < 2) return std::nullopt;
  if (!has_plain_reductions(region, begin) || !fill_rows(region, begin) || !has_fixed_terms(region))
    return std::nullopt;
  return ColumnWriter(region, begin, fused).write();
}

}  // namespace hilo::engine
