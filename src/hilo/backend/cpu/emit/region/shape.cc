// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/facts.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "hilo/backend/cpu/emit/region/node_traits.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kMaxInStrip = 256;  // nodes times registers of a wide strip
constexpr int kReduceUnroll = 4;      // independent accumulators hide the latency of an add

/// Functions of f32 that compute in f64 already use two registers in parallel, and many constants.
bool is_computed_in_doubles(const RegionNode& n) {
  if (n.kind != NodeKind::kOp || n.type == ElementType::kF64) return false;
  switch (n.instruction->opcode) {  // NOLINT: all other ops are computed in their own type
    case hlo::Opcode::kAcos:
    case hlo::Opcode::kAcosh:
    case hlo::Opcode::kAsin:
    case hlo::Opcode::kAsinh:
    case hlo::Opcode::kAtan:
    case hlo::Opcode::kAtan2:
    case hlo::Opcode::kAtanh:
    case hlo::Opcode::kCbrt:
    case hlo::Opcode::kCos:
    case hlo::Opcode::kCosh:
    case hlo::Opcode::kPower:
    case hlo::Opcode::kSin:
    case hlo::Opcode::kSinh:
    case hlo::Opcode::kTan: return true;
    default: return false;
  }
}

/// Returns the cycles of the longest chain of nodes, each of which waits for the one before.
int64_t longest_chain(const Region& region) {
  constexpr int64_t kFloat = 4, kInteger = 1, kDivision = 13;
  std::vector<int64_t> cycles;
  for (const RegionNode& n : region.nodes) {
    int64_t before = 0;
    for (uint32_t o : n.operands) before = std::max(before, cycles[o]);
    const bool is_op = n.kind == NodeKind::kOp;
    const int64_t own = !is_op ? 0 : is_expensive(n) ? kDivision : is_floating(n.type) ? kFloat : kInteger;
    cycles.push_back(before + own);
  }
  return cycles.empty() ? 0 : *std::ranges::max_element(cycles);
}

/// Returns the greatest number of values that are needed at once, in the order of the nodes. Constants are operands in
/// memory.
int64_t most_live(const Region& region) {
  std::vector<size_t> last(region.nodes.size(), 0);
  for (size_t k = 0; k < region.nodes.size(); ++k) {
    for (uint32_t o : region.nodes[k].operands) last[o] = k;
  }
  std::vector<int64_t> ending(region.nodes.size(), 0);
  int64_t live = 0, most = 1;
  for (size_t k = 0; k < region.nodes.size(); ++k) {
    live -= ending[k];
    if (region.nodes[k].kind == NodeKind::kConstant || last[k] <= k) continue;
    ++live;
    ++ending[last[k]];
    most = std::max(most, live);
  }
  return most;
}

/// Returns the number of registers per vector that hide the waiting of long chains: the processor looks ahead by about
/// a hundred instructions, of which it starts two in a cycle. So independent chains must be adjacent in the code.
int registers_of_chain(const Region& region, Isa isa) {
  constexpr int64_t kAhead = 96, kPerCycle = 2, kMost = 4;
  const int64_t wanted = longest_chain(region) * kPerCycle / std::max<int64_t>(std::ssize(region.nodes), kAhead);
  const int64_t fitting = (has_32_registers(isa) ? 31 : 15) / most_live(region);
  return static_cast<int>(
      std::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(std::min(wanted, fitting), 1, kMost))));
}

/// Returns the number of registers per vector if something is expensive. A function is one long chain of instructions.
/// A region with many functions needs no more registers.
int registers_of_expensive(const Region& region, Isa isa) {
  constexpr int64_t kFew = 8, kMany = 24;
  const int64_t count = std::ranges::count_if(region.nodes, is_expensive);
  if (std::ranges::any_of(region.nodes, is_computed_in_doubles)) return 1;
  // Divisions and roots are single instructions. A region of many nodes already has independent ones.
  constexpr size_t kMaxShort = 48;
  if (region.nodes.size() > kMaxShort && std::ranges::none_of(region.nodes, is_function))
    return registers_of_chain(region, isa);
  return count <= kFew ? 4 : count <= kMany ? 2 : 1;
}

