// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/recompute.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hilo/backend/cpu/library/costs.h"
#include "hilo/lax/control_flow.h"
#include "hilo/nn/nn.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

namespace policies = checkpoint_policies;
using Nothing = std::tuple<>;
using Step = std::function<Array(const Array& w, const Array& c, const Array& x)>;

/// The sum of the last carry of a scan over xs.
Array scanned(const Step& step, const Array& w, const Array& start, const Array& xs) {
  const auto f = [&](const Array& c, const Array& x) { return std::pair(step(w, c, x), Nothing()); };
  return numpy::sum(lax::scan(f, start, xs).first);
}

/// The same with every value of a step stored.
Step all_stored(const Step& step) {
  return [stored = checkpoint([step](Array w, Array c, Array x) { return step(w, c, x); },
                              {.policy = policies::everything_saveable})](const Array& w, const Array& c,
                                                                          const Array& x) { return stored(w, c, x); };
}

/// Bytes per step and element that the loop stacks for its derivative by weights and start; also by xs if `of_xs`.
double stacked_bytes(const Step& step, bool of_xs = false, int64_t size = 16384) {
  const int64_t length = 64;
  const Array w = numpy::ones({size}), start = numpy::ones({size}), xs = numpy::ones({length, size});
  int64_t bytes = 0;
  const auto residuals =
      of_xs ? saved_residuals([&](Array a, Array b, Array c) { return scanned(step, a, b, c); }, w, start, xs)
            : saved_residuals([&](Array a, Array b) { return scanned(step, a, b, xs); }, w, start);
  for (const SavedResidual& r : residuals) {
    if (r.source.starts_with("output of hilo.scan")) bytes += r.shape.byte_size();
  }
  return static_cast<double>(bytes) / static_cast<double>(length * size);
}

const Step kPolynomial = [](const Array&, const Array& c, const Array& x) { return c * c * c * 0.5f + x * c; };
const Step kRational = [](const Array&, const Array& c, const Array& x) { return c / (1.0f + c * c) + x; };
const Step kSine = [](const Array& w, const Array& c, const Array&) { return numpy::sin(c * w); };
const Step kKinks = [](const Array& w, const Array& c, const Array& x) { return nn::relu(c * w - x) + c; };
const Step kOfSlices = [](const Array&, const Array& c, const Array& x) { return c * (x * x + 2.0f * x); };
const Step kRoot = [](const Array& w, const Array& c, const Array& x) {
  const Array v = numpy::maximum(c, 0.1f);
  return c + w * (1.0f - v) + numpy::sqrt(v) * x;
};
const Step kSharesASine = [](const Array& w, const Array& c, const Array& x) {
  const Array s = numpy::sin(c);
  return s * s * w + numpy::where(s > x, s, s * 0.5f);
};

TEST(Recompute, StacksOnlyWhatIsDear) {
  EXPECT_EQ(stacked_bytes(kPolynomial), 4);   // the carry
  EXPECT_EQ(stacked_bytes(kRational), 8);     // the carry and one quotient: two divisions cost more than four bytes
  EXPECT_EQ(stacked_bytes(kSine), 8);         // the carry for the weights, and the cosine
  EXPECT_EQ(stacked_bytes(kKinks), 7);        // the carry and masks
  EXPECT_EQ(stacked_bytes(kOfSlices), 0);     // the slices are in memory
  EXPECT_EQ(stacked_bytes(kRoot), 8);         // the carry and the slope of the root
  EXPECT_EQ(stacked_bytes(kSharesASine), 9);  // sine, cosine and a mask
  EXPECT_EQ(stacked_bytes(kOfSlices, true), 4);
}

TEST(Recompute, StacksAllThatAPolicySaves) {
  for (const Step& step : {kPolynomial, kRational, kKinks, kRoot}) {
    EXPECT_GT(stacked_bytes(all_stored(step)), stacked_bytes(step));
  }
  const Step named = [](const Array&, const Array& c, const Array& x) {
    const Array square = checkpoint_name(c * c, "square");
    return square * square * x;
  };
  const auto bytes_with = [&](const CheckpointPolicy& policy) {
    const auto f = [&](Array start) { return scanned(named, start, start, numpy::ones({64, 16384})); };
    int64_t bytes = 0;
    for (const SavedResidual& r : saved_residuals(checkpoint(f, {.policy = policy}), numpy::ones({16384})))
      bytes += r.source.starts_with("output of hilo.scan") ? r.shape.byte_size() : 0;
    return bytes / (64 * 16384);
  };
  EXPECT_EQ(bytes_with(policies::nothing_saveable), 0);
  EXPECT_EQ(bytes_with(policies::save_only_these_names("square")), 4);
  EXPECT_GE(bytes_with(policies::everything_saveable), 8);
}

