// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/checkpoint.h"

#include <gtest/gtest.h>

#include "hilo/client/compile.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/golden_values.h"

namespace hilo {
namespace {

namespace policies = checkpoint_policies;

Array x() { return numpy::array({-3.0f, 0.5f, 2.0f}); }
Array weights() { return numpy::reshape(numpy::sin(numpy::astype(numpy::arange(36), ElementType::kF32)), {4, 3, 3}); }

Array layer(const Array& a, const Array& w) { return checkpoint_name(numpy::sin(numpy::matmul(a, w)), "layer"); }

auto layers(const CheckpointPolicy& policy) {
  return [policy](Array w, Array a) {
    const auto one = checkpoint(layer, {.policy = policy});
    for (int k = 0; k < 4; ++k) a = one(a, w[k]);
    return numpy::sum(a);
  };
}

auto scanned_layers(const CheckpointPolicy& policy) {
  return [policy](Array w, Array a) {
    const auto one = checkpoint(layer, {.policy = policy});
    const auto step = [&](Array c, Array v) {
      c = one(c, v);
      return std::pair(c, std::tuple<>());
    };
    return numpy::sum(lax::scan(step, a, w).first);
  };
}

const std::vector<CheckpointPolicy>& all_policies() {
  static const std::vector<CheckpointPolicy> all = {policies::everything_saveable,
                                                    policies::nothing_saveable,
                                                    policies::dots_saveable,
                                                    policies::dots_with_no_batch_dims_saveable,
                                                    policies::save_only_these_names("layer", "other"),
                                                    policies::save_only_these_names("other"),
                                                    policies::save_anything_except_these_names("layer"),
                                                    policies::save_any_names_but_these("other")};
  return all;
}

TEST(Checkpoint, ChangesNoDerivativeWhateverItKeeps) {
  for (const CheckpointPolicy& policy : all_policies()) {
    SCOPED_TRACE(policy.text);
    const auto f = layers(policy);
    expect_golden("checkpoint.grad", grad<0, 1>(f)(weights(), x()));
    expect_golden("checkpoint.grad", jit(grad<0, 1>(f))(weights(), x()));
    expect_golden("checkpoint.grad", grad<0, 1>(jit(f))(weights(), x()));
    expect_golden("checkpoint.grad", jit(grad<0, 1>(scanned_layers(policy)))(weights(), x()));
  }
}

TEST(Checkpoint, GoesThroughJvpHessianAndVmap) {
  const auto f = layers(policies::nothing_saveable);
  expect_golden("checkpoint.hessian", hessian<1>(f)(weights(), x()), 1e-5);
  const auto [value, slope] = jvp(f, std::tuple(weights(), x()), std::tuple(numpy::zeros({4, 3, 3}), x()));
  const Array gradient = grad<1>(f)(weights(), x());
  EXPECT_NEAR(slope.item<float>(), numpy::sum(gradient * x()).item<float>(), 1e-5);
  const Array twice = vmap(grad<1>(f), {kNoAxis, 0})(weights(), numpy::stack({x(), x() * 2.0f}));
  EXPECT_EQ(twice.shape(0), 2);
  EXPECT_NEAR(twice[0].to_vector<float>()[1], gradient.to_vector<float>()[1], 1e-6);
  const auto of_batch = [&](Array a) { return numpy::sum(vmap(f, {kNoAxis, 0})(weights(), a)); };
  const Array outside = jit(grad(of_batch))(numpy::stack({x(), x() * 2.0f}));
  EXPECT_NEAR(outside[1].to_vector<float>()[2], twice[1].to_vector<float>()[2], 1e-6);
}

TEST(Checkpoint, DifferentiatesWhatTheFunctionClosesOver) {
  const auto f = [](Array w) {
    return remat([&](Array a) { return numpy::sum(numpy::sin(a * w)); })(numpy::array({1.0f, 2.0f}));
  };
  const float wanted = std::cos(0.5f) + 2 * std::cos(1.0f);
  EXPECT_NEAR(grad(f)(0.5f).item<float>(), wanted, 1e-6);
  EXPECT_NEAR(jit(grad(f))(0.5f).item<float>(), wanted, 1e-6);
}

/// Bytes between arguments and results that the engine plans for a program.
int64_t temporary_bytes(const std::string& hlo) {
  const StatusOr<hlo::Module> module = hlo::parse_module(hlo);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  const auto executable = compile_module(*module, {});
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  return (*executable)->memory_analysis().temporary_bytes;
}

/// Those for grad of 24 layers.
int64_t planned_bytes(const std::optional<CheckpointPolicy>& policy) {
  const auto loss = [&](Array w, Array a) {
    const auto plain = [](Array c, Array v) { return numpy::sin(numpy::sin(numpy::sin(numpy::matmul(c, v)))); };
    for (int k = 0; k < 24; ++k) a = policy ? checkpoint(plain, {.policy = *policy})(a, w[k]) : plain(a, w[k]);
    return numpy::sum(a);
  };
  return temporary_bytes(make_hlo(grad(loss))(numpy::zeros({24, 32, 32}), numpy::zeros({512, 32})));
}

TEST(Checkpoint, KeepsNoMoreBytesThanJaxDoes) {
  const auto jax = [](const std::string& name) { return static_cast<int64_t>(golden("checkpoint.bytes." + name)[0]); };
  const int64_t all = planned_bytes(std::nullopt), nothing = planned_bytes(policies::nothing_saveable),
                dots = planned_bytes(policies::dots_saveable);
  const int64_t activations = int64_t{4} * 512 * 32;
  EXPECT_LT(nothing, dots);
  EXPECT_LT(dots, all);
  EXPECT_LT(nothing, jax("nothing_saveable"));
  EXPECT_LT(3 * nothing, all);
  EXPECT_LE(dots, jax("dots_saveable") + activations);  // the cotangent lies beside what is computed again
  EXPECT_EQ(jax("none"), jax("nothing_saveable"));      // XLA:CPU computes the sines again, whatever it is told
  EXPECT_LE(all, 2 * jax("none"));                      // here the cosines are kept, as the program says
}

/// Those for grad of a scan of 24 steps: step(w, carry, x), whose carry begins with the state.
template <typename Step, typename Carry>
int64_t bytes_of_scan(const Step& step, const Carry& start) {
  const auto loss = [&](Array w, Array xs) {
    const auto of_w = [&](Carry c, Array x) { return step(w, c, x); };
    const auto [last, ys] = lax::scan(of_w, start, xs);
    return numpy::sum(std::get<0>(last)) + numpy::sum(ys);
  };
  return temporary_bytes(make_hlo(grad(loss))(numpy::zeros({32, 32}), numpy::zeros({24, 512, 32})));
}

TEST(Scan, GradientsKeepNoMoreBytesThanThoseOfJax) {
  using One = std::tuple<Array>;
  using Two = std::tuple<Array, Array>;
  const Array start = numpy::zeros({512, 32});
  const auto recurrent = [](Array w, One c, Array x) {
    const Array h = numpy::tanh(numpy::matmul(std::get<0>(c), w) + x);
    return std::pair(One(h), h);
  };
  const auto of_constant = [](Array w, One c, Array x) {
    const Array h = numpy::tanh(numpy::matmul(std::get<0>(c), numpy::sin(numpy::matmul(w, w))) + x);
    return std::pair(One(h), h);
  };
  const auto counting = [](Array w, Two c, Array x) {
    const auto& [h, count] = c;
    return std::pair(Two(numpy::tanh(numpy::matmul(h, w) + x), count + numpy::sum(h)), numpy::sum(h));
  };
  const auto jax = [](const std::string& name) { return static_cast<int64_t>(golden("scan.bytes." + name)[0]); };
  EXPECT_LE(bytes_of_scan(recurrent, One(start)), jax("recurrent"));
  EXPECT_LE(bytes_of_scan(of_constant, One(start)), jax("of_constant"));
  EXPECT_LE(bytes_of_scan(counting, Two(start, 0.0f)), jax("counting"));
  EXPECT_LE(bytes_of_scan(checkpoint(recurrent), One(start)), jax("checkpoint"));
}

TEST(Checkpoint, OffloadingIsRefusedByName) {
  for (const auto& refused :
       std::vector<std::function<void()>>{[] { policies::save_and_offload_only_these_names({"a"}, {"b"}); },
                                          [] { policies::offload_dot_with_no_batch_dims("device", "pinned_host"); }}) {
    const std::string text = error_of(refused, StatusCode::kUnimplemented);
    EXPECT_NE(text.find("offload"), std::string::npos) << text;
  }
}

TEST(CheckpointName, RefusesNamesThatNoPolicyCanSay) {
  error_of([] { checkpoint_name(x(), "a,b"); }, StatusCode::kInvalidArgument);
  error_of([] { checkpoint_name(x(), ""); }, StatusCode::kInvalidArgument);
  error_of([] { policies::save_only_these_names("a,b"); }, StatusCode::kInvalidArgument);
}

struct Net {
  Array w, b;
  HILO_TREE(w, b)
};

TEST(SavedResiduals, SayWhatIsKeptAndWhereItComesFrom) {
  const auto net = [](Net n, Array a) {
    return numpy::sum(numpy::sin(checkpoint_name(numpy::matmul(a, n.w), "product") + n.b));
  };
  const Net n{weights()[0], x()};
  const std::string none = to_string(saved_residuals(checkpoint(net), n, x()));
  EXPECT_EQ(none, "f32[3,3] from the argument [0].w\nf32[3] from the argument [0].b\nf32[3] from the argument [1]\n");
  const std::string named =
      to_string(saved_residuals(checkpoint(net, {.policy = policies::save_only_these_names("product")}), n, x()));
  EXPECT_NE(named.find("f32[3] named 'product' (checkpoint_test.cc:"), std::string::npos) << named;
  const std::string all = to_string(saved_residuals(net, n, x()));
  EXPECT_NE(all.find("f32[3] output of cosine (checkpoint_test.cc:"), std::string::npos) << all;
  testing::internal::CaptureStdout();
  print_saved_residuals(net, n, x());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), all);
}

}  // namespace
}  // namespace hilo