/// Whether each node's value depends on the index of dimension k.
std::vector<bool> varies_along(const Region& region, size_t k) {
  std::vector<bool> varies;
  for (const RegionNode& n : region.nodes) {
    bool here = n.index.coefficient(k) != 0;
    for (uint32_t o : n.operands) here |= varies[o];
    for_each_term(n, [&](uint32_t t) { here = here || varies[t]; });
    varies.push_back(here);
  }
  return varies;
}

/// Returns the number of loads whose elements along dimension k aren't neighbours: strided ones and gathers.
int64_t jumps_along(const Region& region, size_t k) {
  const std::vector<bool> varies = varies_along(region, k);
  return std::ranges::count_if(region.nodes, [&](const RegionNode& n) {
    if (n.kind != NodeKind::kLoad) return false;
    const int64_t stride = n.index.coefficient(k);
    return (stride != 0 && stride != 1) ||
           std::ranges::any_of(n.index.terms, [&](const IndexTerm& term) { return varies[term.node]; });
  });
}

/// Whether rows are so short that a vector across them does more work than one along them. Each of its elements is a
/// separate load. Sums of few elements are equally fast along them.
bool spans_short_rows(const Region& region) {
  constexpr int64_t kMinRows = 64;
  if (!region.has_row() || region.row_begin == 0 || region.extents[region.row_begin - 1] < kMinRows) return false;
  int64_t count = 1;
  for (size_t k = region.row_begin; k < region.extents.size(); ++k) count *= region.extents[k];
  if (count < 2 || count > kMaxShortRow) return false;
  bool pays_off = false;
  for (const RegionNode& n : region.nodes) {
    if (!n.guards.empty() || !n.index.terms.empty() || n.is_dot) return false;
    pays_off |= is_expensive(n) || (n.kind == NodeKind::kReduce && reducer_of(n) != hlo::ReducerKind::kAdd);
  }
  return pays_off;
}

/// Whether its rows do nothing except sum a few products of floats.
bool sums_few_products(const Region& region) {
  if (!region.has_row()) return false;
  const auto count = [](auto begin, auto end) { return std::accumulate(begin, end, int64_t{1}, std::multiplies<>()); };
  const auto row = region.extents.begin() + region.row_begin;
  const bool alone = count(region.extents.begin(), row) == 1;
  return count(row, region.extents.end()) <= (alone ? kMaxShortDot : kMaxShortDotOfRow) &&
         std::ranges::all_of(region.nodes, [](const RegionNode& n) {
           return n.kind != NodeKind::kReduce || (n.is_dot && (is_floating(n.type) || is_complex(n.type)));
         });
}

/// Returns the rows per block: as many as fit in registers. Avoids a remainder if that costs less than half of them.
int block_rows_of(int64_t extent, int vectors, Isa isa) {
  const int most = std::min((has_32_registers(isa) ? 24 : 12) / vectors, 8);
  if (extent <= most) return static_cast<int>(std::max<int64_t>(extent, 1));
  for (int rows = most; rows > most / 2; --rows) {
    if (extent % rows == 0) return rows;
  }
  return most;
}

/// Returns the dimension along which a map writes contiguous memory; the last one unless another is better.
size_t written_dimension(const Region& region) {
  size_t best = region.extents.size() - 1;
  int best_votes = -1;
  for (size_t k = region.extents.size(); k-- > 0;) {
    int votes = 0;
    for (const RegionOutput& o : region.outputs) votes += o.index.coefficient(k) == 1 && region.extents[k] > 1 ? 1 : 0;
    if (votes <= best_votes) continue;
    best_votes = votes;
    best = k;
  }
  return best;
}

/// Properties of a region that determine its vectors.
struct Contents {
  int widest = 1;  ///< bytes of the widest element in a register
  size_t accumulators = 0;
  bool expensive = false, expensive_in_row = false, function = false, function_in_row = false, generic = false;
};

