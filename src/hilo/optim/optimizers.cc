// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/optimizers.h"

#include <cmath>

#include "hilo/optim/clipping.h"
#include "hilo/optim/leaves.h"

namespace hilo::optim {

namespace {

GradientTransformation all_decayed(const ScalarOrSchedule& weight_decay) {
  constexpr const char* kName = "add_decayed_weights";
  const auto decayed = [=](const Leaves& updates, const Given& inputs, const Array& factor) {
    return leaves::map([&](const Array& g, const Array& p) { return g + factor * p; }, updates,
                       leaves::params_of(kName, inputs));
  };
  if (!weight_decay.is_schedule()) {
    return leaves::of_all(kName, [=](const Leaves& updates, const Given& inputs) {
      leaves::params_of(kName, inputs);
      return weight_decay.number() == 0.0 ? updates : decayed(updates, inputs, weight_decay.value());
    });
  }
  return {[=](const Parameters&) { return OptState{kName, {{"count", {leaves::no_steps()}}}}; },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            const Array count = leaves::field(state, kName, "count")[0];
            return Updated{decayed(updates, inputs, weight_decay.at(count)),
                           OptState{kName, {{"count", {leaves::safe_increment(count)}}}}};
          }};
}

}  // namespace

GradientTransformation add_decayed_weights(const ScalarOrSchedule& weight_decay, const MaskOptions& options) {
  return options.mask ? masked(all_decayed(weight_decay), *options.mask) : all_decayed(weight_decay);
}

GradientTransformation sgd(const ScalarOrSchedule& learning_rate, const SgdOptions& o) {
  const GradientTransformation momentum =
      o.momentum ? trace(*o.momentum, {.nesterov = o.nesterov, .accumulator_dtype = o.accumulator_dtype}) : identity();
  return chain(momentum, scale_by_learning_rate(learning_rate));
}

GradientTransformation adam(const ScalarOrSchedule& learning_rate, const AdamOptions& o) {
  return chain(scale_by_adam({o.b1, o.b2, o.eps, o.eps_root, o.mu_dtype, o.nesterov.value_or(false)}),
               scale_by_learning_rate(learning_rate));
}
GradientTransformation nadam(const ScalarOrSchedule& learning_rate, const AdamOptions& options) {
  AdamOptions o = options;
  o.nesterov = options.nesterov.value_or(true);
  return adam(learning_rate, o);
}
GradientTransformation adamw(const ScalarOrSchedule& learning_rate, const AdamwOptions& o) {
  return chain(scale_by_adam({o.b1, o.b2, o.eps, o.eps_root, o.mu_dtype, o.nesterov.value_or(false)}),
               add_decayed_weights(o.weight_decay, {o.mask}), scale_by_learning_rate(learning_rate));
}
GradientTransformation nadamw(const ScalarOrSchedule& learning_rate, const AdamwOptions& options) {
  AdamwOptions o = options;
  o.nesterov = options.nesterov.value_or(true);
  return adamw(learning_rate, o);
}
GradientTransformation amsgrad(const ScalarOrSchedule& learning_rate, const AmsgradOptions& options) {
  return chain(scale_by_amsgrad(options), scale_by_learning_rate(learning_rate));
}
GradientTransformation adamax(const ScalarOrSchedule& learning_rate, const AdamaxOptions& options) {
  return chain(scale_by_adamax(options), scale_by_learning_rate(learning_rate));
}
GradientTransformation adamaxw(const ScalarOrSchedule& learning_rate, const AdamaxwOptions& o) {
  return chain(scale_by_adamax({o.b1, o.b2, o.eps}), add_decayed_weights(o.weight_decay, {o.mask}),
               scale_by_learning_rate(learning_rate));
}
GradientTransformation adan(const ScalarOrSchedule& learning_rate, const AdanwOptions& o) {
  return chain(scale_by_adan({o.b1, o.b2, o.b3, o.eps, o.eps_root}), add_decayed_weights(o.weight_decay, {o.mask}),
               scale_by_learning_rate(learning_rate));
}
GradientTransformation adabelief(const ScalarOrSchedule& learning_rate, const BeliefOptions& options) {
  return chain(scale_by_belief(options), scale_by_learning_rate(learning_rate));
}
GradientTransformation yogi(const ScalarOrSchedule& learning_rate, const YogiOptions& options) {
  return chain(scale_by_yogi(options), scale_by_learning_rate(learning_rate));
}
GradientTransformation radam(const ScalarOrSchedule& learning_rate, const RadamOptions& options) {
  return chain(scale_by_radam(options), scale_by_learning_rate(learning_rate));
}
GradientTransformation lamb(const ScalarOrSchedule& learning_rate, const LambOptions& o) {
  return chain(scale_by_adam({.b1 = o.b1, .b2 = o.b2, .eps = o.eps, .eps_root = o.eps_root}),
               add_decayed_weights(o.weight_decay, {o.mask}), scale_by_trust_ratio(),
               scale_by_learning_rate(learning_rate));
}
GradientTransformation lars(const ScalarOrSchedule& learning_rate, const LarsOptions& o) {
  const GradientTransformation ratio = scale_by_trust_ratio({.trust_coefficient = o.trust_coefficient, .eps = o.eps});
  return chain(add_decayed_weights(o.weight_decay, {o.weight_decay_mask}), masked(ratio, o.trust_ratio_mask),
               scale_by_learning_rate(learning_rate), trace(o.momentum, {.nesterov = o.nesterov}));
}
GradientTransformation lion(const ScalarOrSchedule& learning_rate, const LionwOptions& o) {
  return chain(scale_by_lion({.b1 = o.b1, .b2 = o.b2, .mu_dtype = o.mu_dtype}),
               add_decayed_weights(o.weight_decay, {o.mask}), scale_by_learning_rate(learning_rate));
}
GradientTransformation novograd(const ScalarOrSchedule& learning_rate, const NovogradwOptions& o) {
  return chain(scale_by_novograd({o.b1, o.b2, o.eps, o.eps_root, o.weight_decay}),
               scale_by_learning_rate(learning_rate));
}

