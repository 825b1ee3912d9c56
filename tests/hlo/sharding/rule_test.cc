// SPDX-License-Identifier: Apache-2.0
// One rule of each family in the table of Shardy's registry.
#include "hilo/hlo/sharding/rule.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

/// Computations that the programs call.
constexpr char kReducers[] =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
    "subtract { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] subtract(a, b) }\n"
    "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }\n";

/// The rule of the root of an entry computation with that body.
std::string rule_of(const std::string& body) {
  const StatusOr<Module> module =
      parse_module("HloModule m\n" + std::string(kReducers) + "ENTRY e {\n" + body + "\n}\n");
  if (!module.ok()) return module.status().to_string();
  return to_string(sharding_rule(module->entry->root(), *module->entry));
}

struct Case {
  const char* body;
  const char* rule;
};

void check(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(rule_of(c.body), c.rule) << c.body;
}

TEST(ShardingRule, Elementwise) {
  check({
      {"x = f32[8,16] parameter(0) ROOT y = f32[8,16] sine(x)", "([i,j])->([i,j]) {i=8, j=16}"},
      {"x = f32[8,16] parameter(0) y = f32[8,16] parameter(1) ROOT z = f32[8,16] add(x, y)",
       "([i,j],[i,j])->([i,j]) {i=8, j=16}"},
      {"p = pred[] parameter(0) x = f32[8] parameter(1) ROOT y = f32[8] select(p, x, x)", "([],[i],[i])->([i]) {i=8}"},
      {"l = f32[] parameter(0) x = f32[8] parameter(1) ROOT y = f32[8] clamp(l, x, l)", "([],[i],[])->([i]) {i=8}"},
      {"x = f32[] parameter(0) ROOT y = f32[] negate(x)", "([])->([]) {}"},
  });
}

TEST(ShardingRule, DimensionsGetOtherPlaces) {
  check({
      {"x = f32[8,16] parameter(0) ROOT y = f32[16,8] transpose(x), dimensions={1,0}", "([j,i])->([i,j]) {i=16, j=8}"},
      {"x = f32[8] parameter(0) ROOT y = f32[4,8,16] broadcast(x), dimensions={1}",
       "([i])->([j,i,k]) {i=8, j=4, k=16}"},
      {"x = f32[8,16] parameter(0) ROOT y = f32[8,16] reverse(x), dimensions={1}",
       "([i,j])->([i,j]) {i=8, j=16} permutation={j}"},
      {"x = f32[8,16] parameter(0) ROOT y = u8[8,16,4] bitcast-convert(x)",
       "([i,j])->([i,j,k]) {i=8, j=16, k=4} need_replication={k}"},
  });
}

TEST(ShardingRule, ReshapesShareCommonDivisors) {
  check({
      {"x = f32[2,4,32] parameter(0) ROOT y = f32[8,32] reshape(x)", "([i,j,k])->([ij,k]) {i=2, j=4, k=32}"},
      {"x = f32[8,32] parameter(0) ROOT y = f32[2,128] reshape(x)", "([ij,k])->([i,jk]) {i=2, j=4, k=32}"},
      {"x = f32[1,8,1] parameter(0) ROOT y = f32[8] reshape(x)", "([.,i,.])->([i]) {i=8}"},
      {"x = f32[4,6] parameter(0) ROOT y = f32[6,4] reshape(x)", "([ij,l])->([ik,m]) {i=2, j=2, k=3, l=6, m=4}"},
      {"x = f32[3,5,7] parameter(0) ROOT y = f32[15,7] reshape(x)", "([i,j,k])->([ij,k]) {i=3, j=5, k=7}"},
      {"x = f32[0,4] parameter(0) ROOT y = f32[4,0] reshape(x)", "([.,.])->([.,.]) {}"},
      {"x = f32[] parameter(0) ROOT y = f32[1,1] reshape(x)", "([])->([.,.]) {}"},
  });
}

