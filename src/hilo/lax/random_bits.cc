// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/random_bits.h"

#include "hilo/array/refuse.h"
#include "hilo/hlo/ops/ext/rng.h"
#include "hilo/hlo/ops/random.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {
namespace {

using enum ElementType;

bool is(const Array& x, ElementType type, int64_t size) {
  return x.dtype() == type && x.ndim() == 1 && x.shape(0) == size;
}

hlo::RandomAlgorithm algorithm_of(RandomAlgorithm algorithm) {
  switch (algorithm) {
    case RandomAlgorithm::RNG_DEFAULT: return hlo::RandomAlgorithm::kDefault;
    case RandomAlgorithm::RNG_THREE_FRY: return hlo::RandomAlgorithm::kThreeFry;
    case RandomAlgorithm::RNG_PHILOX: return hlo::RandomAlgorithm::kPhilox;
  }
  __builtin_unreachable();
}

/// Converts u32[4] to u64[2] and back: the lower word of a pair comes first.
Array as_wide(const Array& key) {
  const std::vector<int64_t> pairs = {2, 2};
  return bind_one(hlo::Opcode::kBitcastConvert, {ops::reshape(key, pairs)}, nullptr, Shape::array(kU64, {2}));
}
Array as_narrow(const Array& key) {
  const std::vector<int64_t> words = {4};
  return ops::reshape(bind_one(hlo::Opcode::kBitcastConvert, {key}, nullptr, Shape::array(kU32, {2, 2})), words);
}

}  // namespace

std::pair<Array, Array> rng_bit_generator(const Operand& key, const Dimensions& shape,
                                          const RngBitGeneratorOptions& options) {
  const UserLocation here(key.location());
  const Array& state = key.array();
  const bool narrow = is(state, kU32, 4);
  if (!narrow && !is(state, kU64, 2))
    or_throw(invalid_argument(at_user_line("rng_bit_generator") + ": key must be u32[4] or u64[2]; got " +
                              state.aval_shape().to_string()));
  const ElementType type = requested_type("rng_bit_generator", options.dtype);
  if (!is_unsigned_integer(type) || element_type_info(type).bits < 8)
    or_throw(invalid_argument(at_user_line("rng_bit_generator") + ": dtype must be u8, u16, u32 or u64; got " +
                              std::string(element_type_name(type))));
  const ElementType drawn = type == kU64 ? kU64 : kU32;
  hlo::RngBitGeneratorAttributes attributes;
  attributes.algorithm = algorithm_of(options.algorithm);
  const Shape bits = or_throw(Shape::make_array(drawn, shape));
  const std::vector<Array> results = bind({hlo::Opcode::kRngBitGenerator,
                                           {narrow ? as_wide(state) : state},
                                           hlo::shared_attributes(attributes),
                                           Shape::tuple({Shape::array(kU64, {2}), bits})});
  return {narrow ? as_narrow(results[0]) : results[0], ops::convert_element_type(results[1], type)};
}

Array rng_uniform(const Operand& a, const Operand& b, const Dimensions& shape) {
  const UserLocation here(a.location());
  const Array &low = a.array(), &high = b.array();
  if (low.ndim() != 0 || high.ndim() != 0 || low.dtype() != high.dtype() || !is_floating(low.dtype()))
    refuse("rng_uniform", "wanted two scalars of one float type; got " + low.aval_shape().to_string() + " and " +
                              high.aval_shape().to_string());
  hlo::RngAttributes attributes;
  attributes.distribution = hlo::RandomDistribution::kUniform;
  return bind_one(hlo::Opcode::kRng, {low, high}, hlo::shared_attributes(attributes),
                  or_throw(Shape::make_array(low.dtype(), shape)));
}

}  // namespace hilo::lax