GradientTransformation adagrad(const ScalarOrSchedule& learning_rate, const AdagradOptions& o) {
  return chain(scale_by_rss({o.initial_accumulator_value, o.eps}), scale_by_learning_rate(learning_rate));
}
GradientTransformation adadelta(const std::optional<ScalarOrSchedule>& learning_rate, const AdadeltawOptions& o) {
  return chain(add_decayed_weights(o.weight_decay, {o.weight_decay_mask}), scale_by_adadelta({o.rho, o.eps}),
               scale_by_learning_rate(learning_rate));
}
GradientTransformation adafactor(const std::optional<ScalarOrSchedule>& learning_rate, const AdafactorOptions& o) {
  std::vector<GradientTransformation> parts = {
      scale_by_factored_rms({o.factored, o.decay_rate, o.decay_offset, o.min_dim_size_to_factor, o.eps})};
  if (o.clipping_threshold) parts.push_back(clip_by_block_rms(*o.clipping_threshold));
  if (learning_rate) parts.push_back(scale_by_learning_rate(learning_rate, {.flip_sign = false}));
  if (o.multiply_by_parameter_scale) parts.push_back(scale_by_param_block_rms());
  if (o.momentum) parts.push_back(ema(*o.momentum, {.debias = false, .accumulator_dtype = o.dtype_momentum}));
  if (o.weight_decay_rate) parts.push_back(add_decayed_weights(*o.weight_decay_rate, {o.weight_decay_mask}));
  parts.push_back(scale(-1));
  return chain(std::move(parts));
}
GradientTransformation rmsprop(const ScalarOrSchedule& learning_rate, const RmspropOptions& o) {
  const RmsOptions rms{o.decay, o.eps, o.initial_scale, o.eps_in_sqrt, o.bias_correction};
  return chain(o.centered ? scale_by_stddev(rms) : scale_by_rms(rms), scale_by_learning_rate(learning_rate),
               o.momentum ? trace(*o.momentum, {.nesterov = o.nesterov}) : identity());
}
GradientTransformation rprop(double learning_rate, const RpropOptions& options) {
  return chain(scale_by_rprop(learning_rate, options), scale(-1.0));
}
GradientTransformation sm3(double learning_rate, const MomentumOptions& o) {
  return chain(scale_by_sm3({.b1 = o.momentum}), scale(-learning_rate));
}