TEST(ShardingRule, Products) {
  check({
      {"x = f32[8,32] parameter(0) y = f32[32,16] parameter(1) ROOT z = f32[8,16] dot(x, y), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "([i,k],[k,j])->([i,j]) {i=8, j=16, k=32} reduction={k}"},
      {"x = f32[4,8,32] parameter(0) y = f32[4,32,16] parameter(1) ROOT z = f32[4,8,16] dot(x, y), lhs_batch_dims={0}, "
       "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
       "([i,j,l],[i,l,k])->([i,j,k]) {i=4, j=8, k=16, l=32} reduction={l}"},
      {"x = f32[8,16,4] parameter(0) y = f32[3,4,6] parameter(1) ROOT z = f32[8,16,6] convolution(x, y), "
       "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f",
       "([i,l,k],[.,k,j])->([i,l,j]) {i=8, j=6, k=4, l=16} reduction={k} permutation={l}"},
      {"x = f32[8,16,4] parameter(0) y = f32[1,1,8] parameter(1) ROOT z = f32[8,16,8] convolution(x, y), "
       "window={size=1}, dim_labels=b0f_0io->b0f, feature_group_count=4",
       "([j,l,i],[.,.,ik])->([j,l,ik]) {i=4, j=8, k=2, l=16}"},
  });
}

TEST(ShardingRule, Reductions) {
  check({
      {"x = f32[8,16] parameter(0) z = f32[] constant(0) ROOT y = f32[8] reduce(x, z), dimensions={1}, to_apply=add",
       "([i,j],[])->([i]) {i=8, j=16} reduction={j}"},
      {"x = f32[8,16] parameter(0) z = f32[] constant(0) ROOT y = f32[8,8] reduce-window(x, z), window={size=1x2 "
       "stride=1x2}, to_apply=add",
       "([i,j],[])->([i,j]) {i=8, j=16} permutation={j}"},
      {"x = f32[8,16] parameter(0) ROOT y = f32[8,16] sort(x), dimensions={1}, to_apply=less",
       "([i,j])->([i,j]) {i=8, j=16} need_replication={j}"},
      {"x = f32[16] parameter(0) ROOT y = f32[16] sort(x), dimensions={0}, to_apply=less",
       "([i])->([i]) {i=16} need_replication={i} blocked={i}"},
      {"x = f32[8,16] parameter(0) ROOT y = (f32[8,4], s32[8,4]) topk(x), k=4, largest=true",
       "([i,j])->([i,j],[i,j]) {i=8, j=16} need_replication={j} blocked={j}"},
  });
}

TEST(ShardingRule, Pieces) {
  check({
      {"x = f32[8,16] parameter(0) ROOT y = f32[8,4] slice(x), slice={[0:8], [4:8]}",
       "([i,j])->([i,j]) {i=8, j=16} permutation={j}"},
      {"x = f32[8,16] parameter(0) z = f32[] constant(0) ROOT y = f32[8,18] pad(x, z), padding=0_0x1_1",
       "([i,j],[])->([i,j]) {i=8, j=16} permutation={j}"},
      {"x = f32[8,16] parameter(0) ROOT y = f32[8,32] concatenate(x, x), dimensions={1}",
       "([i,j],[i,j])->([i,j]) {i=8, j=32} need_replication={j}"},
      {"x = f32[8,16] parameter(0) i = s32[] parameter(1) ROOT y = f32[4,16] dynamic-slice(x, i, i), "
       "dynamic_slice_sizes={4,16}",
       "([i,j],[],[])->([i,j]) {i=8, j=16} need_replication={i} blocked={i}"},
      {"x = f32[8,16] parameter(0) u = f32[4,16] parameter(1) i = s32[] parameter(2) ROOT y = f32[8,16] "
       "dynamic-update-slice(x, u, i, i)",
       "([i,k],[j,k],[],[])->([i,k]) {i=8, j=4, k=16} need_replication={j}"},
  });
}

TEST(ShardingRule, Indices) {
  check({
      {"x = f32[64,16] parameter(0) i = s32[8,1] parameter(1) ROOT y = f32[8,16] gather(x, i), offset_dims={1}, "
       "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}",
       "([k,j],[i,l])->([i,j]) {i=8, j=16, k=64, l=1} reduction={k} need_replication={l}"},
      {"x = f32[64,16] parameter(0) i = s32[8,1] parameter(1) u = f32[8,16] parameter(2) ROOT y = f32[64,16] "
       "scatter(x, "
       "i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
       "to_apply=add",
       "([j,i],[k,l],[k,i])->([j,i]) {i=16, j=64, k=8, l=1} reduction={k} need_replication={l}"},
      {"x = f32[64,16] parameter(0) i = s32[8,1] parameter(1) u = f32[8,16] parameter(2) ROOT y = f32[64,16] "
       "scatter(x, "
       "i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
       "to_apply=subtract",
       "([j,i],[k,l],[k,i])->([j,i]) {i=16, j=64, k=8, l=1} need_replication={k,l}"},
  });
}

TEST(ShardingRule, BatchesOfMatricesAndTransforms) {
  check({
      {"x = f32[8,4,4] parameter(0) ROOT y = f32[8,4,4] cholesky(x), lower=true", "([i,.,.])->([i,.,.]) {i=8}"},
      {"x = c64[8,16] parameter(0) ROOT y = c64[8,16] fft(x), fft_type=FFT, fft_length={16}",
       "([i,j])->([i,j]) {i=8, j=16} need_replication={j}"},
      {"s = u64[2] parameter(0) ROOT y = (u64[2], u32[8,4]) rng-bit-generator(s), algorithm=rng_three_fry",
       "([k])->([k],[i,j]) {i=8, j=4, k=2} need_replication={k} blocked={k}"},
      {"x = f32[8,4] parameter(0) ROOT y = f32[8,4] custom-call(x), custom_call_target=\"unknown\"",
       "([.,.])->([.,.]) {}"},
      {"d = f32[8,6] parameter(0) b = f32[8,6,4] parameter(1) ROOT y = (f32[8,6], f32[8,6,4], s32[8]) custom-call(d, "
       "b), "
       "custom_call_target=\"lapack_sgtsv_ffi\"",
       "([i,.],[i,.,.])->([i,.],[i,.,.],[i]) {i=8}"},
      {"x = f32[8,4] parameter(0) ROOT y = f32[8,4] custom-call(x), custom_call_target=\"own\", "
       "frontend_attributes={hilo.batch_dims=\"1\"}",
       "([i,.])->([i,.]) {i=8}"},
      {"d = f32[6] parameter(0) b = f32[6,4] parameter(1) ROOT y = f32[6,4] custom-call(d, b), "
       "custom_call_target=\"tridiagonal_solve_perturbed_ffi\"",
       "([.],[.,.])->([.,.]) {}"},
  });
}

}  // namespace
}  // namespace hilo::hlo