TEST(Recompute, ProductsOfMatricesAreStored) {
  const auto loss = [](Array w, Array start) {
    const auto step = [&](Array c, std::nullopt_t) {
      return std::pair(numpy::tanh(numpy::matmul(c, w)) * 0.5f, Nothing());
    };
    return numpy::sum(lax::scan(step, start, std::nullopt, 64).first);
  };
  int64_t bytes = 0;
  const std::string text = to_string(saved_residuals(loss, numpy::ones({64, 64}), numpy::ones({512, 64})));
  for (const SavedResidual& r : saved_residuals(loss, numpy::ones({64, 64}), numpy::ones({512, 64})))
    bytes += r.source.starts_with("output of hilo.scan") ? r.shape.byte_size() : 0;
  EXPECT_EQ(bytes, 2 * 64 * 512 * 64 * 4) << text;  // the carry and the slope of tanh
}

TEST(Recompute, RandomNumbersAreStored) {
  const auto loss = [](Array start) {
    const auto step = [&](const std::tuple<Array, Array>& c, std::nullopt_t) {
      const auto& [i, v] = c;
      const Array z = random::normal(random::fold_in(random::key(0), i), {16384});
      return std::pair(std::tuple(i + 1, v + v * z * 0.1f), Nothing());
    };
    return numpy::sum(std::get<1>(lax::scan(step, std::tuple(Array(0), start), std::nullopt, 64).first));
  };
  int64_t bytes = 0;
  for (const SavedResidual& r : saved_residuals(loss, numpy::ones({16384})))
    bytes += r.source.starts_with("output of hilo.scan") ? r.shape.byte_size() : 0;
  EXPECT_EQ(bytes, 64 * 16384 * 4);
}

TEST(Recompute, LoopsInLoopsStoreWhatIsDear) {
  const Step nested = [](const Array& w, const Array& c, const Array& x) {
    return lax::fori_loop(0, 8, [&](const Array&, const Array& v) { return v + 0.1f * v * v * w - x; }, c);
  };
  EXPECT_EQ(stacked_bytes(nested), 8 * 4);
  EXPECT_GT(stacked_bytes(all_stored(nested)), 8 * 4);
}

TEST(Recompute, AStepMayBeOneCall) {
  const auto inner = jit([](Array c) {
    const auto f = [](Array v, std::nullopt_t) { return std::pair(numpy::sin(v), Nothing()); };
    return lax::scan(f, c, std::nullopt, 3).first;
  });
  const auto outer = [&](Array c) {
    const auto f = [&](Array v, std::nullopt_t) { return std::pair(inner(v), Nothing()); };
    return numpy::sum(lax::scan(f, c, std::nullopt, 2).first);
  };
  const Array x = numpy::array({0.5f, 1.0f});
  const std::vector<float> expected = grad([](Array c) {
                                        for (int k = 0; k < 6; ++k) c = numpy::sin(c);
                                        return numpy::sum(c);
                                      })(x)
                                          .to_vector<float>();
  for (const auto& got : {grad(outer)(x), grad(checkpoint(outer))(x), jit(grad(checkpoint(outer)))(x)}) {
    for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(got.to_vector<float>()[i], expected[i], 1e-6);
  }
  const Array once = grad(checkpoint([&](Array c) { return numpy::sum(inner(c)); }))(x);
  EXPECT_NEAR(once.to_vector<float>()[0],
              std::cos(0.5f) * std::cos(std::sin(0.5f)) * std::cos(std::sin(std::sin(0.5f))), 1e-6);
}

/// Compares all derivatives with those of stored values, bit for bit.
void expect_equal_derivatives(const Step& step, const std::string& name) {
  SCOPED_TRACE(name);
  const int64_t size = 5;
  const Array w = numpy::linspace(0.5f, 1.0f, size), start = numpy::linspace(-0.4f, 0.9f, size);
  const Array xs = numpy::sin(numpy::reshape(numpy::arange(4.0f * size), {4, size}));
  const auto loss = [&](const Step& s) { return [s](Array a, Array b, Array c) { return scanned(s, a, b, c); }; };
  const auto both = [&](const auto& derive) {
    const auto got = derive(loss(step)), stored = derive(loss(all_stored(step)));
    EXPECT_EQ(got.template to_vector<float>(), stored.template to_vector<float>());
    for (const float value : got.template to_vector<float>()) EXPECT_TRUE(std::isfinite(value));
  };
  const Array starts = numpy::stack({start, start * 0.5f});
  both([&](const auto& f) { return jit(grad<0>(f))(w, start, xs); });
  both([&](const auto& f) { return jit(grad<1>(f))(w, start, xs); });
  both([&](const auto& f) { return jit(grad<2>(f))(w, start, xs); });
  both([&](const auto& f) { return grad<1>(f)(w, start, xs); });
  both([&](const auto& f) { return jit(vmap(grad<1>(f), {kNoAxis, 0, kNoAxis}))(w, starts, xs); });
  both([&](const auto& f) {
    const auto all = vmap(f, {kNoAxis, 0, kNoAxis});
    return jit(grad<1>([=](Array a, Array b, Array c) { return numpy::sum(all(a, b, c)); }))(w, starts, xs);
  });
}

