// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/view.h"

#include <algorithm>

#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/partition/local_op.h"
#include "hilo/hlo/partition/own_form.h"
#include "hilo/hlo/partition/reshard.h"
#include "hilo/hlo/partition/windows.h"

namespace hilo::hlo {
namespace {

using Pieces = std::vector<ViewPiece>;

/// Returns the only dimension that the op changes.
std::optional<int64_t> changed_dimension(const Instruction& instruction, const Shape& operand) {
  std::optional<int64_t> found;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    bool changes = false;
    if (instruction.opcode == Opcode::kSlice) {
      const SliceRange& range = attributes_of<SliceAttributes>(instruction).ranges[d];
      changes = range != SliceRange{0, operand.dimension(d), 1};
      if (range.stride != 1) return std::nullopt;
    } else {
      const PaddingDimension& padding = attributes_of<PadAttributes>(instruction).padding[d];
      changes = padding != PaddingDimension{};
      if (padding.interior != 0) return std::nullopt;
    }
    if (!changes) continue;
    if (found) return std::nullopt;
    found = d;
  }
  return found;
}

/// Returns an operand's pieces along the dimension.
Pieces pieces_of(const Part& part, const Shape& whole, int64_t dimension) {
  if (part.view != nullptr && part.view->dimension == dimension) return part.view->pieces;
  const int64_t size = whole.dimension(dimension);
  return {{part.value, part.split, size, 0, size}};
}

/// Returns elements [begin, end) of pieces.
Pieces cut_pieces(const Pieces& pieces, int64_t begin, int64_t end) {
  Pieces result;
  int64_t at = 0;
  for (const ViewPiece& piece : pieces) {
    const int64_t low = std::max(begin, at), high = std::min(end, at + piece.size);
    if (low < high) {
      ViewPiece& part = result.emplace_back(piece);
      part.from += low - at;
      part.size = high - low;
    }
    at += piece.size;
  }
  return result;
}

Pieces pad_pieces(Pieces pieces, const PaddingDimension& padding, int64_t size, Expr fill) {
  pieces = cut_pieces(pieces, std::max<int64_t>(0, -padding.low), size + std::min<int64_t>(0, padding.high));
  const auto filled = [&](int64_t count) {
    ViewPiece piece;
    piece.value = fill;
    piece.size = count;
    piece.is_fill = true;
    return piece;
  };
  if (padding.low > 0) pieces.insert(pieces.begin(), filled(padding.low));
  if (padding.high > 0) pieces.push_back(filled(padding.high));
  return pieces;
}

bool is_cut_piece(const ViewPiece& piece, int64_t dimension) {
  return !piece.is_fill && !piece.split[dimension].empty();
}

/// State of computing one view.
struct ViewWriter {
  DeviceProgram& program;
  const View& view;
  const ArraySplit& to;

  size_t place() const { return view.dimension; }
  const Atoms& by() const { return to[place()]; }
  Expr filled(Expr scalar, int64_t size) const;
  Expr whole_piece(const ViewPiece& piece) const;
  Expr side_by_side() const;
  Expr by_parts() const;
  Exprs windows(const std::vector<WindowRequest>& requested) const;
};

Expr ViewWriter::filled(Expr scalar, int64_t size) const {
  const Shape part = with_dimension(part_of(view.shape, to, program.atoms()), view.dimension, size);
  return broadcast(scalar, part.dimensions(), {});
}

/// Returns the whole piece on every device. A small piece is sent by all-reduce from the device that has it; a large
/// one is gathered.
Expr ViewWriter::whole_piece(const ViewPiece& piece) const {
  if (piece.is_fill) return filled(piece.value, piece.size);
  ArraySplit split = to;
  split[place()] = piece.split[place()];
  const bool disjoint = std::ranges::none_of(split[place()], [&](uint16_t atom) {
    return std::ranges::any_of(to, [&](const Atoms& atoms) { return std::ranges::find(atoms, atom) != atoms.end(); });
  });
  const ElementType type = view.shape.element_type();
  if (disjoint && !split[place()].empty() && 2 * piece.size < piece.whole && piece.whole <= INT32_MAX &&
      joining_kind(type)) {
    const Expr part = reshard(program, piece.value, piece.split, split);
    const Expr start = program.constant(Literal::scalar(static_cast<int32_t>(piece.from)));
    const Expr own = own_elements(program, part, view.dimension, split[place()], start, piece.size);
    const StatusOr<ComputationPtr> join = joining_computation(type);
    if (!join.ok()) program.fail(join.status());
    return program.status().ok() ? program.all_reduce(own, *join, split[place()]) : own;
  }
  const Expr whole = reshard(program, piece.value, piece.split, to);
  return slice(whole, view.dimension, piece.from, piece.from + piece.size);
}

Expr ViewWriter::side_by_side() const {
  Exprs parts;
  for (const ViewPiece& piece : view.pieces) parts.push_back(whole_piece(piece));
  if (parts.empty()) return filled(program.constant(Literal(Shape::scalar(view.shape.element_type()))), 0);
  return parts.size() == 1 ? parts[0] : concatenate(parts, view.dimension);
}

/// Returns windows of the pieces' arrays, which are sharded along the dimension like the result, or whole.
Exprs ViewWriter::windows(const std::vector<WindowRequest>& requested) const {
  std::vector<CutArray> arrays;
  std::vector<WindowRequest> fetched;
  std::vector<std::pair<bool, Expr>> result;  // true: fetched; false: this value
  for (size_t i = 0; i < view.pieces.size(); ++i) {
    const ViewPiece& piece = view.pieces[i];
    const bool is_cut = is_cut_piece(piece, view.dimension) && piece.whole % program.atoms().size(by()) == 0;
    if (piece.is_fill) {
      result.emplace_back(false, filled(piece.value, requested[i].size));
      continue;
    }
    ArraySplit split = to;
    if (!is_cut) split[place()].clear();
    const Expr part = reshard(program, piece.value, piece.split, split);
    result.emplace_back(is_cut, is_cut ? part : window_of_whole(program, part, view.dimension, by(), requested[i]));
    if (!is_cut) continue;
    const auto same = std::ranges::find_if(arrays, [&](const CutArray& array) { return array.part.id == part.id; });
    fetched.push_back(requested[i]);
    fetched.back().array = same - arrays.begin();
    if (same == arrays.end()) arrays.push_back({part, piece.whole});
  }
  const Exprs all = fetch_windows(program, arrays, view.dimension, by(), fetched);
  Exprs values;
  size_t next = 0;
  for (const auto& [is_fetched, value] : result) values.push_back(is_fetched ? all[next++] : value);
  return values;
}

Expr ViewWriter::by_parts() const {
  const int64_t size = view.shape.dimension(view.dimension), parts = program.atoms().size(by()), own = size / parts;
  std::vector<WindowRequest> requested;
  std::vector<int64_t> begins;
  for (int64_t k = 0; k < parts; ++k) begins.push_back(k * own);
  int64_t at = 0;
  for (const ViewPiece& piece : view.pieces) {
    WindowRequest& window = requested.emplace_back(WindowRequest{0, begins, own, piece.from, piece.from + piece.size});
    for (int64_t& begin : window.begins) begin += piece.from - at;
    at += piece.size;
  }
  const Exprs values = windows(requested);
  if (!program.status().ok() || values.empty()) return program.at(0);
  Expr result = values[0];
  const Expr begin = program.number_of_part(by(), begins);
  at = view.pieces[0].size;
  for (size_t i = 1; i < values.size(); ++i) {
    const int64_t end = at + view.pieces[i].size;
    result = select(is_in_range(program, result.shape(), view.dimension, begin, at, end), values[i], result);
    at = end;
  }
  return result;
}

}  // namespace