Contents contents_of(const Region& region, Isa isa) {
  Contents has;
  std::vector<bool> in_row;
  for (const RegionNode& n : region.nodes) {
    if (n.kind == NodeKind::kReduce) {
      has.generic |= reducer_of(n) == hlo::ReducerKind::kGeneric;
      has.accumulators += accumulator_count(n, isa);
      if (is_wide_product(n)) has.widest = std::max(has.widest, register_bytes(ElementType::kF64));
    } else if (n.kind != NodeKind::kClampedIndex) has.widest = std::max(has.widest, register_bytes(n.type));
    bool here = n.kind != NodeKind::kReduceResult && n.index.coefficients.size() > region.row_begin;
    for (uint32_t o : n.operands) here |= in_row[o] && n.kind != NodeKind::kReduceResult;
    in_row.push_back(here);
    has.expensive |= is_expensive(n);
    has.expensive_in_row |= is_expensive(n) && here;
    has.function |= is_function(n);
    has.function_in_row |= is_function(n) && here;
  }
  return has;
}

/// Inputs for the number of lanes, starting with `natural` lanes, which fill one register.
struct Choice {
  const Region& region;
  Isa isa;
  Contents has;
  int natural;
  int64_t extent;  ///< of the vectors' dimension

  bool wastes(int lanes) const { return (extent + lanes - 1) / lanes * lanes - extent > extent / 8; }
};

/// The sums of a block stay in registers, next to one vector row of the shared operand.
int lanes_of_product(const Choice& c) {
  int lanes = c.natural * (c.isa == Isa::kAvx512 ? 4 : 2);
  while (lanes > c.natural && (lanes > c.extent || c.wastes(lanes))) lanes /= 2;
  return lanes;
}

/// Memory is read in ranges that the hardware prefetcher follows, and many sums are computed in parallel. Code after
/// the sums is repeated for each register, so the widest strips need cheap code. Accumulators stay in registers.
int lanes_of_strip(const Choice& c) {
  const int registers = c.isa == Isa::kAvx512 ? 24 : 12, most = c.isa == Isa::kAvx512 ? 16 : 8;
  int lanes = c.natural * (c.has.function ? kReduceUnroll : most);
  while (lanes / c.natural > 1 && c.has.accumulators > 1 &&
         lanes / c.natural * static_cast<int>(c.has.accumulators) > registers)
    lanes /= 2;
  const auto is_long = [&] { return weighted_nodes(c.region) * (lanes / c.natural) > kMaxInStrip; };
  while (lanes > c.natural && (lanes > c.extent || c.wastes(lanes) || is_long())) lanes /= 2;
  return lanes;
}

int lanes_of_line(const Choice& c, bool column) {
  int lanes = c.natural;
  const bool has_row = c.region.has_row();
  if (has_row && !c.has.expensive_in_row && !(column && c.has.expensive) && c.region.nodes.size() < 24) {
    lanes *= kReduceUnroll;
  } else {
    if (has_row ? c.has.expensive_in_row : c.has.expensive) lanes *= registers_of_expensive(c.region, c.isa);
    else if (!has_row) lanes *= registers_of_chain(c.region, c.isa);
    while (lanes > c.natural && c.wastes(lanes)) lanes /= 2;
  }
  return std::min(lanes, 64);
}

}  // namespace

bool prefers_column(const Region& region) {
  if (!region.has_row() || region.row_begin == 0) return false;
  const size_t outer = region.row_begin - 1, row = region.extents.size() - 1;
  const int64_t jumps_outer = jumps_along(region, outer), jumps_row = jumps_along(region, row);
  if (jumps_outer != jumps_row) return jumps_outer < jumps_row;
  const auto steps_along = [&](size_t k) {
    return std::ranges::count_if(
        region.nodes, [&](const RegionNode& n) { return n.kind == NodeKind::kLoad && n.index.coefficient(k) == 1; });
  };
  return steps_along(outer) > steps_along(row);
}