/// Second derivatives sum in another order.
void expect_close_second_derivatives(const Step& step) {
  const Array w = numpy::linspace(0.5f, 1.0f, 3), start = numpy::linspace(-0.4f, 0.9f, 3);
  const Array xs = numpy::sin(numpy::reshape(numpy::arange(12.0f), {4, 3}));
  const auto of = [&](const Step& s) {
    const auto loss = [&](Array b) { return scanned(s, w, b, xs); };
    std::vector<std::vector<float>> out = {jit(hessian(loss))(start).to_vector<float>(),
                                           jit(jacrev(jacrev(loss)))(start).to_vector<float>(),
                                           jit(jacrev(jacfwd(loss)))(start).to_vector<float>()};
    return out;
  };
  const auto got = of(step), stored = of(all_stored(step));
  for (size_t k = 0; k < got.size(); ++k) {
    for (size_t i = 0; i < got[k].size(); ++i)
      EXPECT_NEAR(got[k][i], stored[k][i], 1e-5 * (1 + std::abs(stored[k][i]))) << k << " " << i;
  }
}

TEST(Recompute, ChangesNoDerivative) {
  const std::vector<std::pair<const char*, Step>> steps = {{"polynomial", kPolynomial},
                                                           {"rational", kRational},
                                                           {"sine", kSine},
                                                           {"kinks", kKinks},
                                                           {"of slices", kOfSlices},
                                                           {"root", kRoot},
                                                           {"shares a sine", kSharesASine}};
  for (const auto& [name, step] : steps) {
    expect_equal_derivatives(step, name);
    expect_close_second_derivatives(step);
  }
}

/// A random step: a graph of elementwise operations on weights, carry and slice.
Step random_step(unsigned seed) {
  return [seed](const Array& w, const Array& c, const Array& x) {
    std::mt19937 random(seed);
    std::vector<Array> values = {c, c, w, x};
    const auto any = [&] { return values[random() % values.size()]; };
    for (int k = 0; k < 12; ++k) {
      switch (random() % 9) {
        case 0: values.push_back(any() + any() * 0.5f); break;
        case 1: values.push_back(any() * any() * 0.5f); break;
        case 2: values.push_back(numpy::sin(any())); break;
        case 3: values.push_back(numpy::maximum(any(), any() - 0.1f)); break;
        case 4: values.push_back(any() / (1.5f + numpy::square(any()))); break;
        case 5: values.push_back(numpy::where(any() > 0.2f, any(), any())); break;
        case 6: values.push_back(numpy::sqrt(0.3f + numpy::square(any()))); break;
        case 7: values.push_back(numpy::tanh(any()) + numpy::mean(any())); break;
        default: values.push_back(numpy::flip(any()) - any()); break;
      }
    }
    return numpy::tanh(values[values.size() - 1] + values[values.size() - 2] * 0.3f + c);
  };
}

TEST(Recompute, ChangesNoDerivativeOfRandomSteps) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Step step = random_step(seed);
    EXPECT_LE(stacked_bytes(step, true), stacked_bytes(all_stored(step), true)) << seed;
    const Array w = numpy::linspace(0.5f, 1.0f, 5), start = numpy::linspace(-0.4f, 0.9f, 5);
    const Array xs = numpy::sin(numpy::reshape(numpy::arange(20.0f), {4, 5}));
    const auto loss = [&](const Step& s) { return [s](Array a, Array b, Array c) { return scanned(s, a, b, c); }; };
    const auto got = jit(grad<0, 1, 2>(loss(step)))(w, start, xs);
    const auto stored = jit(grad<0, 1, 2>(loss(all_stored(step))))(w, start, xs);
    const auto close = [&](const Array& a, const Array& b) {
      const std::vector<float> left = a.to_vector<float>(), right = b.to_vector<float>();
      for (size_t i = 0; i < left.size(); ++i)
        EXPECT_NEAR(left[i], right[i], 2e-6 * (1 + std::abs(right[i]))) << seed << " " << i;
    };
    close(std::get<0>(got), std::get<0>(stored));
    close(std::get<1>(got), std::get<1>(stored));
    close(std::get<2>(got), std::get<2>(stored));
  }
}

TEST(Recompute, CostsAreThoseOfTheEngine) {
  const engine::Costs& engine = cpu::kCpuCosts;
  const auto picoseconds = [](double nanoseconds) { return std::llround(1000 * nanoseconds); };
  const rules::RecomputeCosts& costs = rules::kRecomputeCosts;
  for (const ElementType type : {ElementType::kF32, ElementType::kF64}) {
    EXPECT_EQ(costs.cheap, picoseconds(engine::op_cost(engine, hlo::CostClass::kCheap, type)));
    EXPECT_EQ(costs.expensive, picoseconds(engine::op_cost(engine, hlo::CostClass::kExpensive, type)));
    EXPECT_EQ(costs.transcendental, picoseconds(engine::op_cost(engine, hlo::CostClass::kTranscendental, type)));
  }
  EXPECT_EQ(costs.stored, picoseconds(engine.uncached) / 4);
  EXPECT_EQ(costs.stored_in_cache, picoseconds(engine.cached / 4));
  EXPECT_EQ(costs.cache_bytes, engine.cache_bytes);
}

}  // namespace
}  // namespace hilo