std::optional<Part> write_view(DeviceProgram& program, const Instruction& instruction, const Computation& computation,
                               std::span<const Part> parts, const ArraySplit& requested) {
  const auto shape = [&](size_t i) -> const Shape& { return computation.instruction(instruction.operands[i]).shape; };
  std::optional<int64_t> along;
  if (instruction.opcode == Opcode::kConcatenate) along = attributes_of<ConcatenateAttributes>(instruction).dimension;
  else if (instruction.opcode == Opcode::kSlice || instruction.opcode == Opcode::kPad)
    along = changed_dimension(instruction, shape(0));
  if (!along || instruction.shape.element_count() == 0 || instruction.shape.dimension(*along) > INT32_MAX)
    return std::nullopt;
  const size_t place = *along;
  const auto is_cut = [&](const Part& part) { return place < part.split.size() && !part.split[place].empty(); };
  const auto has_pieces = [&](const Part& part) { return part.view != nullptr && part.view->dimension == *along; };
  if (std::ranges::none_of(parts, [&](const Part& part) { return is_cut(part) || has_pieces(part); }))
    return std::nullopt;
  std::vector<Part> operands(parts.begin(), parts.end());
  for (Part& part : operands) {
    if (part.view == nullptr || has_pieces(part)) continue;
    part.value = make_view(program, *part.view, part.split);
    part.view = nullptr;
  }
  Pieces pieces;
  if (instruction.opcode == Opcode::kConcatenate) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const Pieces own = pieces_of(operands[i], shape(i), *along);
      pieces.insert(pieces.end(), own.begin(), own.end());
    }
  } else {
    pieces = pieces_of(operands[0], shape(0), *along);
    if (instruction.opcode == Opcode::kSlice) {
      const SliceRange& range = attributes_of<SliceAttributes>(instruction).ranges[place];
      pieces = cut_pieces(pieces, range.start, range.limit);
    } else {
      const PaddingDimension& padding = attributes_of<PadAttributes>(instruction).padding[place];
      pieces = pad_pieces(std::move(pieces), padding, shape(0).dimension(*along), operands[1].value);
    }
  }
  // Constants are sharded at each use.
  if (!std::ranges::any_of(pieces, [&](const ViewPiece& piece) { return is_cut_piece(piece, *along); }))
    return std::nullopt;
  return Part{{}, requested, false, std::make_shared<View>(View{instruction.shape, *along, std::move(pieces)})};
}

Expr make_view(DeviceProgram& program, View& view, const ArraySplit& to) {
  if (!program.status().ok()) return program.at(0);
  const auto found = view.cache.find(to);
  if (found != view.cache.end()) return found->second;
  const ViewWriter making{program, view, to};
  const Expr result = making.by().empty() ? making.side_by_side() : making.by_parts();
  view.cache.emplace(to, result);
  return result;
}

Expr cut_as(DeviceProgram& program, const Part& part, const ArraySplit& to) {
  return part.view != nullptr ? make_view(program, *part.view, to) : reshard(program, part.value, part.split, to);
}

}  // namespace hilo::hlo
