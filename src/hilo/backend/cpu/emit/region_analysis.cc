// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region_analysis.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace hilo::cpu {
namespace {

constexpr int64_t kMaxTileBytes = 32 << 10;  // what a row may keep on the stack: it has to stay in the L1 cache
constexpr int64_t kMostInStrip = 256;        // nodes times registers of a wide strip
constexpr int kReduceUnroll = 4;             // independent accumulators hide the latency of an add
constexpr int64_t kMostTurnsInOrder = 16;    // of a sum in a register of lanes; longer ones are joined from stretches
// Dots of so few products are summed in order, as in XLA: one alone, and those of rows. Joining lanes costs as much.
constexpr int64_t kShortDot = 32, kShortDotOfRow = 8;

uint64_t dimensions_of(const IndexExpr& e, const std::vector<NodeFacts>& facts) {
  uint64_t mask = 0;
  for (size_t k = 0; k < e.coefficients.size(); ++k) {
    if (e.coefficients[k] != 0) mask |= uint64_t{1} << k;
  }
  for (const IndexTerm& t : e.terms) mask |= facts[t.node].dimensions;
  return mask;
}

int stage_of(const IndexExpr& e, const std::vector<NodeFacts>& facts) {
  int stage = 0;
  for (const IndexTerm& t : e.terms) stage = std::max(stage, facts[t.node].stage);
  return stage;
}

int register_bytes(ElementType type) {
  if (is_floating(type) && element_type_info(type).bits < 32) return 4;
  return element_size_bytes(type);
}

bool is_expensive(const RegionNode& n) {
  if (n.kind != NodeKind::kOp) return false;
  const hlo::CostClass cost = n.instruction->def().cost;
  return cost == hlo::CostClass::kExpensive || cost == hlo::CostClass::kTranscendental;
}

/// Functions of f32 that go through f64 have two registers side by side already, and many constants.
bool is_computed_in_doubles(const RegionNode& n) {
  if (n.kind != NodeKind::kOp || n.type == ElementType::kF64) return false;
  switch (n.instruction->opcode) {  // NOLINT: all others are computed in their own type
    case hlo::Opcode::kAtan2:
    case hlo::Opcode::kCbrt:
    case hlo::Opcode::kCos:
    case hlo::Opcode::kPower:
    case hlo::Opcode::kSin:
    case hlo::Opcode::kTan: return true;
    default: return false;
  }
}

/// Registers of a vector where something is expensive. A function is one long chain of operations and the processor looks ahead by
/// about a hundred, so what goes on side by side must stand side by side. A region with many functions has code enough.
int registers_of_expensive(const Region& region) {
  constexpr int64_t kFew = 8, kMany = 24;
  const int64_t count = std::ranges::count_if(region.nodes, is_expensive);
  if (std::ranges::any_of(region.nodes, is_computed_in_doubles)) return 1;
  return count <= kFew ? 4 : count <= kMany ? 2 : 1;
}

/// Are vectors across the rows better than along them? What matters is how many loads would have to jump through memory.
bool prefers_column(const Region& region) {
  if (!region.has_row() || region.row_begin == 0) return false;
  const size_t outer = region.row_begin - 1, row = region.extents.size() - 1;
  int64_t jumps_outer = 0, jumps_row = 0, steps_outer = 0, steps_row = 0;
  for (const RegionNode& n : region.nodes) {
    if (n.kind != NodeKind::kLoad) continue;
    const int64_t along_outer = n.index.coefficient(outer), along_row = n.index.coefficient(row);
    jumps_outer += along_outer != 0 && along_outer != 1;
    jumps_row += along_row != 0 && along_row != 1;
    steps_outer += along_outer == 1;
    steps_row += along_row == 1;
  }
  if (jumps_outer != jumps_row) return jumps_outer < jumps_row;
  return steps_outer > steps_row;
}

/// Are rows so short that a vector across them does more than one along them, though each of its elements is loaded by itself? Sums
/// of few elements are as fast along them.
bool spans_short_rows(const Region& region) {
  constexpr int64_t kFewestRows = 64;
  if (!region.has_row() || region.row_begin == 0 || region.extents[region.row_begin - 1] < kFewestRows) return false;
  int64_t count = 1;
  for (size_t k = region.row_begin; k < region.extents.size(); ++k) count *= region.extents[k];
  if (count < 2 || count > kLongestShortRow) return false;
  bool is_worth = false;
  for (const RegionNode& n : region.nodes) {
    if (!n.guards.empty() || !n.index.terms.empty() || n.is_dot) return false;
    is_worth |= is_expensive(n) || (n.kind == NodeKind::kReduce && reducer_of(n) != hlo::ReducerKind::kAdd);
  }
  return is_worth;
}

/// Is it a matrix product (and what hangs on it) in columns, some operand of which is the same for all rows?
bool is_matrix_product(const Region& region) {
  if (region.row_begin < 2) return false;
  const size_t rows = region.row_begin - 2, columns = region.row_begin - 1;
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

/// Is all that its rows do to sum a few products of floats?
bool sums_few_products(const Region& region) {
  if (!region.has_row()) return false;
  const auto count = [](auto begin, auto end) { return std::accumulate(begin, end, int64_t{1}, std::multiplies<>()); };
  const auto row = region.extents.begin() + static_cast<std::ptrdiff_t>(region.row_begin);
  const bool alone = count(region.extents.begin(), row) == 1;
  return count(row, region.extents.end()) <= (alone ? kShortDot : kShortDotOfRow) &&
         std::ranges::all_of(region.nodes, [](const RegionNode& n) {
           return n.kind != NodeKind::kReduce || (n.is_dot && (is_floating(n.type) || is_complex(n.type)));
         });
}

/// Rows per block: as many as registers hold, and no remainder if that costs less than half of them.
int block_rows_of(int64_t extent, int vectors, Isa isa) {
  const int most = std::min((isa == Isa::kAvx512 ? 24 : 12) / vectors, 8);
  if (extent <= most) return static_cast<int>(std::max<int64_t>(extent, 1));
  for (int rows = most; rows > most / 2; --rows) {
    if (extent % rows == 0) return rows;
  }
  return most;
}

/// The dimension along which a map writes contiguous memory; the last one unless another is better.
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

/// The row's innermost dimension at which the turns become too many, in stretches as equal as they can be. The cut hangs on
/// the shapes alone, so the same sum has the same bits on any number of threads.
std::optional<RowStretches> stretches_of(const Region& region, const RegionShape& shape) {
  if (std::ranges::find(region.extents, 0) != region.extents.end()) return std::nullopt;
  const int64_t in_order = std::max(kMostTurnsInOrder, kShortDot / shape.lanes);
  int64_t inside = 1;  // turns of the loops further in
  for (size_t k = region.extents.size(); k-- > region.row_begin;) {
    const int64_t step = k == shape.vector_dimension ? shape.lanes : 1;
    const int64_t turns = (region.extents[k] + step - 1) / step;
    if (turns * inside <= in_order) {
      inside *= turns;
      continue;
    }
    const int64_t most = std::max<int64_t>(in_order / inside, 1);
    int64_t count = (turns + most - 1) / most;
    const int64_t length = (turns + count - 1) / count;
    count = (turns + length - 1) / length;
    for (size_t outer = region.row_begin; outer < k; ++outer) count *= region.extents[outer];
    return RowStretches{k, length, count};
  }
  return std::nullopt;
}

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// Per dimension, where its guards begin or cease to hold; first along the vectors' dimension, where a guard costs most, then
/// from the inside out, as long as the code doesn't become too long.
std::vector<std::vector<int64_t>> cuts_of(const Region& region, size_t vector_dimension) {
  constexpr size_t kMostCuts = 6, kMostNodes = 512;
  std::vector<std::vector<int64_t>> cuts(region.extents.size());
  if (region.has_row()) return cuts;
  for (const RegionNode& n : region.nodes) {
    for (const Guard& g : n.guards) {
      const std::optional<GuardRange> range = range_of(g, region.extents);
      if (!range) continue;
      for (int64_t at : {range->first, range->end}) {
        if (at > 0 && at < region.extents[range->dimension]) cuts[range->dimension].push_back(at);
      }
    }
  }
  size_t nodes = region.nodes.size();
  const auto accept = [&](std::vector<int64_t>& here) {
    std::ranges::sort(here);
    here.erase(std::ranges::unique(here).begin(), here.end());
    const size_t longer = nodes * (here.size() + 1);
    if (here.size() > kMostCuts || longer > kMostNodes) here.clear();
    else nodes = longer;
  };
  accept(cuts[vector_dimension]);
  for (size_t k = region.extents.size(); k-- > 0;) {
    if (k != vector_dimension) accept(cuts[k]);
  }
  return cuts;
}

/// How many indices of the dimension before the last fill whole vectors of `lanes`, if the last one is narrow; 0 if vectors had
/// better not run along both. Where a vector finds its elements must be known here, and be near: of f32[n,6] made from f32[n,4]
/// by padding, 3 vectors of 16 lanes are 8 rows. If there are fewer rows, all of them: of f32[n,4,5] 3 vectors of 8 lanes are 4 rows,
/// the last of which begins in the one before. Rows of half a vector are worth it where a function is computed.
int64_t folded_rows(const Region& region, int lanes) {
  constexpr int64_t kMostVectors = 8, kMostNodes = 256;
  const size_t rank = region.extents.size();
  if (region.has_row() || rank < 2 || region.updated != kNoValue) return 0;
  const int64_t narrow = region.extents[rank - 1];
  const bool halves = std::has_single_bit(static_cast<uint64_t>(narrow)) && 2 * narrow >= lanes;
  if (narrow < 2 || narrow >= lanes || (halves && std::ranges::none_of(region.nodes, is_expensive))) return 0;
  const int64_t whole = lanes / std::gcd(narrow, int64_t{lanes}), there_are = region.extents[rank - 2];
  if (whole > there_are && (rank < 3 || there_are * narrow < lanes)) return 0;
  const int64_t rows = std::min(whole, there_are), vectors = (rows * narrow + lanes - 1) / lanes;
  if (vectors > kMostVectors) return 0;
  if (vectors * static_cast<int64_t>(region.nodes.size()) > kMostNodes) return 0;
  for (const RegionOutput& o : region.outputs) {
    const bool in_step = o.index.coefficient(rank - 1) == 1 && o.index.coefficient(rank - 2) == narrow;
    if (!in_step || !o.index.terms.empty()) return 0;
  }
  for (const RegionNode& n : region.nodes) {
    if (is_complex(n.type)) return 0;
    if (n.kind != NodeKind::kLoad) continue;
    const int64_t along_rows = std::abs(n.index.coefficient(rank - 2)), along = std::abs(n.index.coefficient(rank - 1));
    if (along_rows * (lanes / narrow) + along * (narrow - 1) >= 2 * lanes) return 0;
  }
  return rows;
}

/// Of vectors along two dimensions: half of `lanes`, if a function is computed and whole vectors compute it far too often, of
/// f32[n,4,5] for 32 elements and not 24.
int lanes_of_folded(const Region& region, int lanes) {
  if (std::ranges::none_of(region.nodes, is_expensive)) return lanes;
  const int64_t whole = folded_rows(region, lanes), half = folded_rows(region, lanes / 2);
  if (whole == 0 || half == 0) return lanes;
  const auto computed = [&](int64_t rows, int64_t of) { return (rows * region.extents.back() + of - 1) / of * of; };
  return 4 * computed(whole, lanes) * half > 5 * computed(half, lanes / 2) * whole ? lanes / 2 : lanes;
}

}  // namespace

std::optional<GuardRange> range_of(const Guard& guard, std::span<const int64_t> extents) {
  if (!guard.index.terms.empty()) return std::nullopt;
  std::optional<size_t> dimension;
  for (size_t k = 0; k < guard.index.coefficients.size(); ++k) {
    if (guard.index.coefficients[k] == 0) continue;
    if (dimension) return std::nullopt;
    dimension = k;
  }
  if (!dimension) return std::nullopt;
  const int64_t step = guard.index.coefficients[*dimension], extent = extents[*dimension];
  // The first index at which step * i + constant reaches a bound, or the first beyond it if the step goes down.
  const auto reach = [&](int64_t bound) {
    const int64_t distance = bound - guard.index.constant;
    return step > 0 ? -floor_divide(-distance, step) : floor_divide(-distance, -step) + 1;
  };
  const int64_t first = std::clamp<int64_t>(reach(step > 0 ? guard.low : guard.high), 0, extent);
  return GuardRange{*dimension, first, std::clamp<int64_t>(reach(step > 0 ? guard.high : guard.low), first, extent)};
}

bool is_wide_product(const RegionNode& reduce) {
  return reducer_of(reduce) == hlo::ReducerKind::kMultiply && is_floating(reduce.type) &&
         element_type_info(reduce.type).bits <= 32;
}

bool is_extreme(const RegionNode& reduce) {
  const hlo::ReducerKind kind = reducer_of(reduce);
  return kind == hlo::ReducerKind::kMaximum || kind == hlo::ReducerKind::kMinimum;
}

namespace {

/// An operation that computes in f32 and whose last step is to round to f16 or bf16. Doubles are rounded to odd on the way.
bool rounds_last(const Region& region, const RegionNode& n) {
  if (n.kind != NodeKind::kOp || (n.type != ElementType::kF16 && n.type != ElementType::kBf16)) return false;
  if (n.instruction->opcode == hlo::Opcode::kBitcastConvert) return false;
  return std::ranges::none_of(n.operands, [&](uint32_t o) {
    const ElementType type = region.nodes[o].type;
    return type == ElementType::kF64 || is_complex(type);
  });
}

void find_late_roundings(const Region& region, std::vector<NodeFacts>& facts) {
  for (uint32_t n = 0; n < region.nodes.size(); ++n) facts[n].rounds_late = rounds_last(region, region.nodes[n]);
  for (const RegionNode& user : region.nodes) {
    const bool takes_late = user.kind == NodeKind::kReduce && !user.is_dot && is_extreme(user);
    // The operands before the initial values are elements.
    const size_t late = takes_late ? user.operands.size() - user.count : 0;
    for (size_t k = late; k < user.operands.size(); ++k) facts[user.operands[k]].rounds_late = false;
  }
  for (const RegionOutput& o : region.outputs) facts[o.node].rounds_late = false;
}

}  // namespace

bool is_idempotent(hlo::ReducerKind kind) {
  switch (kind) {
    case hlo::ReducerKind::kMaximum:
    case hlo::ReducerKind::kMinimum:
    case hlo::ReducerKind::kAnd:
    case hlo::ReducerKind::kOr:
    case hlo::ReducerKind::kArgMax:
    case hlo::ReducerKind::kArgMin: return true;
    case hlo::ReducerKind::kAdd:
    case hlo::ReducerKind::kMultiply:
    case hlo::ReducerKind::kXor:
    case hlo::ReducerKind::kGeneric: return false;
  }
  return false;
}

RegionShape shape_of_region(const Region& region, Isa isa) {
  RegionShape shape;
  if (region.extents.empty()) return shape;
  const bool across = spans_short_rows(region), column = across || prefers_column(region);
  shape.vector_dimension = column             ? region.row_begin - 1
                           : region.has_row() ? region.extents.size() - 1
                                              : written_dimension(region);
  int widest = 1;
  bool expensive_in_row = false, expensive = false, generic = false;
  std::vector<bool> in_row;
  for (const RegionNode& n : region.nodes) {
    if (n.kind == NodeKind::kReduce) {
      generic |= reducer_of(n) == hlo::ReducerKind::kGeneric;
      if (is_wide_product(n)) widest = std::max(widest, register_bytes(ElementType::kF64));
    } else if (n.kind != NodeKind::kClampedIndex) widest = std::max(widest, register_bytes(n.type));
    bool here = n.kind != NodeKind::kReduceResult && n.index.coefficients.size() > region.row_begin;
    for (uint32_t o : n.operands) here |= in_row[o] && n.kind != NodeKind::kReduceResult;
    in_row.push_back(here);
    expensive |= is_expensive(n);
    expensive_in_row |= is_expensive(n) && here;
  }
  int lanes = vector_bytes(isa) / widest;
  const int64_t extent = region.extents[shape.vector_dimension];
  const int natural = lanes;
  const int folded_lanes = lanes_of_folded(region, lanes);
  if (const int64_t rows = folded_rows(region, folded_lanes); rows > 0) {
    lanes = folded_lanes;
    const size_t rank = region.extents.size();
    shape.vector_dimension = rank - 2;
    shape.lanes = lanes;
    shape.folded = region.extents[rank - 1];
    shape.step = rows;
    shape.overlaps = region.extents[rank - 2] % rows != 0 || rows * shape.folded % lanes != 0;
    return shape;
  }
  const auto waste = [&] { return (extent + lanes - 1) / lanes * lanes - extent; };
  const bool product = column && is_matrix_product(region);
  if (across) {
    // One register: each element is an instruction.
  } else if (product) {
    // Sums of a block stay in registers, beside one vector row of the shared operand.
    lanes *= isa == Isa::kAvx512 ? 4 : 2;
    while (lanes > natural && lanes > extent) lanes /= 2;
    while (lanes > natural && waste() > extent / 8) lanes /= 2;
  } else if (column && !expensive_in_row && region.nodes.size() < 16) {
    // Wide strips: memory is read in stretches that the prefetcher follows, and many sums run side by side. What follows
    // the sums is written out for each register, so it must be cheap for the widest.
    lanes *= expensive ? kReduceUnroll : isa == Isa::kAvx512 ? 16 : 8;
    const auto is_long = [&] { return weighted_nodes(region) * (lanes / natural) > kMostInStrip; };
    while (lanes > natural && (lanes > extent || waste() > extent / 8 || is_long())) lanes /= 2;
  } else {
    if (region.has_row() && !expensive_in_row && !(column && expensive) && region.nodes.size() < 24) {
      lanes *= kReduceUnroll;
    } else if (region.has_row() ? expensive_in_row : expensive) {
      lanes *= registers_of_expensive(region);
      while (lanes > natural && waste() > extent / 8) lanes /= 2;
    }
    lanes = std::min(lanes, 64);
  }
  while (lanes > 1 && lanes > extent) lanes /= 2;
  if (generic && region.has_row() && !column) lanes = 1;  // an unknown reducer has no neutral element
  if (!column && !expensive_in_row && sums_few_products(region)) lanes = 1;
  shape.lanes = lanes;
  shape.step = lanes;
  shape.overlaps = extent % lanes != 0 || !cuts_of(region, shape.vector_dimension)[shape.vector_dimension].empty();
  if (product) {
    const int64_t rows = region.extents[region.row_begin - 2];
    shape.block_rows = block_rows_of(rows, std::max(lanes / natural, 1), isa);
    shape.overlaps |= rows % shape.block_rows != 0;
  }
  return shape;
}

int64_t weighted_nodes(const Region& region) {
  constexpr int64_t kHeavy = 8;
  int64_t weight = 0;
  for (const RegionNode& n : region.nodes) {
    const bool is_narrow = is_floating(n.type) && element_type_info(n.type).bits <= 8;
    weight += is_narrow || n.type == ElementType::kC128 ? kHeavy : 1;
  }
  return weight;
}

int64_t code_length(const Region& region, Isa isa) {
  constexpr int64_t kOfFunction = 16;
  const int64_t lanes = shape_of_region(region, isa).lanes, vector = vector_bytes(isa);
  int64_t length = 0;
  for (const RegionNode& n : region.nodes)
    length += (is_expensive(n) ? kOfFunction : 1) * std::max<int64_t>(register_bytes(n.type) * lanes / vector, 1);
  return length;
}

RegionFacts analyse_region(const Region& region, Isa isa) {
  RegionFacts facts;
  facts.shape = shape_of_region(region, isa);
  facts.stretches = stretches_of(region, facts.shape);
  const bool folds = facts.shape.folded > 1;
  if (!region.extents.empty()) facts.cuts = cuts_of(region, facts.shape.vector_dimension);
  if (folds) {  // its masks are constants, or few
    for (size_t k = facts.shape.vector_dimension; k < facts.cuts.size(); ++k) facts.cuts[k].clear();
  }
  const bool column = region.has_row() && facts.shape.vector_dimension < region.row_begin;
  const uint64_t outer_mask = (uint64_t{1} << region.row_begin) - 1;
  const uint64_t vector_bits = region.extents.empty() ? 0 : uint64_t{folds ? 3u : 1u} << facts.shape.vector_dimension;
  for (const RegionNode& n : region.nodes) {
    NodeFacts f;
    for (uint32_t o : n.operands) {
      f.dimensions |= facts.nodes[o].dimensions;
      f.stage = std::max(f.stage, facts.nodes[o].stage);
    }
    f.dimensions |= dimensions_of(n.index, facts.nodes);
    f.stage = std::max(f.stage, stage_of(n.index, facts.nodes));
    for (const Guard& g : n.guards) {
      f.dimensions |= dimensions_of(g.index, facts.nodes);
      f.stage = std::max(f.stage, stage_of(g.index, facts.nodes));
    }
    if (n.kind == NodeKind::kReduceResult) {
      f.dimensions = outer_mask;
      f.stage = facts.nodes[n.operands[0]].stage + 1;
      f.varies = column;
    } else {
      f.varies = (f.dimensions & vector_bits) != 0;
      // What hangs on reductions over columns is as wide as they are; over rows it is one value.
      for (uint32_t o : n.operands) f.varies |= facts.nodes[o].varies && n.kind != NodeKind::kReduce;
    }
    f.in_row = (f.dimensions & ~outer_mask) != 0 && n.kind != NodeKind::kReduceResult;
    f.level = f.dimensions == 0 ? -1 : static_cast<int>(std::bit_width(f.dimensions)) - 1;
    if (n.kind == NodeKind::kReduce) f.in_row = true;
    facts.nodes.push_back(f);
  }
  facts.kept_in.assign(region.nodes.size(), -1);
  if (!region.has_row()) return facts;
  find_late_roundings(region, facts.nodes);
  std::vector<std::vector<uint32_t>> roots;  // per loop
  const auto root_in = [&](int loop, uint32_t node) {
    if (static_cast<int>(roots.size()) <= loop) roots.resize(static_cast<size_t>(loop) + 1);
    roots[static_cast<size_t>(loop)].push_back(node);
  };
  for (uint32_t n = 0; n < region.nodes.size(); ++n) {
    if (region.nodes[n].kind == NodeKind::kReduce) root_in(facts.nodes[n].stage, n);
  }
  for (const RegionOutput& o : region.outputs) {
    if (facts.nodes[o.node].in_row) root_in(facts.nodes[o.node].stage, o.node);
    else if (!o.index.coefficients.empty() && o.index.coefficients.size() > region.row_begin) {
      root_in(facts.nodes[o.node].stage, o.node);  // one value along the whole row
    }
  }
  facts.loops = static_cast<int>(roots.size());
  int64_t row_bytes = 1;
  for (size_t k = region.row_begin; k < region.extents.size(); ++k) row_bytes *= region.extents[k];
  const int64_t tile_lanes = column ? facts.shape.lanes : 1;
  int64_t room = kMaxTileBytes;
  facts.evaluated.assign(static_cast<size_t>(facts.loops), std::vector<bool>(region.nodes.size(), false));
  for (int loop = 0; loop < facts.loops; ++loop) {
    std::vector<bool>& here = facts.evaluated[static_cast<size_t>(loop)];
    for (uint32_t r : roots[static_cast<size_t>(loop)]) here[r] = true;
    for (uint32_t n = static_cast<uint32_t>(region.nodes.size()); n-- > 0;) {
      if (!here[n] || (facts.kept_in[n] >= 0 && facts.kept_in[n] < loop)) continue;
      // An expensive value of an earlier loop: kept if there is room, else computed again.
      if (is_expensive(region.nodes[n]) && facts.nodes[n].in_row && loop > 0 && facts.kept_in[n] < 0) {
        int first = -1;
        for (int earlier = 0; earlier < loop && first < 0; ++earlier) {
          if (facts.evaluated[static_cast<size_t>(earlier)][n]) first = earlier;
        }
        const int64_t bytes = row_bytes * tile_lanes * register_bytes(region.nodes[n].type);
        if (first >= 0 && bytes <= room) {
          room -= bytes;
          facts.kept_in[n] = first;
          continue;
        }
      }
      const auto need = [&](uint32_t o) {
        if (facts.nodes[o].in_row && region.nodes[o].kind != NodeKind::kReduce) here[o] = true;
      };
      for (uint32_t o : region.nodes[n].operands) need(o);
      for (const IndexTerm& t : region.nodes[n].index.terms) need(t.node);
      for (const Guard& g : region.nodes[n].guards) {
        for (const IndexTerm& t : g.index.terms) need(t.node);
      }
    }
  }
  return facts;
}

}  // namespace hilo::cpu