GradientTransformation fromage(const ScalarOrSchedule& learning_rate, const FromageOptions& o) {
  const GradientTransformation ratio = scale_by_trust_ratio({.min_norm = o.min_norm});
  if (learning_rate.number()) {
    const double rate = *learning_rate.number(), factor = 1 / std::sqrt(1 + rate * rate);
    return chain(ratio, scale_by_learning_rate(rate * factor), add_decayed_weights(factor - 1));
  }
  const auto factor = [=](const Array& count) { return 1 / numpy::sqrt(1 + numpy::square(learning_rate.at(count))); };
  return chain(ratio,
               scale_by_learning_rate([=](const Array& count) { return factor(count) * learning_rate.at(count); }),
               add_decayed_weights([=](const Array& count) { return factor(count) - 1; }));
}

GradientTransformation sign_sgd(const ScalarOrSchedule& learning_rate) {
  return chain(scale_by_sign(), scale_by_learning_rate(learning_rate));
}
GradientTransformation signum(const ScalarOrSchedule& learning_rate, const SignumOptions& o) {
  return chain(ema(o.beta, {.debias = false, .accumulator_dtype = o.accumulator_dtype}), scale_by_sign(),
               scale_by_learning_rate(learning_rate));
}
GradientTransformation noisy_sgd(const ScalarOrSchedule& learning_rate, const NoisySgdOptions& o) {
  return chain(add_noise(o.eta, o.gamma, o.seed), scale_by_learning_rate(learning_rate));
}
GradientTransformation optimistic_gradient_descent(const ScalarOrSchedule& learning_rate,
                                                   const OptimisticOptions& options) {
  return chain(scale_by_optimistic_gradient(options), scale_by_learning_rate(learning_rate));
}
GradientTransformation optimistic_adam(double learning_rate, const OptimisticAdamOptions& o) {
  return chain(scale_by_adam({o.b1, o.b2, o.eps, o.eps_root, o.mu_dtype, o.nesterov}),
               scale_by_optimistic_gradient({learning_rate, o.optimism.value_or(learning_rate)}),
               scale_by_learning_rate(1.0));
}
GradientTransformation optimistic_adam_v2(const ScalarOrSchedule& learning_rate, const OptimisticAdamV2Options& o) {
  return chain(scale_by_adam({o.b1, o.b2, o.eps, o.eps_root, o.mu_dtype, o.nesterov}),
               scale_by_optimistic_gradient({o.alpha, o.beta}), scale_by_learning_rate(learning_rate));
}
GradientTransformation polyak_sgd(const PolyakSgdOptions& o) {
  return chain(sgd(o.scaling), scale_by_polyak({o.f_min, o.max_learning_rate, o.eps, o.variant}));
}
GradientTransformation dpsgd(const ScalarOrSchedule& learning_rate, double l2_norm_clip, double noise_multiplier,
                             int64_t seed, const DpsgdOptions& o) {
  return chain(differentially_private_aggregate(l2_norm_clip, noise_multiplier, seed),
               o.momentum ? trace(*o.momentum, {.nesterov = o.nesterov}) : identity(),
               scale_by_learning_rate(learning_rate));
}
GradientTransformation lbfgs(const std::optional<ScalarOrSchedule>& learning_rate, const LbfgsOptions& o) {
  return chain(scale_by_lbfgs({o.memory_size, o.scale_init_precond}),
               learning_rate ? scale_by_learning_rate(learning_rate) : scale(-1.0),
               o.linesearch ? *o.linesearch : identity());
}

ScalarOrSchedule detail::required_rate(const char* function, const std::optional<ScalarOrSchedule>& learning_rate) {
  if (!learning_rate)
    or_throw(invalid_argument(std::string(function) + ": got no learning rate. Hint: " + function +
                              "({.learning_rate = 1e-3})"));
  return *learning_rate;
}

}  // namespace hilo::optim
