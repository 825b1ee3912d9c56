// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/random.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

using Words2 = std::array<uint32_t, 2>;
using Words4 = std::array<uint32_t, 4>;

constexpr uint32_t low_word(uint64_t x) { return static_cast<uint32_t>(x); }
constexpr uint32_t high_word(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
constexpr uint64_t join_words(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }

/// Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
Words2 threefry_2x32(Words2 x, Words2 key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t schedule[3] = {key[0], key[1], 0x1BD11BDAu ^ key[0] ^ key[1]};
  x[0] += schedule[0];
  x[1] += schedule[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x[0] += x[1];
      x[1] = std::rotl(x[1], rotation) ^ x[0];
    }
    x[0] += schedule[(group + 1) % 3];
    x[1] += schedule[(group + 2) % 3] + group + 1;
  }
  return x;
}

/// Philox-4x32 with 10 rounds (same paper).
Words4 philox_4x32(Words4 x, Words2 key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = static_cast<uint64_t>(x[0]) * 0xD2511F53u;
    const uint64_t second = static_cast<uint64_t>(x[2]) * 0xCD9E8D57u;
    x = {high_word(second) ^ x[1] ^ key[0], low_word(second), high_word(first) ^ x[3] ^ key[1], low_word(first)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return x;
}

/// Stores random words as XLA does: types narrower than 32 bits use the low bits of a separate word.
struct Sink {
  explicit Sink(Literal& out) : to(out.mutable_bytes().data()), bytes(element_size_bytes(out.shape().element_type())) {}
  void store(int64_t i, uint64_t bits) const {
    for (int b = 0; b < bytes; ++b) to[i * bytes + b] = static_cast<std::byte>(bits >> (8 * b));
  }
  std::byte* to;
  int bytes;  // per element
};

/// Fills `out` from counters state, state + 1, ...; returns the number of counters used.
uint64_t fill_threefry(uint64_t key_bits, uint64_t state, Literal& out) {
  const Sink sink(out);
  const Words2 key = {low_word(key_bits), high_word(key_bits)};
  const auto draw = [&](uint64_t counter) { return threefry_2x32({low_word(counter), high_word(counter)}, key); };
  const int64_t count = out.shape().element_count();
  if (sink.bytes == 8) {
    for (int64_t i = 0; i < count; ++i) {
      const Words2 words = draw(state + static_cast<uint64_t>(i));
      sink.store(i, join_words(words[0], words[1]));
    }
    return static_cast<uint64_t>(count);
  }
  const std::span<const int64_t> dimensions = out.shape().dimensions();
  if (dimensions.empty()) {
    sink.store(0, draw(state)[0]);
    return 1;
  }
  // Element (outer, along, inner) is word along % 2 of the counter (outer, along / 2, inner) of the halved shape.
  const size_t d = random_pair_dimension(dimensions);
  int64_t outer_count = 1, inner_count = 1;
  for (size_t i = 0; i < d; ++i) outer_count *= dimensions[i];
  for (size_t i = d + 1; i < dimensions.size(); ++i) inner_count *= dimensions[i];
  const int64_t extent = dimensions[d], half = extent / 2 + extent % 2;
  for (int64_t outer = 0; outer < outer_count; ++outer) {
    for (int64_t pair = 0; pair < half; ++pair) {
      for (int64_t inner = 0; inner < inner_count; ++inner) {
        const Words2 words = draw(state + static_cast<uint64_t>((outer * half + pair) * inner_count + inner));
        const int64_t at = (outer * extent + 2 * pair) * inner_count + inner;
        sink.store(at, words[0]);
        if (2 * pair + 1 < extent) sink.store(at + inner_count, words[1]);
      }
    }
  }
  return static_cast<uint64_t>(outer_count * half * inner_count);
}

/// Fills `out` from 128-bit counters (high, low), ...; each gives 128 bits. Returns the number of counters used.
uint64_t fill_philox(uint64_t key_bits, uint64_t low, uint64_t high, Literal& out) {
  const Sink sink(out);
  const Words2 key = {low_word(key_bits), high_word(key_bits)};
  const int64_t count = out.shape().element_count();
  const int64_t per_counter = sink.bytes == 8 ? 2 : 4;
  // XLA counts two 32-bit words for each 64-bit number, and rounds up to whole counters.
  const int64_t counters = count / per_counter + (count % per_counter != 0 ? 1 : 0);
  for (int64_t c = 0; c < counters; ++c) {
    const uint64_t counter_low = low + static_cast<uint64_t>(c);
    const uint64_t counter_high = high + (counter_low < low ? 1 : 0);
    const Words4 words = philox_4x32(
        {low_word(counter_low), high_word(counter_low), low_word(counter_high), high_word(counter_high)}, key);
    for (int64_t i = 0; i < per_counter && c * per_counter + i < count; ++i) {
      const size_t word = sink.bytes == 8 ? 2 * i : i;
      sink.store(c * per_counter + i, sink.bytes == 8 ? join_words(words[word], words[word + 1]) : words[word]);
    }
  }
  return static_cast<uint64_t>(counters);
}

StatusOr<Shape> infer_rng_bit_generator(const ShapeRuleInput& input) {
  const Shape& state = input.operands[0];
  const auto& attributes = attributes_of<RngBitGeneratorAttributes>(input);
  const bool threefry = attributes.algorithm == RandomAlgorithm::kThreeFry;
  const bool fits = state.element_type() == ElementType::kU64 && state.rank() == 1 &&
                    (state.dimension(0) == 2 || (!threefry && state.dimension(0) == 3));
  if (!fits) {  // rng_bit_generator_c1, rng_bit_generator_c2
    return invalid_argument(fmt::format("the state of {} must be {}; got {}",
                                        kRandomAlgorithmNames[ordinal(attributes.algorithm)],
                                        threefry ? "u64[2]" : "u64[2] or u64[3]", state.to_string()));
  }
  if (!input.declared) return invalid_argument("the result's shape must be stated");
  const Shape& declared = *input.declared;
  if (!declared.is_tuple() || declared.tuple_size() != 2 || !declared.tuple_element(0).compatible(state) ||
      !declared.tuple_element(1).is_array()) {
    return invalid_argument(
        fmt::format("the result must be ({}, random bits); got {}", state.to_string(), declared.to_string()));
  }
  const ElementType type = declared.tuple_element(1).element_type();
  if (type == ElementType::kPred || is_complex(type) || element_type_info(type).bits < 8) {
    return invalid_argument(fmt::format("random bits must be integers or floats of 8 to 64 bits; got {}",
                                        declared.tuple_element(1).to_string()));
  }
  return declared.with_default_layout();
}

StatusOr<Literal> evaluate_rng_bit_generator(const EvaluateInput& input) {
  const std::span<const uint64_t> state = input.operands[0]->data<uint64_t>();
  const Shape shape = input.instruction.shape.with_default_layout();
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(shape.tuple_element(1)));
  Literal new_state(shape.tuple_element(0));
  const std::span<uint64_t> next = new_state.data<uint64_t>();
  next[0] = state[0];
  // rng_default is Philox on the CPU, as in XLA
  if (attributes_of<RngBitGeneratorAttributes>(input.instruction).algorithm == RandomAlgorithm::kThreeFry) {
    next[1] = state[1] + fill_threefry(state[0], state[1], out);
  } else if (state.size() == 3) {
    next[1] = state[1] + fill_philox(state[0], state[1], state[2], out);
    next[2] = state[2] + (next[1] < state[1] ? 1 : 0);
  } else {  // a short state stores the low half of the counter; the key is its high half
    next[1] = state[1] + fill_philox(state[0], state[1], state[0], out);
  }
  return Literal::tuple({new_state, out});
}