bool is_matrix_product(const Region& region) {
  if (region.row_begin < 2) return false;
  const size_t rows = block_dimension(region), columns = region.row_begin - 1;
  int reductions = 0;
  bool shares = false;
  for (const RegionNode& n : region.nodes) {
    if (n.kind == NodeKind::kReduce) {
      ++reductions;
      if (!n.is_dot) return false;
    }
    const bool in_row = n.index.coefficients.size() > region.row_begin;
    shares |=
        n.kind == NodeKind::kLoad && in_row && n.index.coefficient(columns) == 1 && n.index.coefficient(rows) == 0;
  }
  for (const RegionOutput& o : region.outputs) {
    if (o.index.coefficients.size() > region.row_begin) return false;
  }
  return reductions == 1 && shares;
}

RegionShape shape_of_rows(const Region& region, Isa isa) {
  RegionShape shape;
  if (region.extents.empty()) return shape;
  const bool is_column = prefers_column(region), across = !is_column && spans_short_rows(region);
  const bool column = is_column || across;
  shape.vector_dimension = column             ? region.row_begin - 1
                           : region.has_row() ? region.extents.size() - 1
                                              : written_dimension(region);
  const Contents has = contents_of(region, isa);
  const int natural = vector_bytes(isa) / has.widest;
  if (const std::optional<RegionShape> folded = folded_shape(region, natural)) return *folded;
  const int64_t extent = region.extents[shape.vector_dimension];
  const Choice choice{region, isa, has, natural, extent};
  const bool product = column && is_matrix_product(region);
  int lanes = natural;  // one register across short rows: each element is an instruction
  if (!across && product) lanes = lanes_of_product(choice);
  else if (!across && column && !has.function_in_row && region.nodes.size() < 16) lanes = lanes_of_strip(choice);
  else if (!across) lanes = lanes_of_line(choice, column);
  while (lanes > 1 && lanes > extent) lanes /= 2;
  if (has.generic && region.has_row() && !column) lanes = 1;  // an unknown reducer has no neutral element
  if (!column && !has.expensive_in_row && sums_few_products(region)) lanes = 1;
  shape.lanes = lanes;
  shape.step = lanes;
  shape.overlaps = extent % lanes != 0 || !cuts_of(region, shape.vector_dimension)[shape.vector_dimension].empty();
  if (product) {
    const int64_t rows = region.extents[block_dimension(region)];
    shape.block_rows = block_rows_of(rows, std::max(lanes / natural, 1), isa);
    shape.overlaps |= rows % shape.block_rows != 0;
  }
  return shape;
}

RegionShape shape_of_columns(const Region& region, Isa isa) {
  RegionShape shape;
  shape.vector_dimension = region.extents.size() - 1;
  const int64_t extent = region.extents[shape.vector_dimension];
  shape.lanes = vector_bytes(isa) / contents_of(region, isa).widest;  // columns are independent chains already
  while (shape.lanes > extent) shape.lanes /= 2;
  shape.step = shape.lanes;
  shape.overlaps =
      extent % shape.lanes != 0 || !cuts_of(region, shape.vector_dimension)[shape.vector_dimension].empty();
  return shape;
}

RegionShape shape_of_region(const Region& region, Isa isa) {
  const std::optional<engine::RegionColumns> columns = columns_of(region, isa);
  return columns ? shape_of_columns(columns->region, isa) : shape_of_rows(region, isa);
}

int64_t instructions_of(const RegionNode& node) {
  constexpr int64_t kOfFunction = 16;
  return is_expensive(node) ? kOfFunction : 1;
}

int64_t code_length(const Region& whole, Isa isa) {
  const std::optional<engine::RegionColumns> columns = columns_of(whole, isa);
  const Region& region = columns ? columns->region : whole;
  const int64_t lanes = columns ? shape_of_columns(region, isa).lanes : shape_of_rows(region, isa).lanes;
  const int64_t vector = vector_bytes(isa);
  int64_t length = 0;
  for (const RegionNode& n : region.nodes)
    length += instructions_of(n) * std::max<int64_t>(register_bytes(n.type) * lanes / vector, 1);
  return length;
}

}  // namespace hilo::cpu
