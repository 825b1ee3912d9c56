// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/partition/windows.h"

#include <algorithm>

#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {
namespace {

struct Interval {
  int64_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
  int64_t size() const { return end - begin; }
};

Interval common(Interval a, Interval b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

/// A range of an array's shard that the device of shard `from` has and that of shard `to` needs.
struct Message {
  size_t array;
  int64_t from, to;
  Interval stretch;  ///< indices in the whole dimension
};

/// Messages of one collective-permute: each device sends one at most and receives one at most.
struct Round {
  std::vector<const Message*> to;  ///< by receiver; null: nothing
  std::vector<bool> sends;
  int64_t size = 0, most = 0;  ///< number of elements of each message; the smallest shard size of the arrays involved
};

struct Exchange {
  DeviceProgram& program;
  std::span<const CutArray> arrays;
  int64_t dimension;
  const Atoms& by;
  std::span<const WindowRequest> windows;
  int64_t parts;
  std::vector<Message> messages = {};
  std::vector<Round> rounds = {};

  int64_t part_size(size_t array) const { return arrays[array].size / parts; }
  Interval part(size_t array, int64_t k) const { return {k * part_size(array), (k + 1) * part_size(array)}; }
  Interval needed(const WindowRequest& window, int64_t k) const {
    const int64_t begin = window.begins[k];
    const int64_t size = arrays[window.array].size;
    return common({begin, begin + window.size}, {std::max<int64_t>(0, window.low), std::min(size, window.high)});
  }
  void list_messages();
  void plan_rounds();
  bool is_costly() const;
  Interval sent(const Round& round, int64_t to) const;
  Expr send(const Round& round);
  Expr sent_by(const Round& round, size_t array, int64_t only);
};

/// Lists messages by distance, so that messages over the same distance share a round.
void Exchange::list_messages() {
  for (int64_t hop = 1; hop < parts; ++hop) {
    for (int64_t to = 0; to < parts; ++to) {
      const int64_t from = (to + hop) % parts;
      for (size_t array = 0; array < arrays.size(); ++array) {
        Interval all;
        for (const WindowRequest& window : windows) {
          const Interval one = window.array == array ? common(needed(window, to), part(array, from)) : Interval();
          if (one.empty()) continue;
          all = all.empty() ? one : Interval{std::min(all.begin, one.begin), std::max(all.end, one.end)};
        }
        if (!all.empty()) messages.push_back({array, from, to, all});
      }
    }
  }
}

void Exchange::plan_rounds() {
  const size_t count = parts;
  for (const Message& message : messages) {
    const auto from = static_cast<size_t>(message.from), to = static_cast<size_t>(message.to);
    const int64_t size = message.stretch.size(), most = part_size(message.array);
    const auto has_room = [&](const Round& round) {
      const bool fits = std::max(size, round.size) <= std::min(most, round.most);
      return fits && round.to[to] == nullptr && !round.sends[from];
    };
    auto round = std::ranges::find_if(rounds, has_room);
    if (round == rounds.end()) {
      rounds.push_back({std::vector<const Message*>(count), std::vector<bool>(count), 0, most});
      round = rounds.end() - 1;
    }
    round->to[to] = &message;
    round->sends[from] = true;
    round->size = std::max(round->size, size);
    round->most = std::min(round->most, most);
  }
}

bool Exchange::is_costly() const {
  int64_t sent = 0, all = 0;
  for (const Round& round : rounds) sent += round.size;
  for (const CutArray& array : arrays) all += array.size / parts * (parts - 1);
  return sent > all;
}

/// Returns the sent range. All messages of a round have the same size: the range starts at the message's begin, or
/// earlier if it would exceed the shard's end.
Interval Exchange::sent(const Round& round, int64_t to) const {
  const Message& message = *round.to[to];
  const int64_t end = part(message.array, message.from).end;
  const int64_t begin = std::min(message.stretch.begin, end - round.size);
  return {begin, begin + round.size};
}

/// Returns this device's message of the round if it is from that array.
Expr Exchange::sent_by(const Round& round, size_t array, int64_t only) {
  if (only >= 0) return slice(arrays[array].part, dimension, only, only + round.size);
  std::vector<int64_t> starts(parts);
  for (int64_t to = 0; to < parts; ++to) {
    const Message* const message = round.to[to];
    if (message == nullptr || message->array != array) continue;
    starts[message->from] = sent(round, to).begin - part(array, message->from).begin;
  }
  return slice_at(arrays[array].part, dimension, program.number_of_part(by, starts), round.size);
}

Expr Exchange::send(const Round& round) {
  std::vector<int64_t> sources(parts, -1);
  Expr value;
  for (size_t array = 0; array < arrays.size(); ++array) {
    std::vector<int64_t> is_sender(parts);
    std::optional<int64_t> start;  // the start for all senders, or -1 if it differs
    for (int64_t to = 0; to < parts; ++to) {
      const Message* const message = round.to[to];
      if (message == nullptr || message->array != array) continue;
      sources[to] = message->from;
      is_sender[message->from] = 1;
      const int64_t own = sent(round, to).begin - part(array, message->from).begin;
      start = start.value_or(own) == own ? own : -1;
    }
    if (!start) continue;
    const Expr piece = sent_by(round, array, *start);
    if (value.sink == nullptr) {
      value = piece;
      continue;
    }
    const Expr chosen = program.number_of_part(by, is_sender) != 0.0;
    value = select(broadcast(chosen, piece.shape().dimensions(), {}), piece, value);
  }
  return program.send(value, by, sources);
}

/// Received elements, and by shard where they begin in its window.
struct Piece {
  Expr value;
  int64_t size;
  std::vector<std::optional<int64_t>> places;  ///< nothing: the window needs none of them
};

/// Returns the place of the piece if it is equal on all devices that need it.
std::optional<int64_t> only_place(const Piece& piece) {
  std::optional<int64_t> found;
  for (const std::optional<int64_t>& place : piece.places) {
    if (!place) continue;
    if (found && *found != *place) return std::nullopt;
    found = place;
  }
  return found;
}

Expr zeros(DeviceProgram& program, const Shape& like, int64_t dimension, int64_t size) {
  const Shape shape = with_dimension(like, dimension, size);
  return full(program, shape, Literal(Shape::scalar(shape.element_type())));
}

/// Concatenates pieces that are at one place on all devices. Returns nothing if they overlap or have several places.
std::optional<Expr> laid_out(DeviceProgram& program, std::vector<Piece> pieces, int64_t dimension, int64_t size) {
  std::vector<std::pair<int64_t, const Piece*>> order;
  for (const Piece& piece : pieces) {
    const std::optional<int64_t> place = only_place(piece);
    if (!place) return std::nullopt;
    order.emplace_back(*place, &piece);
  }
  std::ranges::sort(order);
  Exprs parts;
  int64_t end = 0;
  for (const auto& [place, piece] : order) {
    const Interval inside = common({place, place + piece->size}, {0, size});
    if (inside.empty()) continue;
    if (inside.begin < end) return std::nullopt;
    if (inside.begin > end) parts.push_back(zeros(program, piece->value.shape(), dimension, inside.begin - end));
    const bool all = inside.size() == piece->size;
    parts.push_back(all ? piece->value : slice(piece->value, dimension, inside.begin - place, inside.end - place));
    end = inside.end;
  }
  if (parts.empty()) return std::nullopt;
  if (end < size) parts.push_back(zeros(program, parts[0].shape(), dimension, size - end));
  return parts.size() == 1 ? parts[0] : concatenate(parts, dimension);
}

/// Writes pieces over each other, each at this device's place. Unneeded pieces are written to a margin.
Expr written(DeviceProgram& program, const std::vector<Piece>& pieces, int64_t dimension, const Atoms& by,
             const Shape& like, int64_t size) {
  int64_t margin = 0;
  for (const Piece& piece : pieces) margin = std::max(margin, piece.size);
  Expr result = zeros(program, like, dimension, size + 2 * margin);
  for (const Piece& piece : pieces) {
    std::vector<int64_t> places;
    for (const std::optional<int64_t>& place : piece.places) places.push_back(margin + place.value_or(-piece.size));
    result = put_at(result, piece.value, dimension, program.number_of_part(by, places));
  }
  return slice(result, dimension, margin, margin + size);
}

}  // namespace

Exprs fetch_windows(DeviceProgram& program, std::span<const CutArray> arrays, int64_t dimension, const Atoms& by,
                    std::span<const WindowRequest> windows) {
  Exchange exchange{program, arrays, dimension, by, windows, program.atoms().size(by)};
  Exprs result;
  if (!program.status().ok()) return Exprs(windows.size(), program.at(0));
  exchange.list_messages();
  exchange.plan_rounds();
  if (exchange.is_costly()) {
    Exprs wholes;
    for (const CutArray& array : arrays) wholes.push_back(program.all_gather(array.part, dimension, by));
    for (const WindowRequest& window : windows)
      result.push_back(window_of_whole(program, wholes[window.array], dimension, by, window));
    return result;
  }
  Exprs received;
  for (const Round& round : exchange.rounds) received.push_back(exchange.send(round));
  for (const WindowRequest& window : windows) {
    const CutArray& array = arrays[window.array];
    std::vector<Piece> pieces = {{array.part, array.size / exchange.parts, {}}};
    for (size_t r = 0; r < received.size(); ++r) pieces.push_back({received[r], exchange.rounds[r].size, {}});
    for (int64_t k = 0; k < exchange.parts; ++k) {
      const Interval needed = exchange.needed(window, k);
      const auto place_of = [&](Interval has) -> std::optional<int64_t> {
        if (common(has, needed).empty()) return std::nullopt;
        return has.begin - window.begins[k];
      };
      pieces[0].places.push_back(place_of(exchange.part(window.array, k)));
      for (size_t r = 0; r < received.size(); ++r) {
        const Message* const message = exchange.rounds[r].to[k];
        const bool has = message != nullptr && message->array == window.array;
        pieces[r + 1].places.push_back(has ? place_of(exchange.sent(exchange.rounds[r], k)) : std::nullopt);
      }
    }
    std::erase_if(pieces, [](const Piece& piece) {
      return std::ranges::all_of(piece.places, [](const auto& place) { return !place; });
    });
    const std::optional<Expr> simple = laid_out(program, pieces, dimension, window.size);
    result.push_back(simple ? *simple : written(program, pieces, dimension, by, array.part.shape(), window.size));
  }
  return result;
}

Expr window_of_whole(DeviceProgram& program, Expr whole, int64_t dimension, const Atoms& by,
                     const WindowRequest& request) {
  if (!program.status().ok()) return whole;
  const int64_t size = whole.shape().dimension(dimension);
  int64_t low = 0, high = 0;
  for (const int64_t begin : request.begins) {
    low = std::max(low, std::min(-begin, request.size));
    high = std::max(high, std::min(begin + request.size - size, request.size));
  }
  const Expr zero = program.constant(Literal(Shape::scalar(whole.type())));
  std::vector<int64_t> begins = request.begins;
  for (int64_t& begin : begins) begin += low;
  const Expr padded = low == 0 && high == 0 ? whole : pad_ends(whole, dimension, low, high, zero);
  return slice_at(padded, dimension, program.number_of_part(by, begins), request.size);
}

Expr is_in_range(DeviceProgram& program, const Shape& shape, int64_t dimension, Expr begin, int64_t low, int64_t high) {
  const Shape line = Shape::array(ElementType::kS32, {shape.dimension(dimension)});
  const Expr places = iota(program, line, 0) + broadcast(begin, line.dimensions(), {});
  const Expr inside = bitwise_and(places >= static_cast<double>(low), places < static_cast<double>(high));
  return broadcast(inside, shape.dimensions(), {dimension});
}

Expr fill_outside(DeviceProgram& program, Expr window, int64_t dimension, const Atoms& by, const WindowRequest& request,
                  Expr fill) {
  if (!program.status().ok()) return window;
  const auto is_inside = [&](int64_t begin) { return begin >= request.low && begin + request.size <= request.high; };
  if (std::ranges::all_of(request.begins, is_inside)) return window;
  const Shape shape = window.shape();
  const Expr begin = program.number_of_part(by, request.begins);
  return select(is_in_range(program, shape, dimension, begin, request.low, request.high), window,
                broadcast(fill, shape.dimensions(), {}));
}

Expr slice_at(Expr array, int64_t dimension, Expr start, int64_t size) {
  const Shape shape = array.shape();
  Exprs operands(shape.rank() + 1, array.sink->constant(Literal::scalar<int32_t>(0)));
  operands[0] = array;
  if (shape.is_array() && dimension < shape.rank()) operands[dimension + 1] = start;
  return array.sink->add_with<DynamicSliceAttributes>(Opcode::kDynamicSlice, operands, [&](auto& a) {
    a.sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
    a.sizes[dimension] = size;
  });
}

Expr put_at(Expr array, Expr update, int64_t dimension, Expr start) {
  Exprs operands(array.shape().rank() + 2, array.sink->constant(Literal::scalar<int32_t>(0)));
  operands[0] = array;
  operands[1] = update;
  if (static_cast<size_t>(dimension) + 2 < operands.size()) operands[dimension + 2] = start;
  return array.sink->add(Opcode::kDynamicUpdateSlice, operands);
}

Expr pad_ends(Expr array, int64_t dimension, int64_t low, int64_t high, Expr fill) {
  const int64_t rank = array.shape().rank();
  return array.sink->add_with<PadAttributes>(Opcode::kPad, {array, fill}, [&](auto& a) {
    a.padding.resize(rank);
    a.padding[dimension] = {low, high, 0};
  });
}

}  // namespace hilo::hlo