constexpr AttributeField kRngBitGeneratorFields[] = {
    field<&RngBitGeneratorAttributes::algorithm>("algorithm", FieldShow::kAlways, kRandomAlgorithmNames),
};

constexpr AttributeField kStateFields[] = {
    field<&RngStateAttributes::delta>("delta", FieldShow::kAlways),
};

StatusOr<Shape> infer_state(const ShapeRuleInput& input) {
  const int64_t delta = attributes_of<RngStateAttributes>(input).delta;
  if (delta < 0) return invalid_argument(fmt::format("delta: got {}, wanted at least 0", delta));
  return Shape::array(ElementType::kU64, {2});
}

/// Returns the result of the first run. The code that runs a program advances the state.
StatusOr<Literal> evaluate_state(const EvaluateInput&) { return first_rng_state(); }

/// The bits can be sharded; the state is whole.
void rng_bit_generator_rule(RuleBuilder& builder) {
  const Shape bits = builder.results.back();
  for (int64_t d = 0; d < bits.rank(); ++d)
    builder.result(builder.results.size() - 1, d, builder.factor(bits.dimension(d)));
  const int state = builder.factor(builder.operands[0].dimensions().empty() ? 1 : builder.operands[0].dimension(0),
                                   FactorKind::kReplicate, true);
  for (int64_t d = 0; d < std::min<int64_t>(builder.operands[0].rank(), 1); ++d) {
    builder.operand(0, d, state);
    if (builder.results.size() > 1) builder.result(0, d, state);
  }
}

}  // namespace

size_t random_pair_dimension(std::span<const int64_t> dimensions) {
  size_t widest = 0;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] % 2 == 0) return i;
    if (dimensions[i] > dimensions[widest]) widest = i;
  }
  return widest;
}

Literal first_rng_state() { return Literal::array<uint64_t>({2}, {0x7012395u, 0}); }

Literal advanced_rng_state(const Literal& state, int64_t delta) {
  const uint64_t low = state.data<uint64_t>()[0], moved = low + static_cast<uint64_t>(delta);
  return Literal::array<uint64_t>({2}, {moved, state.data<uint64_t>()[1] + (moved < low ? 1 : 0)});
}

HILO_DEFINE_OP(rng_get_and_update_state_op, {.opcode = Opcode::kRngGetAndUpdateState,
                                             .name = "rng-get-and-update-state",
                                             .arity = 0,
                                             .operand_types = kAnyArray,
                                             .traits = kEffect,
                                             .cost = CostClass::kHero,
                                             .sharding = kUnshared,
                                             .infer_shape = infer_state,
                                             .attributes = attributes_def<RngStateAttributes>(kStateFields),
                                             .evaluate = evaluate_state,
                                             .spec = "rng-get-and-update-state"})

HILO_DEFINE_OP(rng_bit_generator_op, {.opcode = Opcode::kRngBitGenerator,
                                      .name = "rng-bit-generator",
                                      .arity = 1,
                                      .operand_types = kAnyArray,
                                      .cost = CostClass::kTranscendental,
                                      .sharding = {rng_bit_generator_rule, whole_factors},
                                      .infer_shape = infer_rng_bit_generator,
                                      .attributes = attributes_def<RngBitGeneratorAttributes>(kRngBitGeneratorFields),
                                      .evaluate = evaluate_rng_bit_generator,
                                      .spec = "rng_bit_generator"})

}  // namespace hilo::hlo
